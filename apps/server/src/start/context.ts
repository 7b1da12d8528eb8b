import type { Logger } from "pino";
import type { Env } from "#env.ts";
import type { PaymentGateways } from "#payments/index.ts";
import type { LogRing } from "#platform/log.ts";

/** What every part of the start may need. */
export interface Context {
  env: Env;
  log: Logger;
  logRing: LogRing;
  /** Background work failed; the process goes on. */
  onError(error: unknown): void;
  options: Required<StartOptions>;
}

/** For tests, whose pictures, files and payment gateways are on this machine. */
export interface StartOptions {
  /** Which addresses callers may name. */
  mayReach?: (address: string) => boolean;
  paymentGateways?: PaymentGateways;
}
