/** Wire format of servers that generate songs with Suno. */
import { TaskStatus } from "@gateway/shared/channels/task";
import { z } from "zod";
import type { Wire } from "#dialects/dialect.ts";
import { asRecord, parseAt, readAs } from "#dialects/wire.ts";
import { invalidRequest } from "#errors.ts";
import {
  type TaskRequest,
  instantOf,
  secondsOf,
  type TaskStanding,
  type TaskWire,
  unreadableResult,
} from "./task.ts";

const DEFAULT_MODEL = "chirp-v3-0";

const Music = z.object({
  gpt_description_prompt: z.string().max(20_000).nullish(),
  prompt: z.string().max(20_000).nullish(),
  mv: z.string().min(1).max(100).nullish(),
  title: z.string().nullish(),
  task_id: z.string().max(64).nullish(),
  continue_clip_id: z.string().nullish(),
  notify_hook: z.string().max(2_000).nullish(),
});
const Lyrics = z.object({
  prompt: z.string().min(1).max(20_000),
  notify_hook: z.string().max(2_000).nullish(),
});

/**
 * Decodes a request.
 * @param name `music` or `lyrics`, in any case
 */
export function readSuno(name: string, body: Wire): TaskRequest {
  const action = name.toUpperCase();
  const path = `/suno/submit/${action.toLowerCase()}`;
  const { notify_hook: _hook, ...rest } = body;
  if (action === "LYRICS") {
    const { prompt, notify_hook } = parseAt(Lyrics, body, "");
    const reported = { notifyHook: notify_hook ?? "", properties: {} };
    return { action, model: "suno_lyrics", prompt, path, bodyFor: () => rest, ...reported };
  }
  if (action !== "MUSIC") throw invalidRequest({ reason: "suno_kind" });
  const requested = parseAt(Music, body, "");
  return {
    action,
    model: requested.mv ?? DEFAULT_MODEL,
    prompt: requested.gpt_description_prompt || requested.prompt || requested.title || "",
    path,
    bodyFor: (model) => ({ ...rest, mv: model }),
    notifyHook: requested.notify_hook ?? "",
    properties: {},
  };
}

/**
 * Returns the id of the task whose song this request continues; a provider finds it only where it was
 * created. Throws `invalid_request`.
 */
export function sunoOrigin(body: Wire): string | undefined {
  const { continue_clip_id, task_id } = parseAt(Music, body, "");
  if (continue_clip_id === undefined || continue_clip_id === null || continue_clip_id === "")
    return undefined;
  if (task_id === undefined || task_id === null || task_id === "")
    throw invalidRequest({ reason: "suno_task_id" }, { param: "task_id" });
  return task_id;
}

const Accepted = z.object({ code: z.string(), message: z.string().nullish(), data: z.unknown().optional() });

const Reported = z.object({
  task_id: z.string(),
  status: z.string().nullish(),
  fail_reason: z.string().nullish(),
  progress: z.union([z.string(), z.number()]).nullish(),
  start_time: z.number().nullish(),
  finish_time: z.number().nullish(),
  data: z.unknown().optional(),
});

export const sunoWire: TaskWire = {
  platform: "suno",
  minutes: 60,

  accepted(answer) {
    const read = readAs(Accepted, answer);
    if (read === undefined) return unreadableResult();
    const { code, message, data } = read;
    if (code !== "success") {
      const kind = code === "invalid_request" ? "bad-request" : "server";
      return { error: { kind, message: message ?? "", status: 200, code } };
    }
    if (typeof data !== "string" || data === "" || data.length > 64) return unreadableResult();
    return { taskId: data, reply: { code: "success", message: "", data }, data: {} };
  },

  questions: (tasks) => [
    { method: "POST", path: "/suno/fetch", body: { ids: tasks.map((task) => task.task_id) } },
  ],

  standings(answer) {
    const list = asRecord(answer)?.["data"];
    return (Array.isArray(list) ? list : []).flatMap((entry): TaskStanding[] => {
      const reported = readAs(Reported, entry);
      if (reported === undefined) return [];
      const status = TaskStatus.safeParse(reported.status).data ?? "UNKNOWN";
      const progress = Number.parseInt(String(reported.progress ?? 0), 10);
      return [
        {
          taskId: reported.task_id,
          status,
          progress: status === "SUCCESS" ? 100 : Math.min(99, Math.max(0, progress || 0)),
          failReason: reported.fail_reason ?? "",
          startTime: instantOf((reported.start_time ?? 0) * 1_000),
          finishTime: instantOf((reported.finish_time ?? 0) * 1_000),
          data: { data: withoutOwner(reported.data) },
        },
      ];
    });
  },

  show: (task) => ({
    task_id: task.task_id,
    action: task.action,
    status: task.status,
    fail_reason: task.fail_reason,
    submit_time: secondsOf(task.submit_time),
    start_time: secondsOf(task.start_time),
    finish_time: secondsOf(task.finish_time),
    progress: `${task.progress}%`,
    data: asRecord(task.data)?.["data"] ?? null,
  }),
};

/** Removes the owner's account at the provider, which the client must not see. */
function withoutOwner(data: unknown): unknown {
  if (Array.isArray(data)) return data.map(withoutOwner);
  const entry = asRecord(data);
  return entry !== undefined && "user_id" in entry ? { ...entry, user_id: "" } : data;
}
