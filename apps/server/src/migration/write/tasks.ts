import type { TaskRecord } from "#migration/records.ts";
import { findExistingIds, inBatches, type WriteContext } from "./write-context.ts";

const ended = new Set(["SUCCESS", "FAILURE"]);

/** Unfinished tasks go on where their channel is enabled; others have failed. */
export async function writeTasks(context: WriteContext, records: AsyncIterable<TaskRecord>): Promise<void> {
  const { tx, book, now } = context;
  await inBatches(context, "tasks", records, async (batch) => {
    const owners = await findExistingIds(
      tx,
      "users",
      batch.map((task) => task.userId),
    );
    const channels = await tx.channel.findMany({
      where: { id: { in: batch.map((task) => task.channelId) }, status: 1, deleted_at: null },
      select: { id: true },
    });
    const working = new Set(channels.map((channel) => channel.id));
    const fitting = batch.filter((task) => {
      const fits = owners.has(task.userId) && task.taskId.length <= 64;
      if (!fits) book.skip("tasks", "task_orphan", task.taskId);
      return fits;
    });
    const { count } = await tx.task.createMany({
      data: fitting.map((task) => {
        const goesOn = ended.has(task.status) || working.has(task.channelId);
        if (!goesOn) book.attention("task_ended", task.taskId);
        return {
          task_id: task.taskId,
          platform: task.platform,
          action: task.action,
          status: goesOn ? task.status.slice(0, 20) : "FAILURE",
          user_id: task.userId,
          token_id: task.tokenId,
          channel_id: task.channelId,
          quota: task.quota,
          progress: Math.min(100, Math.max(0, task.progress)),
          fail_reason: task.failReason,
          submit_time: task.submitTime ?? null,
          start_time: task.startTime ?? null,
          finish_time: task.finishTime ?? (goesOn ? null : now),
          properties: task.properties,
          data: task.data,
          notify_hook: task.notifyHook,
          created_at: task.createdAt ?? task.submitTime ?? now,
        };
      }),
      skipDuplicates: true,
    });
    for (let repeated = fitting.length - count; repeated > 0; repeated -= 1)
      book.skip("tasks", "task_repeated");
    book.imported("tasks", count);
  });
}
