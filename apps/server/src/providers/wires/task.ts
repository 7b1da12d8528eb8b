import type { TaskPlatform, TaskStatus } from "@gateway/shared/channels/task";
import type { Wire } from "#dialects/dialect.ts";
import type { UpstreamError } from "#dialects/ir.ts";

/** What a client asked a task provider for, read once. */
export interface TaskRequest {
  /** What kind of work, in the wire's own words, e.g. MUSIC. */
  action: string;
  /** What it is sold as; chooses the channel and the price. */
  model: string;
  prompt: string;
  /** Where it is sent, below the channel's address. */
  path: string;
  /** The body for a provider that knows the model by this name. */
  bodyFor(model: string): Wire;
  /** "" = no notification. It is never sent to the provider. */
  notifyHook: string;
  /** Facts that the wire wants back when it shows the task. */
  properties: Record<string, string>;
}

/** A provider took the work on. */
export interface AcceptedTask {
  taskId: string;
  /** What the client is answered. */
  reply: Wire;
  /** The task as the provider describes it so far. */
  data: Wire;
}

/** What a provider says of a task. */
export interface TaskStanding {
  taskId: string;
  status: TaskStatus;
  /** Percent. */
  progress: number;
  failReason: string;
  startTime: Date | undefined;
  finishTime: Date | undefined;
  /** The task in the provider's words. */
  data: Wire;
}

/** A question to a provider about tasks. */
export interface TaskQuestion {
  method: "GET" | "POST";
  path: string;
  body: Wire | null;
}

/** A task as a wire needs it to show it. */
export interface KeptTask {
  task_id: string;
  action: string;
  status: string;
  progress: number;
  fail_reason: string;
  submit_time: Date | null;
  start_time: Date | null;
  finish_time: Date | null;
  /** As `AskedTask` and `TaskStanding` had them. */
  properties: unknown;
  data: unknown;
}

/**
 * The wire of a provider whose answers come later: how work is taken on, asked for and shown. Pure. Clients and providers
 * of one platform speak the same wire, so there is nothing to translate, only to read.
 */
export interface TaskWire {
  platform: TaskPlatform;
  /** After so many minutes it is a failure. */
  minutes: number;
  accepted(answer: Wire): AcceptedTask | { error: UpstreamError };
  /** The fewest questions that tell how all of these stand. */
  questions(tasks: readonly Pick<KeptTask, "task_id" | "action">[]): TaskQuestion[];
  /** What an answer says; entries that cannot be read are left out. */
  standings(answer: unknown): TaskStanding[];
  /** The task as this wire's clients know it. */
  show(task: KeptTask): Wire;
}

/** Seconds since 1970, 0 for what has not happened. */
export function secondsOf(instant: Date | null): number {
  return instant === null ? 0 : Math.floor(instant.getTime() / 1_000);
}

/** Undefined for what has not happened, which some say with 0 and some with nothing. */
export function instantOf(milliseconds: number | null | undefined): Date | undefined {
  return milliseconds === undefined || milliseconds === null || milliseconds <= 0
    ? undefined
    : new Date(milliseconds);
}

export function unreadable(): { error: UpstreamError } {
  return { error: { kind: "server", message: "The upstream's answer is not readable.", status: 200 } };
}
