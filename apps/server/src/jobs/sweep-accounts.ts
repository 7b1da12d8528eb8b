import { forgetOldEvents } from "#domain/channels/channel-events.ts";
import { forgetOldEntries } from "#domain/inbox/inbox.ts";
import { forgetSessions } from "#domain/ledger/calls/session-budgets.ts";
import { forgetQuotes } from "#domain/quotes/quotes.ts";
import { forgetBeyondLimits } from "#domain/responses/stored.ts";
import { forgetDerivedKeys } from "#domain/tokens/derived-keys/derived-keys.ts";
import { currentTime } from "#platform/clock.ts";
import type { Job } from "./job.ts";
import { runSteps } from "./run-steps.ts";

/**
 * Deletes expired sessions, one-time codes, quotes and stored responses, old channel events, old notifications,
 * budgets of sessions that ended long ago, and expired derived keys.
 */
export const sweepAccounts: Job = {
  name: "sweep-accounts",
  every: "17 * * * *",
  async run({ db, pool }) {
    const over = { expires_at: { lt: currentTime() } };
    await runSteps([
      () => db.session.deleteMany({ where: over }),
      () => db.oneTimeCode.deleteMany({ where: over }),
      () => db.storedResponse.deleteMany({ where: over }),
      () => forgetBeyondLimits(db),
      () => forgetOldEvents(db),
      () => forgetOldEntries(db),
      () => forgetSessions(pool),
      () => forgetQuotes(pool),
      () => forgetDerivedKeys(pool),
    ]);
  },
};
