import { mailBudgetOwners } from "#domain/budgets/budget-mails.ts";
import { collectBudgetNotices } from "#domain/budgets/budget-notices.ts";
import { collectAccountChanges, collectRefusedCalls } from "#domain/notices/collect-own.ts";
import { collectChannelEvents, remindOfBalances } from "#domain/notices/collect.ts";
import { deliverNotices, planNotices } from "#domain/notices/deliver.ts";
import type { Job } from "./job.ts";
import { runSteps } from "./run-steps.ts";

/** Notifies administrators of recent events, and users of low balances and budgets. */
export const tellOperators: Job = {
  name: "tell-operators",
  every: "* * * * *",
  restingEvery: "*/5 * * * *",
  async run({ db, telling, onError }) {
    // The next run tries again. A mail failure cannot be reported by mail.
    const mail = (mailUsers: typeof remindOfBalances) =>
      mailUsers(db, telling.settings(), telling.mailer).catch(onError);
    await runSteps([
      () => collectChannelEvents(db),
      () => collectBudgetNotices(db, telling.settings()),
      () => collectRefusedCalls(db),
      () => collectAccountChanges(db),
      () => planNotices(telling),
      // Also delivers the notice that a step before has failed.
      () => deliverNotices(telling),
      () => mail(remindOfBalances),
      () => mail(mailBudgetOwners),
    ]);
  },
};
