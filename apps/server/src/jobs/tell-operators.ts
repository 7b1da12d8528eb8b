import { mailBudgetOwners } from "#domain/budgets/budget-mails.ts";
import { collectBudgetNotices } from "#domain/budgets/budget-notices.ts";
import { collectAccountChanges, collectRefusedCalls } from "#domain/notices/collect-own.ts";
import { collectChannelEvents, remindOfBalances } from "#domain/notices/collect.ts";
import { deliverNotices, planNotices } from "#domain/notices/deliver.ts";
import type { Job } from "./job.ts";

/** Notifies administrators of recent events, and users of low balances and budgets. */
export const tellOperators: Job = {
  name: "tell-operators",
  every: "* * * * *",
  restingEvery: "*/5 * * * *",
  async run({ db, telling, onError }) {
    await collectChannelEvents(db);
    await collectBudgetNotices(db, telling.settings());
    await collectRefusedCalls(db);
    await collectAccountChanges(db);
    await planNotices(telling);
    await deliverNotices(telling);
    for (const mailUsers of [remindOfBalances, mailBudgetOwners])
      try {
        await mailUsers(db, telling.settings(), telling.mailer);
      } catch (error) {
        // The next run tries again. A mail failure cannot be reported by mail.
        onError(error);
      }
  },
};
