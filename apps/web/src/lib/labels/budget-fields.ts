import type { Budget } from "@gateway/shared/accounts/budget";
import { phrase } from "#lib/i18n.ts";

/** Names of the fields of a budget, in English. */
export const budgetFieldNames: Readonly<Record<keyof Budget, string>> = {
  daily_spend: phrase("Daily limit"),
  daily_notify: phrase("Daily notice"),
  weekly_spend: phrase("Weekly limit"),
  weekly_notify: phrase("Weekly notice"),
  monthly_spend: phrase("Monthly limit"),
  monthly_notify: phrase("Monthly notice"),
  session_spend: phrase("Limit of each agent session"),
};
