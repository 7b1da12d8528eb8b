import { forgetOldEvents } from "#domain/channels/channel-events.ts";
import { forgetOldEntries } from "#domain/inbox/inbox.ts";
import { forgetSessions } from "#domain/ledger/calls/session-budgets.ts";
import { forgetQuotes } from "#domain/quotes/quotes.ts";
import { forgetBeyondLimits } from "#domain/responses/stored.ts";
import { forgetDerivedKeys } from "#domain/tokens/derived-keys/derived-keys.ts";
import { currentTime } from "#platform/clock.ts";
import type { Job } from "./job.ts";

/**
 * Deletes expired sessions, one-time codes, quotes and stored responses, old channel events, old notifications,
 * budgets of sessions that ended long ago, and expired derived keys.
 */
export const sweepAccounts: Job = {
  name: "sweep-accounts",
  every: "17 * * * *",
  async run({ db, pool }) {
    const over = { expires_at: { lt: currentTime() } };
    await db.session.deleteMany({ where: over });
    await db.oneTimeCode.deleteMany({ where: over });
    await db.storedResponse.deleteMany({ where: over });
    await forgetBeyondLimits(db);
    await forgetOldEvents(db);
    await forgetOldEntries(db);
    await forgetSessions(pool);
    await forgetQuotes(pool);
    await forgetDerivedKeys(pool);
  },
};
