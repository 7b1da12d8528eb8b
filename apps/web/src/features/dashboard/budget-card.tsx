/** The budgets of this account, set by the operator or the owner, and their use. Renders nothing without a budget. */
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { BudgetBars } from "#components/budgets/budget-bars.tsx";
import { MonthForecast } from "#components/budgets/month-forecast.tsx";
import { ownBudgetQuery } from "#lib/queries/budgets.ts";
import { Section } from "#ui/page/page.tsx";

export function BudgetCard() {
  const { t } = useTranslation("dashboard");
  const budgets = useQuery({ ...ownBudgetQuery, meta: { quiet: true } }).data;
  if (budgets === undefined) return null;
  const { account: uses, own, month } = budgets;
  return (
    <>
      {uses.length === 0 ? null : (
        <Section
          title={t("Your budget")}
          hint={t("Set by the administrator. Calls above a limit are refused.")}
        >
          <BudgetBars uses={uses} />
        </Section>
      )}
      {own.limit === 0 ? null : (
        <Section
          title={t("Your monthly budget")}
          aside={
            <Button component={Link} to="/panel/statement" variant="default" size="xs">
              {t("Change budget")}
            </Button>
          }
        >
          <MonthForecast own={own} month={month} />
        </Section>
      )}
    </>
  );
}
