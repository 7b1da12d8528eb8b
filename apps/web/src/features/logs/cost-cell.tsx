import { type LogRow, LogType } from "@gateway/shared/usage/log";
import { Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Amount } from "#components/amount.tsx";
import type { useFormat } from "#lib/quota.ts";

type Format = ReturnType<typeof useFormat>;

/** The amount that the entry deducted from or added to the balance. */
export function CostCell({ row, format }: { row: LogRow; format: Format }) {
  const { t } = useTranslation();
  if (row.quota === 0)
    return (
      <Text span c="dimmed" fz="inherit">
        {row.type === LogType.consume ? t("Free") : "–"}
      </Text>
    );
  if (row.type !== LogType.consume)
    return (
      <Text span fz="inherit" c={row.quota > 0 ? "green" : undefined} fw={500}>
        {row.quota > 0 ? "+" : ""}
        <Amount points={row.quota} />
      </Text>
    );
  const exact = t("{{points}} points", { count: row.quota, points: format.whole(row.quota) });
  return (
    <Text
      span
      fz="inherit"
      fw={500}
      // A title instead of a tooltip, because there are hundreds of rows.
      title={row.estimated ? `${exact} · ${t("Tokens counted by the gateway")}` : exact}
    >
      {row.estimated ? "≈ " : ""}
      {format.charge(row.quota)}
    </Text>
  );
}
