import type { Logger } from "pino";
import type { Env } from "#env.ts";
import type { PaymentGateways } from "#payments/index.ts";
import type { Activity } from "#platform/activity.ts";
import type { FailureLog } from "#platform/log/failure-log.ts";
import type { LogRing } from "#platform/log/log.ts";
import type { WorkerLink } from "./workers/link.ts";

/** Dependencies that any part of the start may use. */
export interface Context {
  startedAt: Date;
  env: Env;
  log: Logger;
  logRing: LogRing;
  activity: Activity;
  /** Reports a failure of background work. The process continues. */
  onError: FailureLog["report"];
  failures: FailureLog;
  options: Required<StartOptions>;
  /** Set in a worker process. */
  worker: WorkerLink | undefined;
}

/** A running process. */
export interface Running {
  /** Continues to serve for DRAIN_SECONDS, waits for calls for STOP_SECONDS, then closes everything. */
  stop(): Promise<void>;
  /** Resolves with the reason if the process cannot continue. */
  failed?: Promise<Error>;
}

/** Options for tests, whose images, files and payment gateways are on this machine. */
export interface StartOptions {
  /** Returns whether callers may use a network address. */
  mayReach?: (address: string) => boolean;
  paymentGateways?: PaymentGateways;
  /** The process is not only the gateway, so memory from the start is not released before listening. */
  keepStartMemory?: boolean;
  /** Shorter times between nodes than those of production. */
  nodeTimes?: NodeTimes;
  /** Milliseconds without a request after which the node rests. */
  restAfterMs?: number;
}

/** Milliseconds: between two signs of life, until a silent node counts as dead, between two counts of nodes. */
export interface NodeTimes {
  beatMs?: number;
  silentAfterMs?: number;
  countMs?: number;
}
