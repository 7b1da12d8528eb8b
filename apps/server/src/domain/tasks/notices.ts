/**
 * Notifications about the end of a task. The pending notification is stored on the task, together with its
 * end. The process that ends the task notifies the client at once. If it dies or the client does not respond,
 * other nodes try later.
 */
import type { Db } from "#platform/database/db.ts";
import type { Task } from "#platform/prisma/client.ts";

/**
 * Seconds until the next attempt, after each failure. After the last one the client is no longer notified.
 */
const PAUSES = [30, 120, 600, 1_800, 7_200, 21_600, 43_200];

/** Returns the columns to store with the end of a task. */
export function firstNotice(now: Date): { notify_at: Date; notify_count: number } {
  return { notify_at: new Date(now.getTime() + (PAUSES[0] ?? 0) * 1_000), notify_count: 1 };
}

/**
 * Claims tasks whose client must be notified again. They belong to this node until the next pause is over.
 */
export function claimNotices(db: Db, most: number, now: Date): Promise<Task[]> {
  return db.$queryRaw<Task[]>`
    UPDATE tasks SET
      notify_count = notify_count + 1,
      notify_at = ${now}::timestamptz + make_interval(secs => (${PAUSES}::int[])[notify_count + 1])
    WHERE id IN (
      SELECT id FROM tasks WHERE notify_at <= ${now}::timestamptz ORDER BY notify_at LIMIT ${most}
      FOR UPDATE SKIP LOCKED
    ) RETURNING *`;
}

/** Ends the notifications of a task, whether the client received one or not. */
export async function dropNotice(db: Db, id: bigint): Promise<void> {
  await db.task.updateMany({ where: { id }, data: { notify_at: null } });
}
