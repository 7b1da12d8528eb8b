import { setTimeout as sleep } from "node:timers/promises";
import { databaseAway, type GatewayError } from "#errors.ts";
import { databaseTrouble, isDiskFull } from "#platform/database/connection-loss.ts";
import { readStatement } from "#platform/database/prepared-statement.ts";

/**
 * Tracks since when the database has failed to serve batches. After the first seconds it refuses calls
 * immediately. From the first failure on it probes the database twice a second, so that calls resume as soon
 * as it responds.
 */
export interface CircuitBreaker {
  /** Returns the error for calls that must not begin now; undefined when calls may begin. */
  refusalError(): GatewayError | undefined;
  /** Returns the duration of the failure in milliseconds and its last error; undefined without a failure. */
  outage(): { forMs: number; error: unknown } | undefined;
  recordSuccess(): void;
  recordFailure(error: unknown): void;
  close(): Promise<void>;
}

export interface CircuitBreakerOptions {
  /**
   * Probes the database.
   * @param full whether its disk was full: then the probe must allocate space
   */
  probe(full: boolean): Promise<void>;
  /** Duration of a failure after which calls are refused, in milliseconds. */
  openAfterMs: number;
  /** Reports the beginning and the end of a failure to the operator. */
  onChange(message: string, error?: unknown): void;
}

/** For a probe after the disk was full. */
export const diskProbeStatement = readStatement(import.meta.url, "probe-disk-space.sql");

const probeEveryMs = 500;
/** Time that a full disk counts after the last failed batch: a probe may find a page that was still free. */
const fullForMs = 5_000;
const fullOpenAfterMs = 2_000;

export function createCircuitBreaker({
  probe,
  openAfterMs,
  onChange,
}: CircuitBreakerOptions): CircuitBreaker {
  let failure: { since: number; last: number; error: unknown } | undefined;
  let probing: Promise<void> | undefined;
  const closing = new AbortController();

  function recordSuccess(): void {
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
      if (!full || performance.now() - failure.last > fullForMs) recordSuccess();
    }
  }

  return {
    refusalError() {
      if (failure === undefined) return undefined;
      const wait = isDiskFull(failure.error) ? Math.min(fullOpenAfterMs, openAfterMs) : openAfterMs;
      if (performance.now() - failure.since < wait) return undefined;
      return databaseTrouble(failure.error) ?? databaseAway(failure.error);
    },
    outage: () =>
      failure === undefined ? undefined : { forMs: performance.now() - failure.since, error: failure.error },
    recordSuccess,
    recordFailure(error) {
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
