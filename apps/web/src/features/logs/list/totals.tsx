import type { LogTotals } from "@gateway/shared/usage/log";
import { useTranslation } from "react-i18next";
import { useFormat } from "#lib/format/quota.ts";
import classes from "#features/logs/logs.module.css";

type TotalsProps = {
  totals: LogTotals | undefined;
  /** The totals belong to the previous filter. */
  old: boolean;
  failed: boolean;
};

/** Sums over all rows of the filter, not only over the loaded ones. */
export function Totals({ totals, old, failed }: TotalsProps) {
  const { t } = useTranslation("logs");
  const format = useFormat();
  const partial = totals?.complete === false;
  const facts: [string, string | undefined, string?][] = [
    [t("Entries"), totals && (partial ? `≥ ${format.whole(totals.count)}` : format.whole(totals.count))],
    [t("Charged"), totals && format.quota(totals.quota), totals && format.exact(totals.quota)],
    [t("Input tokens"), totals && format.whole(totals.prompt_tokens)],
    [t("Output tokens"), totals && format.whole(totals.completion_tokens)],
  ];
  return (
    <dl
      className={classes.totals}
      data-old={old || undefined}
      // Not drawn until the numbers are known: they need more room, and would move it.
      data-awaited={(!totals && !failed) || undefined}
      aria-label={t("Totals")}
      title={partial ? t("Too many entries match. The totals cover the newest 10,000 entries.") : undefined}
    >
      {facts.map(([label, value, exact]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd title={exact}>{value ?? (failed ? "–" : "…")}</dd>
        </div>
      ))}
    </dl>
  );
}
