import type { TaskPlatform, TaskStatus } from "@gateway/shared/channels/task";
import type { Wire } from "#dialects/dialect.ts";
import type { UpstreamError } from "#dialects/ir.ts";

/** A client's request to a task provider, decoded. */
export interface TaskRequest {
  /** Kind of work, in the wire format's own terms, e.g. MUSIC. */
  action: string;
  /** Model name that is billed; selects the channel and the price. */
  model: string;
  prompt: string;
  /** Path of the upstream request, below the channel's base URL. */
  path: string;
  /** Returns the body for a provider that uses this model name. */
  bodyFor(model: string): Wire;
  /** "" means no notification. Never sent to the provider. */
  notifyHook: string;
  /** Values that the wire format needs to show the task later. */
  properties: Record<string, string>;
}

/** A task that a provider accepted. */
export interface AcceptedTask {
  taskId: string;
  /** Response to the client. */
  reply: Wire;
  /** The task as the provider describes it at this point. */
  data: Wire;
}

/** State of a task, as a provider reports it. */
export interface TaskStanding {
  taskId: string;
  status: TaskStatus;
  /** Percent. */
  progress: number;
  failReason: string;
  startTime: Date | undefined;
  finishTime: Date | undefined;
  /** The task in the provider's format. */
  data: Wire;
}

/** A request to a provider for the state of tasks. */
export interface TaskQuestion {
  method: "GET" | "POST";
  path: string;
  body: Wire | null;
}

/** A stored task, as a wire format needs it to show it. */
export interface KeptTask {
  task_id: string;
  action: string;
  status: string;
  progress: number;
  fail_reason: string;
  submit_time: Date | null;
  start_time: Date | null;
  finish_time: Date | null;
  /** As in `TaskRequest` and `TaskStanding`. */
  properties: unknown;
  data: unknown;
}

/**
 * Wire format of a provider that completes work asynchronously: how tasks are accepted, queried and shown.
 * Pure. Clients and providers of one platform use the same format, so nothing is translated, only read.
 */
export interface TaskWire {
  platform: TaskPlatform;
  /** Minutes after which a task counts as failed. */
  minutes: number;
  accepted(answer: Wire): AcceptedTask | { error: UpstreamError };
  /** Returns the fewest requests that report the state of all these tasks. */
  questions(tasks: readonly Pick<KeptTask, "task_id" | "action">[]): TaskQuestion[];
  /** Returns the task states in a response; entries that cannot be read are omitted. */
  standings(answer: unknown): TaskStanding[];
  /** Returns the task in the format that clients of this wire expect. */
  show(task: KeptTask): Wire;
}

/** Returns seconds since 1970, or 0 when there is no instant. */
export function secondsOf(instant: Date | null): number {
  return instant === null ? 0 : Math.floor(instant.getTime() / 1_000);
}

/** The year 10000, in milliseconds. */
const LATEST_MS = 253_402_300_800_000;

/** Returns undefined when there is no instant; some providers send 0 for it, some nothing. */
export function instantOf(milliseconds: number | null | undefined): Date | undefined {
  // A provider's number may be outside of what a date, or a column of Postgres, can hold.
  return milliseconds === undefined ||
    milliseconds === null ||
    !(milliseconds > 0 && milliseconds < LATEST_MS)
    ? undefined
    : new Date(milliseconds);
}

export function unreadableResult(): { error: UpstreamError } {
  return { error: { kind: "server", message: "The provider's response cannot be read.", status: 200 } };
}
