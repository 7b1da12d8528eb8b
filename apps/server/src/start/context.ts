import type { Logger } from "pino";
import type { Env } from "#env.ts";
import type { PaymentGateways } from "#payments/index.ts";
import type { LogRing } from "#platform/log.ts";
import type { WorkerLink } from "./workers/link.ts";

/** What every part of the start may need. */
export interface Context {
  env: Env;
  log: Logger;
  logRing: LogRing;
  /** Background work failed; the process goes on. */
  onError(error: unknown): void;
  options: Required<StartOptions>;
  /** In a process that is one of several workers. */
  worker: WorkerLink | undefined;
}

/** A process that runs, from its start to its end. */
export interface Running {
  /** Serves on for DRAIN_SECONDS, lets calls finish for STOP_SECONDS, and closes everything. */
  stop(): Promise<void>;
  /** Why the process cannot go on, if that ever happens. */
  failed?: Promise<Error>;
}

/** For tests, whose pictures, files and payment gateways are on this machine. */
export interface StartOptions {
  /** Which addresses callers may name. */
  mayReach?: (address: string) => boolean;
  paymentGateways?: PaymentGateways;
  /** The process is not the gateway's own: what it has loaded is not collected before the gateway listens. */
  keepStartMemory?: boolean;
}
