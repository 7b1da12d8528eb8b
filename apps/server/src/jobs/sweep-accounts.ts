import { forgetOldEvents } from "#domain/channels/channel-events.ts";
import { forgetOldEntries } from "#domain/inbox/inbox.ts";
import { currentTime } from "#platform/clock.ts";
import type { Job } from "./job.ts";

/**
 * Deletes expired sessions, one-time codes and stored responses, old channel events, and old notifications.
 */
export const sweepAccounts: Job = {
  name: "sweep-accounts",
  every: "17 * * * *",
  async run({ db }) {
    const over = { expires_at: { lt: currentTime() } };
    await db.session.deleteMany({ where: over });
    await db.oneTimeCode.deleteMany({ where: over });
    await db.storedResponse.deleteMany({ where: over });
    await forgetOldEvents(db);
    await forgetOldEntries(db);
  },
};
