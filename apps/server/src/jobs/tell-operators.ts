import { collectBudgetNotices } from "#domain/budgets/budget-notices.ts";
import { collectAccountChanges, collectRefusedCalls } from "#domain/notices/collect-own.ts";
import { collectChannelEvents, remindOfBalances } from "#domain/notices/collect.ts";
import { deliverNotices, planNotices } from "#domain/notices/deliver.ts";
import type { Job } from "./job.ts";

/** Tells operators what happened since the last minute, and people that their balance runs low. */
export const tellOperators: Job = {
  name: "tell-operators",
  every: "* * * * *",
  async run({ db, telling, onError }) {
    await collectChannelEvents(db);
    await collectBudgetNotices(db, telling.settings());
    await collectRefusedCalls(db);
    await collectAccountChanges(db);
    await planNotices(telling);
    await deliverNotices(telling);
    try {
      await remindOfBalances(db, telling.settings(), telling.mailer);
    } catch (error) {
      // The next run tries again; operators cannot be told by mail that mail does not work.
      onError(error);
    }
  },
};
