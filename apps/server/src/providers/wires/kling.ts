/**
 * Kling's own wire format for videos. https://app.klingai.com/global/dev/document-api, read 2026-11-21. The
 * provider definition maps its error codes.
 */
import type { TaskStatus } from "@gateway/shared/channels/task";
import { lookupTable } from "@gateway/shared/lookup-table";
import { z } from "zod";
import type { Wire } from "#dialects/dialect.ts";
import { asRecord, parseAt, readAs } from "#dialects/wire.ts";
import { invalidRequest } from "#errors.ts";
import {
  type TaskRequest,
  instantOf,
  type KeptTask,
  type TaskStanding,
  type TaskWire,
  unreadableResult,
} from "./task.ts";

const actions = ["text2video", "image2video"] as const;

const Requested = z.object({
  model_name: z.string().min(1).max(80).default("kling-v1"),
  mode: z.enum(["std", "pro"]).default("std"),
  duration: z.union([z.literal("5"), z.literal("10"), z.literal(5), z.literal(10)]).default("5"),
  prompt: z.string().max(20_000).nullish(),
  callback_url: z.string().max(2_000).nullish(),
});

/**
 * Decodes a request.
 * @param action `text2video` or `image2video`
 */
export function readKling(action: string, body: Wire): TaskRequest {
  if (!actions.some((known) => known === action)) throw invalidRequest({ reason: "kling_kind" });
  const { model_name, mode, duration, prompt, callback_url } = parseAt(Requested, body, "");
  const { callback_url: _hook, ...rest } = body;
  return {
    action,
    // Billing needs the kind and length of the video; the provider expects them in separate fields.
    model: `kling-video_${model_name.replace(/^kling-/, "")}_${mode}_${duration}`,
    prompt: prompt ?? "",
    path: `/v1/videos/${action}`,
    bodyFor: () => ({ ...rest, model_name, mode, duration: String(duration) }),
    notifyHook: callback_url ?? "",
    properties: {},
  };
}

const Answer = z.object({ code: z.number(), message: z.string().nullish(), data: z.unknown().optional() });
const Reported = z.object({
  task_id: z.string().min(1).max(64),
  task_status: z.string(),
  task_status_msg: z.string().nullish(),
  created_at: z.number().nullish(),
  updated_at: z.number().nullish(),
});

const statuses = lookupTable<{ status: TaskStatus; progress: number }>({
  submitted: { status: "SUBMITTED", progress: 10 },
  processing: { status: "IN_PROGRESS", progress: 50 },
  succeed: { status: "SUCCESS", progress: 100 },
  failed: { status: "FAILURE", progress: 100 },
});

export const klingWire: TaskWire = {
  platform: "kling",
  minutes: 180,

  accepted(answer) {
    const read = readAs(Answer, answer);
    if (read === undefined) return unreadableResult();
    const message = read.message ?? "";
    if (read.code !== 0) return { error: { kind: "server", message, status: 200, code: String(read.code) } };
    const reported = readAs(Reported, read.data);
    if (reported === undefined) return unreadableResult();
    return { taskId: reported.task_id, reply: answer, data: asRecord(read.data) ?? {} };
  },

  questions: (tasks) =>
    tasks.map(({ action, task_id }) => ({
      method: "GET",
      path: `/v1/videos/${action}/${encodeURIComponent(task_id)}`,
      body: null,
    })),

  standings(answer): TaskStanding[] {
    const read = readAs(Answer, answer);
    const reported = readAs(Reported, read?.data);
    if (read?.code !== 0 || reported === undefined) return [];
    const known = statuses[reported.task_status] ?? { status: "UNKNOWN", progress: 0 };
    const ended = known.progress === 100;
    return [
      {
        taskId: reported.task_id,
        ...known,
        failReason: known.status === "FAILURE" ? (reported.task_status_msg ?? "") : "",
        startTime: instantOf(reported.created_at),
        finishTime: ended ? instantOf(reported.updated_at) : undefined,
        data: asRecord(read.data) ?? {},
      },
    ];
  },

  show: (task) => ({
    code: 0,
    message: "SUCCEED",
    data: { task_id: task.task_id, ...asRecord(task.data), ...endOf(task) },
  }),
};

/**
 * Returns our own end state. A task can end without its provider;
 * our state then overrides the provider's last one.
 */
function endOf({ status, fail_reason }: KeptTask): Wire {
  return status === "FAILURE" ? { task_status: "failed", task_status_msg: fail_reason } : {};
}
