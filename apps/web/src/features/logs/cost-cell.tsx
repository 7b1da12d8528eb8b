import type { LogRow } from "@gateway/shared/usage/log";
import { LogType } from "@gateway/shared/usage/log-type";
import { Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Amount } from "#components/amount.tsx";

/**
 * The amount that the entry deducted from or added to the balance.
 * @param column its column in a table; undefined elsewhere
 */
export function CostCell({ row, column }: { row: LogRow; column?: string }) {
  const { t } = useTranslation();
  if (row.quota === 0)
    return (
      <Text span c="dimmed" fz="inherit">
        {row.type === LogType.consume ? t("Free") : "–"}
      </Text>
    );
  const note = row.estimated ? t("Tokens counted by the gateway") : undefined;
  if (row.type !== LogType.consume)
    return (
      <Text span fz="inherit" c={row.quota > 0 ? "green" : undefined} fw={500}>
        {row.quota > 0 ? "+" : ""}
        <Amount column={column} points={row.quota} />
      </Text>
    );
  return (
    <Text span fz="inherit" fw={500}>
      {row.estimated ? "≈ " : ""}
      <Amount column={column} points={row.quota} note={note} charge />
    </Text>
  );
}
