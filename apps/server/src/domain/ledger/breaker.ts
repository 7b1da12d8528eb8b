import { setTimeout as sleep } from "node:timers/promises";
import { databaseAway, type GatewayError } from "#errors.ts";
import { databaseTrouble, isDiskFull } from "#platform/database/connection-loss.ts";

/**
 * Knows since when the database serves no batch, and refuses calls at once after the first seconds of that. From the
 * first failure on it asks the database twice a second, so that calls begin again as soon as it answers.
 */
export interface Breaker {
  /** Why no call may begin right now; undefined when calls may. */
  refusal(): GatewayError | undefined;
  /** How long nothing has succeeded, in milliseconds, and why; undefined while the database works. */
  trouble(): { forMs: number; error: unknown } | undefined;
  succeeded(): void;
  failed(error: unknown): void;
  close(): Promise<void>;
}

export interface BreakerOptions {
  /** Asks the database. @param full whether its disk was full: then it must try to use space */
  probe(full: boolean): Promise<void>;
  /** Calls are refused when nothing has succeeded for so long. */
  openAfterMs: number;
  /** What an operator should read: the beginning and the end of a failure. */
  onChange(message: string, error?: unknown): void;
}

const probeEveryMs = 500;
/** A full disk counts for so long after the last failed batch: a probe may find a page that was still free. */
const fullForMs = 5_000;
const fullOpenAfterMs = 2_000;

export function createBreaker({ probe, openAfterMs, onChange }: BreakerOptions): Breaker {
  let failure: { since: number; last: number; error: unknown } | undefined;
  let probing: Promise<void> | undefined;
  const closing = new AbortController();

  function succeeded(): void {
    if (failure === undefined) return;
    const seconds = Math.round((performance.now() - failure.since) / 100) / 10;
    failure = undefined;
    onChange(`The database works again after ${seconds} s.`);
  }

  async function watch(): Promise<void> {
    while (failure !== undefined && !closing.signal.aborted) {
      await sleep(probeEveryMs, undefined, { signal: closing.signal, ref: false }).catch(() => undefined);
      if (failure === undefined || closing.signal.aborted) return;
      const full = isDiskFull(failure.error);
      try {
        await probe(full);
      } catch (error) {
        if (failure !== undefined) failure.error = error;
        continue;
      }
      if (failure === undefined) return;
      if (!full || performance.now() - failure.last > fullForMs) succeeded();
    }
  }

  return {
    refusal() {
      if (failure === undefined) return undefined;
      const wait = isDiskFull(failure.error) ? Math.min(fullOpenAfterMs, openAfterMs) : openAfterMs;
      if (performance.now() - failure.since < wait) return undefined;
      return databaseTrouble(failure.error) ?? databaseAway(failure.error);
    },
    trouble: () =>
      failure === undefined ? undefined : { forMs: performance.now() - failure.since, error: failure.error },
    succeeded,
    failed(error) {
      const now = performance.now();
      if (failure === undefined) onChange("The database does not serve the ledger.", error);
      failure = { since: failure?.since ?? now, last: now, error };
      probing ??= watch().finally(() => {
        probing = undefined;
      });
    },
    async close() {
      closing.abort();
      await probing;
    },
  };
}
