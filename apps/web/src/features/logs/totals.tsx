import type { LogTotals } from "@gateway/shared/log";
import { useTranslation } from "react-i18next";
import { useFormat } from "#lib/quota.ts";
import classes from "./logs.module.css";

/** Sums over everything the filter lets through, not only over what is loaded. */
export function Totals({ totals, old }: { totals: LogTotals | undefined; old: boolean }) {
  const { t } = useTranslation();
  const format = useFormat();
  const facts: [string, string | undefined][] = [
    [t("Entries"), totals && format.whole(totals.count)],
    [t("Spend"), totals && format.spend(totals.quota)],
    [t("Input tokens"), totals && format.whole(totals.prompt_tokens)],
    [t("Output tokens"), totals && format.whole(totals.completion_tokens)],
  ];
  return (
    <dl className={classes.totals} data-old={old || undefined} aria-label={t("Totals")}>
      {facts.map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value ?? "…"}</dd>
        </div>
      ))}
    </dl>
  );
}
