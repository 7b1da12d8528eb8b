/**
 * The wire format of midjourney-proxy, as its servers implement it;
 * midjourney-request.ts decodes its clients' requests.
 */
import { TaskStatus } from "@gateway/shared/channels/task";
import { z } from "zod";
import type { UpstreamError } from "#dialects/ir.ts";
import { asRecord, readAs } from "#dialects/wire.ts";
import { instantOf, type KeptTask, type TaskStanding, type TaskWire, unreadableResult } from "./task.ts";

const Submitted = z.object({
  code: z.number(),
  description: z.string().nullish(),
  result: z.unknown().optional(),
  properties: z.unknown().optional(),
});

/** Codes of success: 1 accepted, 21 already exists, 22 queued. */
const taken = new Set([1, 21, 22]);
const refusals: Record<number, UpstreamError["kind"]> = {
  3: "overloaded",
  4: "bad-request",
  23: "rate-limited",
  24: "bad-request",
};

const Reported = z.object({
  id: z.union([z.string(), z.number()]).transform(String),
  status: z.string().nullish(),
  progress: z.string().nullish(),
  failReason: z.string().nullish(),
  startTime: z.number().nullish(),
  finishTime: z.number().nullish(),
});

export const midjourneyWire: TaskWire = {
  platform: "midjourney",
  minutes: 60,

  accepted(answer) {
    const read = readAs(Submitted, answer);
    if (read === undefined) return unreadableResult();
    const { code, description, result } = read;
    if (!taken.has(code))
      return {
        error: {
          kind: refusals[code] ?? "server",
          message: description ?? "",
          status: 200,
          code: String(code),
        },
      };
    const taskId = typeof result === "string" || typeof result === "number" ? String(result) : "";
    if (taskId === "" || taskId.length > 64) return unreadableResult();
    // Clients expect a single code for success.
    return {
      taskId,
      reply: { ...answer, code: 1, result: taskId },
      data: { description: description ?? "" },
    };
  },

  questions: (tasks) => [
    { method: "POST", path: "/mj/task/list-by-condition", body: { ids: tasks.map((task) => task.task_id) } },
  ],

  standings: (answer) =>
    (Array.isArray(answer) ? answer : []).flatMap((entry): TaskStanding[] => {
      const reported = readAs(Reported, entry);
      if (reported === undefined) return [];
      const value = reported.status === "" ? "NOT_START" : reported.status;
      const status = TaskStatus.safeParse(value).data ?? "UNKNOWN";
      const progress = Number.parseInt(reported.progress ?? "0", 10);
      return [
        {
          taskId: reported.id,
          status,
          progress: status === "SUCCESS" ? 100 : Math.min(99, Math.max(0, progress || 0)),
          failReason: reported.failReason ?? "",
          startTime: instantOf(reported.startTime),
          finishTime: instantOf(reported.finishTime),
          data: asRecord(entry) ?? {},
        },
      ];
    }),

  show(task) {
    const value = asRecord(task.data) ?? {};
    const { properties: _account, ...known } = value;
    return {
      action: task.action,
      prompt: propertyOf(task, "prompt"),
      promptEn: "",
      description: "",
      state: propertyOf(task, "state"),
      imageUrl: "",
      ...known,
      id: task.task_id,
      status: task.status,
      progress: `${task.progress}%`,
      failReason: task.fail_reason,
      submitTime: task.submit_time?.getTime() ?? 0,
      startTime: task.start_time?.getTime() ?? 0,
      finishTime: task.finish_time?.getTime() ?? 0,
    };
  },
};

function propertyOf({ properties }: Pick<KeptTask, "properties">, name: string): string {
  const value = asRecord(properties)?.[name];
  return typeof value === "string" ? value : "";
}
