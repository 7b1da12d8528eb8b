import type { MidjourneyRow, TaskPlatform, TaskQuery, TaskRow } from "@gateway/shared/channels/task";
import { TaskStatus } from "@gateway/shared/channels/task";
import { asRecord } from "#dialects/wire.ts";
import { unixTime } from "#platform/clock.ts";
import type { Db } from "#platform/database/db.ts";
import type { Prisma, Task } from "#platform/prisma/client.ts";
import { refundReference } from "./tasks.ts";

/** View of the task list. An owner sees neither the tasks of other users nor the channels. */
export type TaskView = { of: "everybody" } | { of: "owner"; userId: number };

export interface TaskSearch extends Omit<
  TaskQuery,
  "page" | "size" | "order" | "platform" | "start_timestamp" | "end_timestamp"
> {
  platforms: readonly TaskPlatform[];
  /** Range of the submission time; undefined means open. */
  from: Date | undefined;
  to: Date | undefined;
}

interface TaskWithNames {
  task: Task;
  username: string;
  channelName: string;
  refunded: boolean;
}

export async function searchTasks(
  db: Db,
  view: TaskView,
  search: TaskSearch,
  slice: Pick<Prisma.TaskFindManyArgs, "skip" | "take" | "orderBy">,
): Promise<{ found: TaskWithNames[]; total: number }> {
  const where = conditions(view, search);
  const [tasks, total] = await Promise.all([
    db.task.findMany({ where, ...slice, include: { user: { select: { username: true } } } }),
    db.task.count({ where }),
  ]);
  const failed = tasks.filter((task) => task.status === "FAILURE");
  const [channels, refunds] = await Promise.all([
    db.channel.findMany({
      where: { id: { in: tasks.map((task) => task.channel_id) } },
      select: { id: true, name: true },
    }),
    db.ledgerEntry.findMany({
      where: { kind: "task", reference: { in: failed.map((task) => refundReference(task.id)) } },
      select: { reference: true },
    }),
  ]);
  const names = new Map(channels.map((channel) => [channel.id, channel.name]));
  const given = new Set(refunds.map((entry) => entry.reference));
  const hidden = view.of === "owner";
  const found = tasks.map(({ user, ...task }) => ({
    task: hidden ? { ...task, channel_id: 0 } : task,
    username: user.username,
    channelName: hidden ? "" : (names.get(task.channel_id) ?? ""),
    refunded: given.has(refundReference(task.id)),
  }));
  return { found, total };
}

function conditions(view: TaskView, search: TaskSearch): Prisma.TaskWhereInput {
  const everybody = view.of === "everybody";
  const { from, to } = search;
  return {
    platform: { in: [...search.platforms] },
    ...(search.action === "" ? {} : { action: { equals: search.action, mode: "insensitive" } }),
    ...(search.status === "" ? {} : { status: search.status }),
    ...(search.task_id === "" ? {} : { task_id: search.task_id }),
    ...(search.token_id === 0 ? {} : { token_id: search.token_id }),
    ...(everybody && search.user_ids.length > 0 ? { AND: { user_id: { in: search.user_ids } } } : {}),
    ...(everybody && search.channel_id !== 0 ? { channel_id: search.channel_id } : {}),
    ...(everybody ? (search.user_id === 0 ? {} : { user_id: search.user_id }) : { user_id: view.userId }),
    ...(from === undefined && to === undefined
      ? {}
      : { submit_time: { ...(from ? { gte: from } : {}), ...(to ? { lte: to } : {}) } }),
  };
}

function about({ task, username, channelName, refunded }: TaskWithNames) {
  const { id, action, model, user_id, token_id, channel_id, fail_reason } = task;
  return {
    id: Number(id),
    action,
    model,
    user_id,
    username,
    token_id,
    channel_id,
    channel_name: channelName,
    fail_reason,
    status: TaskStatus.safeParse(task.status).data ?? ("UNKNOWN" as const),
    quota: Number(task.quota),
    refunded,
  };
}

export function describeTask(found: TaskWithNames): TaskRow {
  const { task } = found;
  const { start_time, finish_time } = task;
  return {
    ...about(found),
    task_id: task.task_id,
    platform: task.platform as TaskPlatform,
    prompt: textAt(task.properties, "prompt"),
    progress: task.progress,
    submit_time: unixTime(task.submit_time ?? task.created_at),
    start_time: start_time === null ? null : unixTime(start_time),
    finish_time: finish_time === null ? null : unixTime(finish_time),
    data: task.data,
  };
}

export function describeMidjourney(found: TaskWithNames): MidjourneyRow {
  const { task } = found;
  return {
    ...about(found),
    mj_id: task.task_id,
    // A task that was not accepted has no row.
    code: 1,
    mode: textAt(task.properties, "mode").toUpperCase(),
    prompt: textAt(task.properties, "prompt") || textAt(task.data, "prompt"),
    prompt_en: textAt(task.data, "promptEn"),
    description: textAt(task.data, "description"),
    state: textAt(task.properties, "state"),
    image_url: textAt(task.data, "imageUrl"),
    progress: `${task.progress}%`,
    submit_time: (task.submit_time ?? task.created_at).getTime(),
    start_time: task.start_time?.getTime() ?? 0,
    finish_time: task.finish_time?.getTime() ?? 0,
  };
}

function textAt(value: unknown, name: string): string {
  const text = asRecord(value)?.[name];
  return typeof text === "string" ? text : "";
}
