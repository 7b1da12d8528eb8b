import type { LogRow } from "@gateway/shared/usage/log";
import { LogType } from "@gateway/shared/usage/log-type";
import { useTranslation } from "react-i18next";
import { Amount } from "#components/amount.tsx";
import classes from "#features/logs/logs.module.css";

/**
 * The amount that the entry deducted from or added to the balance.
 * @param column its column in a table; undefined elsewhere
 */
export function CostCell({ row, column }: { row: LogRow; column?: string }) {
  const { t } = useTranslation("logs");
  if (row.quota === 0)
    return <span className={classes.quiet}>{row.type === LogType.consume ? t("Free") : "–"}</span>;
  const note = row.estimated ? t("Tokens counted by the gateway") : undefined;
  if (row.type !== LogType.consume)
    return (
      <span className={classes.cost} data-credit={row.quota > 0 || undefined}>
        {row.quota > 0 ? "+" : ""}
        <Amount column={column} points={row.quota} sum />
      </span>
    );
  return (
    <span className={classes.cost}>
      {row.estimated ? "≈ " : ""}
      <Amount column={column} points={row.quota} note={note} charge />
    </span>
  );
}
