/** The main figures of a call: cost, duration and tokens. */
import type { LogRow } from "@gateway/shared/usage/log";
import { useTranslation } from "react-i18next";
import { CostCell } from "#features/logs/list/cost-cell.tsx";
import { tokensPerSecond } from "#features/logs/pace.ts";
import { formatDuration, useFormat } from "#lib/format/quota.ts";
import classes from "./call.module.css";

export function CallFigures({ row }: { row: LogRow }) {
  const { t } = useTranslation("logs");
  const format = useFormat();
  const speed = tokensPerSecond(row);
  const figures = [
    { label: t("Cost"), value: <CostCell row={row} /> },
    { label: t("Duration"), value: formatDuration(row.request_time) },
    ...(row.first_byte_time > 0
      ? [{ label: t("First byte"), value: formatDuration(row.first_byte_time) }]
      : []),
    ...(row.prompt_tokens + row.completion_tokens > 0
      ? [
          {
            label: t("Tokens used"),
            value: t("{{input}} in, {{output}} out", {
              input: format.whole(row.prompt_tokens),
              output: format.whole(row.completion_tokens),
            }),
          },
        ]
      : []),
    ...(speed === null
      ? []
      : [{ label: t("Speed"), value: t("{{speed}} tokens/s", { speed: speed.toFixed(1) }) }]),
  ];
  return (
    <dl className={classes.figures}>
      {figures.map(({ label, value }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
