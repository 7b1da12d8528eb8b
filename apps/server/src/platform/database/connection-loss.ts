import { setTimeout as sleep } from "node:timers/promises";
import { databaseAway, databaseFull, databaseReadOnly, GatewayError } from "#errors.ts";
import { withinTime } from "#platform/time-limit.ts";

/**
 * SQL states that mean "try later": the connection was lost, the server restarts, or Postgres chose this
 * statement to break a deadlock. Every other error is a fault of the statement or its values.
 */
const passingStates = new Set([
  "40001", // serialization failure
  "40P01", // deadlock
  "53300", // too many connections
  "55P03", // lock not available
  "57P01", // administrator's shutdown
  "57P02", // crash of another backend
  "57P03", // starting up or shutting down
  // Prisma's own codes: unreachable, timed out, connection closed, no free connection in the pool, no
  // transaction began in time.
  "P1001",
  "P1002",
  "P1008",
  "P1017",
  "P2024",
  "P2028",
]);

const passingSystemCodes = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ECONNABORTED",
  "EPIPE",
  "ETIMEDOUT",
  "EAI_AGAIN",
  "ENOTFOUND",
  "EHOSTUNREACH",
  "ENETUNREACH",
]);

// The driver gives these errors no code.
const driverSentences =
  /connection terminated|connection error|connection ended|timeout exceeded when trying to connect|timeout expired|query read timeout|client was closed|not queryable|read ECONN|write E/i;

/**
 * The database works but cannot store anything. Also temporary: space is freed, or a new primary takes over.
 */
const outOfSpaceStates = new Set([
  "53100", // disk full
  "58030", // input/output error
]);
const readOnlyState = "25006";
const canceledState = "57014";

/**
 * Returns the error and the errors that Prisma and its driver adapter wrap: `cause`,
 * `meta.driverAdapterError`, and the parts of an AggregateError.
 */
function chain(error: unknown, depth = 0): object[] {
  if (typeof error !== "object" || error === null || depth > 5) return [];
  const { cause, meta, errors } = error as {
    cause?: unknown;
    meta?: { driverAdapterError?: unknown } | null;
    errors?: unknown;
  };
  const inner = [cause, meta?.driverAdapterError, ...(Array.isArray(errors) ? errors : [])];
  return [error, ...inner.flatMap((part) => chain(part, depth + 1))];
}

function codesOf(error: object): string[] {
  const { code, originalCode } = error as { code?: unknown; originalCode?: unknown };
  return [code, originalCode].filter((value) => typeof value === "string");
}

function sentenceOf(error: object): string {
  const { message, originalMessage } = error as { message?: unknown; originalMessage?: unknown };
  return [message, originalMessage].filter((value) => typeof value === "string").join(" ");
}

/** The driver adapter's names of errors without a code. */
const passingKinds = new Set([
  "DatabaseNotReachable",
  "ConnectionClosed",
  "SocketTimeout",
  "TooManyConnections",
]);

function isLoss(error: object): boolean {
  const { kind } = error as { kind?: unknown };
  return (
    codesOf(error).some(
      (code) => passingStates.has(code) || passingSystemCodes.has(code) || /^08...$/.test(code),
    ) ||
    (typeof kind === "string" && passingKinds.has(kind)) ||
    driverSentences.test(sentenceOf(error))
  );
}

export function isConnectionLoss(error: unknown): boolean {
  return chain(error).some(isLoss);
}

/** Returns whether Postgres cancelled a statement because it took too long. */
export function isCanceled(error: unknown): boolean {
  return hasState(error, canceledState);
}

/** Returns whether a connection was dropped because it was silent. */
export function isSilence(error: unknown): boolean {
  return hasState(error, "ETIMEDOUT");
}

/** Returns whether two statements conflicted, which does not indicate that the database is unhealthy. */
export function isContention(error: unknown): boolean {
  return ["40001", "40P01", "55P03"].some((state) => hasState(error, state));
}

/** Returns whether a statement waited too long for a lock. */
export function isLockTimeout(error: unknown): boolean {
  return hasState(error, "55P03");
}

/** Returns whether a value does not have the form of its type, e.g. a row with too few columns. */
export function isMalformedValue(error: unknown): boolean {
  return hasState(error, "22P02");
}

function hasState(error: unknown, state: string): boolean {
  return chain(error).some((part) => codesOf(part).includes(state));
}

export function isDiskFull(error: unknown): boolean {
  return chain(error).some(
    (part) =>
      codesOf(part).some((code) => outOfSpaceStates.has(code)) ||
      /no space left on device/i.test(sentenceOf(part)),
  );
}

/**
 * Returns the error to send when the database is the cause: it is unreachable, slow, full or read-only.
 * Returns undefined for every other error.
 */
export function databaseTrouble(error: unknown): GatewayError | undefined {
  if (error instanceof GatewayError) return undefined;
  if (isDiskFull(error)) return databaseFull(error);
  if (hasState(error, readOnlyState)) return databaseReadOnly(error);
  if (isConnectionLoss(error) || isCanceled(error)) return databaseAway(error);
  return undefined;
}

const readWithinMs = 3_000;

/**
 * Repeats a read whose connection is lost, for as long as a caller may wait for a read. Throws `unavailable`
 * after that, also when the database does not respond. Not for statements that change data.
 */
export async function readAgain<T>(read: () => Promise<T>, withinMs = readWithinMs): Promise<T> {
  const late = () => databaseAway(new Error(`The database did not answer for ${withinMs} ms.`));
  return withinTime(withinMs, repeatRead(read, withinMs), late);
}

async function repeatRead<T>(read: () => Promise<T>, withinMs: number): Promise<T> {
  const until = performance.now() + withinMs;
  for (let pauseMs = 20; ; pauseMs = Math.min(pauseMs * 2, 500)) {
    try {
      return await read();
    } catch (error) {
      if (!isConnectionLoss(error)) throw error;
      if (performance.now() + pauseMs > until) throw databaseAway(error);
      await sleep(pauseMs);
    }
  }
}
