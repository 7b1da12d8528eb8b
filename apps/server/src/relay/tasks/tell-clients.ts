/**
 * Notifies clients with a callback URL that their task has ended. Retries at growing intervals until the URL
 * returns success. Independent of the kind of task.
 */
import { claimNotices, dropNotice } from "#domain/tasks/notices.ts";
import { GatewayError } from "#errors.ts";
import { currentTime } from "#platform/clock.ts";
import type { postToPublic } from "#platform/http/public-fetch.ts";
import type { PrismaClient, Task } from "#platform/prisma/client.ts";
import { taskWireOf } from "#providers/wires/tasks.ts";
import type { RelayServices } from "#relay/core/services.ts";

const MOST_AT_ONCE = 50;

export interface Teller extends Pick<RelayServices, "settings"> {
  db: PrismaClient;
  /** Reaches public addresses only. */
  post: typeof postToPublic;
}

/** Runs one round of notifications that have failed so far. */
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
    // The URL cannot be reached now, or is never allowed. Other errors are defects.
    if (!(error instanceof GatewayError)) throw error;
  }
}
