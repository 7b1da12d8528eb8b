import { GatewayError } from "#errors.ts";
import { databaseTrouble } from "#platform/database/connection-loss.ts";

/**
 * The log of failures of background work. While the database or Redis is away, everything that needs it fails: one
 * line says since when, one that it is back, and the failures in between are only counted.
 */
export interface FailureLog {
  /** @param from set when only the database can be the cause, whatever the error says */
  report(error: unknown, from?: "database"): void;
  /**
   * From now on, a failure that looks like the database's is checked.
   * @param ask rejects when the database does not answer in time
   */
  watchDatabase(ask: () => Promise<unknown>): void;
  redis: Outage;
  close(): void;
}

/** The presence of one service. */
export interface Outage {
  away(error: unknown): void;
  back(): void;
}

interface Log {
  error(fields: object, message: string): void;
  error(message: string): void;
  warn(message: string): void;
}

interface Times {
  /** Milliseconds between two questions to a database that is away. */
  askMs?: number;
  /** Milliseconds after an outage in which connections that it broke are still noticed. */
  afterMs?: number;
}

export function createFailureLog(log: Log, { askMs = 1_000, afterMs = 10_000 }: Times = {}): FailureLog {
  const database = createOutage(log, "The database");
  let ask: (() => Promise<unknown>) | undefined;
  /** Failures that wait for the answer to the first question. */
  let suspected: unknown[] | undefined;
  let backAt = -Infinity;
  let timer: NodeJS.Timeout | undefined;

  const note = (error: unknown) => log.error({ err: error }, "background work failed");

  async function check(question: () => Promise<unknown>): Promise<void> {
    try {
      await question();
      if (database.isAway()) {
        database.back();
        backAt = performance.now();
      }
      for (const err of suspected ?? []) log.error({ err }, "a statement failed, but the database responds");
    } catch (error) {
      for (const failure of suspected ?? []) database.away(failure);
      if (!database.isAway()) database.away(error);
      timer = setTimeout(() => void check(question), askMs);
      timer.unref();
    }
    suspected = undefined;
  }

  return {
    report(error, from) {
      if (ask === undefined || (from === undefined && !isDatabaseFailure(error))) return note(error);
      if (database.isAway()) return database.away(error);
      // A connection that the outage broke.
      if (performance.now() - backAt < afterMs) return;
      suspected?.push(error);
      if (suspected !== undefined) return;
      suspected = [error];
      void check(ask);
    },
    watchDatabase(question) {
      ask = question;
    },
    redis: createOutage(log, "Redis"),
    close: () => clearTimeout(timer),
  };
}

function isDatabaseFailure(error: unknown): boolean {
  return error instanceof GatewayError ? error.code === "unavailable" : databaseTrouble(error) !== undefined;
}

function createOutage(log: Log, name: string): Outage & { isAway(): boolean } {
  let since: { at: number; time: string } | undefined;
  let failures = 0;
  return {
    isAway: () => since !== undefined,
    away(error) {
      failures += 1;
      if (since !== undefined) return;
      since = { at: performance.now(), time: new Date().toISOString().slice(0, 19) };
      log.error(`${name} is away since ${since.time}Z: ${reasonIn(error)}`);
    },
    back() {
      if (since === undefined) return;
      const seconds = Math.round((performance.now() - since.at) / 1_000);
      log.warn(`${name} is back after ${seconds} s. ${failures} failures in between were not logged.`);
      since = undefined;
      failures = 0;
    },
  };
}

/** Returns the innermost message in one line. A refused connection has none, but a code. */
function reasonIn(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof Error) return reasonIn(error.cause);
  if (error instanceof AggregateError && error.message === "") return reasonIn(error.errors[0]);
  const { code = error.name } = error as { code?: string };
  return (error.message || code).split("\n")[0] ?? "";
}
