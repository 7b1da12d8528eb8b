import type { LogRow } from "@gateway/shared/usage/log";
import { useTranslation } from "react-i18next";
import { billKindText } from "#features/logs/log-labels.ts";
import { cachedShare } from "#lib/cached-share.ts";
import { useFormat } from "#lib/format/quota.ts";
import classes from "#features/logs/logs.module.css";

/** Input tokens, and how many of them came from the provider's cache. */
export function InputCell({ row }: { row: LogRow }) {
  const { t } = useTranslation("logs");
  const format = useFormat();
  const share = cachedShare(row.bill, row.prompt_tokens);
  if (share === 0) return <>{format.whole(row.prompt_tokens)}</>;
  const lines = (row.bill?.lines ?? []).filter((line) => line.kind === "input" || isInputShare(line.kind));
  const parts = lines.map((line) => `${billKindText(t, line.kind)}: ${format.whole(line.amount)}`);
  return (
    <div className={classes.stack} data-right title={parts.join("\n")}>
      <span>{format.whole(row.prompt_tokens)}</span>
      <span className={classes.under}>{t("{{share}} cached", { share: format.percent(share) })}</span>
    </div>
  );
}

function isInputShare(kind: string): boolean {
  return kind.startsWith("cached_") || kind.startsWith("input_");
}
