/** The budget that the operator set for this account, and its use. Renders nothing without a budget. */
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { BudgetBars } from "#components/budgets/budget-bars.tsx";
import { ownBudgetQuery } from "#lib/queries/budgets.ts";
import { Section } from "#ui/page/page.tsx";

export function BudgetCard() {
  const { t } = useTranslation("dashboard");
  const uses = useQuery({ ...ownBudgetQuery, meta: { quiet: true } }).data?.account ?? [];
  if (uses.length === 0) return null;
  return (
    <Section title={t("Your budget")} hint={t("Set by the administrator. Calls above a limit are refused.")}>
      <BudgetBars uses={uses} />
    </Section>
  );
}
