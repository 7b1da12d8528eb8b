import { claimNotices, dropNotice } from "#domain/tasks/notices.ts";
import { GatewayError } from "#errors.ts";
import { currentTime } from "#platform/clock.ts";
import type { PrismaClient, Task } from "#platform/prisma/client.ts";
import type { postToPublic } from "#platform/public-fetch.ts";
import { taskWireOf } from "#providers/wires/tasks.ts";
import type { RelayServices } from "#relay/core/services.ts";

/**
 * Tells clients who left an address that their task has ended: again and again ever less often, until the address says
 * that it was heard. It must not know what the task was.
 */

const MOST_AT_ONCE = 50;

export interface Teller extends Pick<RelayServices, "settings"> {
  db: PrismaClient;
  /** Reaches public machines only. */
  post: typeof postToPublic;
}

/** One round of notifications that failed so far. */
export async function tellAgain(teller: Teller, now = currentTime()): Promise<void> {
  const tasks = await claimNotices(teller.db, MOST_AT_ONCE, now);
  await Promise.all(tasks.map((task) => tellClient(teller, task)));
}

export async function tellClient({ db, settings, post }: Teller, task: Task): Promise<void> {
  if (task.notify_hook === "") return;
  const wire = taskWireOf(task.platform);
  if (wire === undefined || !settings.current().MjNotifyEnabled) return dropNotice(db, task.id);
  try {
    const { status } = await post(task.notify_hook, JSON.stringify(wire.show(task)));
    if (status >= 200 && status < 300) await dropNotice(db, task.id);
  } catch (error) {
    // It cannot be reached now, or never may be; anything else is a defect.
    if (!(error instanceof GatewayError)) throw error;
  }
}
