import type { TaskRecord } from "#migration/records.ts";
import { int, points, text, truncateText } from "#migration/row.ts";
import type { SourceRow } from "#migration/sources/source.ts";

/** What differs between the tables of tasks. */
interface TaskFields extends Pick<TaskRecord, "taskId" | "platform" | "properties" | "data"> {
  tokenId?: number;
  notifyHook?: string;
  /** Column of the time at which the row was created. */
  createdAt: string;
  /** Reads a time in the unit of the table. */
  time(row: SourceRow, column: string): Date | undefined;
}

/** Returns a task with the columns that all products have. */
export function taskOf(
  row: SourceRow,
  { createdAt, time, tokenId = 0, notifyHook = "", ...fields }: TaskFields,
): TaskRecord {
  return {
    ...fields,
    tokenId,
    notifyHook,
    action: truncateText(text(row, "action"), 40),
    status: text(row, "status") || "NOT_START",
    userId: int(row, "user_id"),
    channelId: int(row, "channel_id"),
    quota: points(row, "quota"),
    // Some products store "100%".
    progress: Number(/^\d{1,3}/.exec(text(row, "progress"))?.[0] ?? 0),
    failReason: truncateText(text(row, "fail_reason"), 2_000),
    submitTime: time(row, "submit_time"),
    startTime: time(row, "start_time"),
    finishTime: time(row, "finish_time"),
    createdAt: time(row, createdAt),
  };
}
