import type { Db } from "#platform/database/db.ts";
import type { Task } from "#platform/prisma/client.ts";

/**
 * Who waits to be told that a task has ended. It stands on the task itself, written with its end: whoever ends it tells
 * the client at once, and if that process dies, or no one listens, others do later.
 */

/** Seconds until the next try, after each that failed; after the last the client is not notified any more. */
const PAUSES = [30, 120, 600, 1_800, 7_200, 21_600, 43_200];

/** What the end of a task writes with it. */
export function firstNotice(now: Date): { notify_at: Date; notify_count: number } {
  return { notify_at: new Date(now.getTime() + (PAUSES[0] ?? 0) * 1_000), notify_count: 1 };
}

/** Tasks whose client must be notified again. Until the next pause is over they are this node's. */
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

/** The client has heard it, or is not to hear it. */
export async function dropNotice(db: Db, id: bigint): Promise<void> {
  await db.task.updateMany({ where: { id }, data: { notify_at: null } });
}
