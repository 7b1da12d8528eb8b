import { databaseAway, GatewayError, shuttingDown } from "#errors.ts";
import { databaseTrouble } from "./database/connection-loss.ts";
import { withinTime } from "./time-limit.ts";

/**
 * Whether this node should get traffic. A short failure does not count: if all nodes failed at once, a load
 * balancer would have none left. It must not know what the node does.
 */
export interface Readiness {
  /**
   * Returns topics whose changes could not be loaded, and what does not work although calls are served. Throws
   * `shutting_down` or `unavailable` with the reason.
   */
  check(): Promise<{ stale: string[]; problems: string[] }>;
  /** Marks the node as not ready from now on, because it will stop. */
  drain(): void;
}

interface ReadinessOptions {
  /** Runs one statement on the database. */
  ping(): Promise<unknown>;
  /**
   * Milliseconds without a successful charge, and the age of the oldest batch. Undefined while charging
   * works.
   */
  trouble(): { failingMs: number; batchMs: number; error: unknown } | undefined;
  stale(): { topic: string; forMs: number }[];
  problems(): string[];
  /** Time after which a failure counts, in milliseconds. */
  notReadyAfterMs?: number;
  /** Age from which a batch counts as a failure, in milliseconds. */
  oldestBatchMs?: number;
}

/** Probes commonly wait for one second. */
const pingMs = 700;
/** A statement that is older was probably sent on a connection that is lost. */
const longestStatementMs = 5_000;
/** Changes that are loaded at the second attempt are not reported. */
const staleAfterMs = 2_000;

export function createReadiness(options: ReadinessOptions): Readiness {
  const { notReadyAfterMs = 5_000, oldestBatchMs = 8_000 } = options;
  let draining = false;
  /** Start of the first failed ping since the last successful one. */
  let silentSince: number | undefined;

  /** The statement in progress. Further probes wait for it: one of each would take a connection. */
  let running: { since: number; answer: Promise<unknown> } | undefined;

  function statement(): Promise<unknown> {
    if (running === undefined || performance.now() - running.since > longestStatementMs) {
      const begun = {
        since: performance.now(),
        answer: options.ping().finally(() => {
          if (running === begun) running = undefined;
        }),
      };
      running = begun;
    }
    return running.answer;
  }

  async function ping(): Promise<unknown> {
    try {
      await withinTime(pingMs, statement(), () => new Error(`The database did not answer for ${pingMs} ms.`));
      silentSince = undefined;
      return undefined;
    } catch (error) {
      silentSince ??= performance.now();
      return error;
    }
  }

  return {
    async check() {
      if (draining) throw shuttingDown();
      const failure = await ping();
      const trouble = options.trouble();
      const silentMs = silentSince === undefined ? 0 : performance.now() - silentSince;
      if (Math.max(silentMs, trouble?.failingMs ?? 0) >= notReadyAfterMs) {
        const cause = trouble?.error ?? failure;
        throw databaseTrouble(cause) ?? databaseAway(cause);
      }
      if (trouble !== undefined && trouble.batchMs >= oldestBatchMs)
        throw new GatewayError(
          "unavailable",
          { reason: "ledger_late", seconds: Math.round(trouble.batchMs / 1_000) },
          { retryAfter: 1 },
        );
      const stale = options.stale().filter(({ forMs }) => forMs >= staleAfterMs);
      return { stale: stale.map(({ topic }) => topic), problems: options.problems() };
    },
    drain() {
      draining = true;
    },
  };
}
