/** The fields of a task that both lists show. Pure. */
import type { MidjourneyRow, TaskRow } from "@gateway/shared/channels/task";

type Common = Pick<
  TaskRow,
  | "id"
  | "action"
  | "status"
  | "model"
  | "username"
  | "user_id"
  | "channel_id"
  | "channel_name"
  | "quota"
  | "refunded"
  | "fail_reason"
  | "prompt"
>;

/** Times in unix seconds; null for events that have not happened. */
export type TaskSummary = Common & {
  taskId: string;
  percent: number;
  submitted: number;
  finished: number | null;
};

export function summarizeTask(row: TaskRow): TaskSummary {
  return {
    ...row,
    taskId: row.task_id,
    percent: row.progress,
    submitted: row.submit_time,
    finished: row.finish_time,
  };
}

export function summarizePicture(row: MidjourneyRow): TaskSummary {
  return {
    ...row,
    taskId: row.mj_id,
    percent: Number.parseInt(row.progress, 10) || 0,
    submitted: Math.floor(row.submit_time / 1_000),
    finished: row.finish_time === 0 ? null : Math.floor(row.finish_time / 1_000),
  };
}
