import { z } from "zod";
import { taskStatuses, taskPlatforms } from "#channels/task-status.ts";
import { Page, PageQuery, Points, UnixTime, queryInt } from "#paging.ts";
export { taskStatuses, taskPlatforms } from "#channels/task-status.ts";

/** Platforms with asynchronous tasks, which finish after the call has returned: songs, videos, pictures. */
export const TaskPlatform = z.enum(["suno", "kling", "midjourney"]);
export type TaskPlatform = z.infer<typeof TaskPlatform>;

export const TaskStatus = z.enum(taskStatuses);
export type TaskStatus = z.infer<typeof TaskStatus>;

const about = {
  id: z.int(),
  action: z.string(),
  status: TaskStatus,
  model: z.string(),
  user_id: z.int(),
  username: z.string(),
  token_id: z.int(),
  /** 0 and "" for users who are not administrators. */
  channel_id: z.int(),
  channel_name: z.string(),
  /** Charged points. */
  quota: Points,
  /** The charge was refunded. */
  refunded: z.boolean(),
  fail_reason: z.string(),
};

/** One entry of GET /api/task and /api/task/self: songs, lyrics and videos. */
export const TaskRow = z.object({
  ...about,
  task_id: z.string(),
  platform: TaskPlatform,
  prompt: z.string(),
  /** Percent. */
  progress: z.int(),
  submit_time: UnixTime,
  start_time: UnixTime.nullable(),
  finish_time: UnixTime.nullable(),
  /** The provider's data of the task, unchanged. */
  data: z.unknown(),
});
export type TaskRow = z.infer<typeof TaskRow>;
export const TaskPage = Page(TaskRow);
export type TaskPage = z.infer<typeof TaskPage>;

const filters = {
  action: z.string().trim().max(40).default(""),
  status: TaskStatus.or(z.literal("")).catch("").default(""),
  task_id: z.string().trim().max(64).default(""),
  token_id: queryInt(z.int().min(0)).catch(0).default(0),
  user_id: queryInt(z.int().min(0)).catch(0).default(0),
  /** Tasks of any of these users; administrators only. */
  user_ids: z
    .preprocess((given) => [given ?? []].flat(), z.array(queryInt(z.int().min(1))).max(100))
    .catch([])
    .default([]),
  channel_id: queryInt(z.int().min(0)).catch(0).default(0),
  /** 0 = unlimited. */
  start_timestamp: queryInt(z.int().min(0)).catch(0).default(0),
  end_timestamp: queryInt(z.int().min(0)).catch(0).default(0),
};

/**
 * Query of the task lists. 0 and "" mean all. Times are seconds and filter the submission time. Users who are
 * not administrators see their own tasks only.
 */
export const TaskQuery = PageQuery.extend({
  platform: z.enum(taskPlatforms).catch("").default(""),
  ...filters,
});
export type TaskQuery = z.infer<typeof TaskQuery>;

/**
 * One entry of GET /api/mj and /api/mj/self. Times are in milliseconds, as everywhere in the Midjourney API.
 */
export const MidjourneyRow = z.object({
  ...about,
  mj_id: z.string(),
  /** The provider's response to the submission; 1 = accepted. */
  code: z.int(),
  /** FAST, TURBO or RELAX. */
  mode: z.string(),
  prompt: z.string(),
  prompt_en: z.string(),
  description: z.string(),
  state: z.string(),
  /** "" until there is a picture. */
  image_url: z.string(),
  /** "NN%" */
  progress: z.string(),
  submit_time: z.int(),
  start_time: z.int(),
  /** 0 until it is finished. */
  finish_time: z.int(),
});
export type MidjourneyRow = z.infer<typeof MidjourneyRow>;
export const MidjourneyPage = Page(MidjourneyRow);
export type MidjourneyPage = z.infer<typeof MidjourneyPage>;

/** Query of the Midjourney lists: like `TaskQuery`, but times are in milliseconds. */
export const MidjourneyQuery = PageQuery.extend({
  ...filters,
  mj_id: z.string().trim().max(64).default(""),
});
export type MidjourneyQuery = z.infer<typeof MidjourneyQuery>;
