/**
 * Which errors of a statement mean "try later": the connection was lost, the server restarts, or Postgres chose this
 * statement to break a deadlock. Everything else is a fault of the statement or its values.
 */
const passingStates = new Set([
  "40001", // serialization failure
  "40P01", // deadlock
  "53300", // too many connections
  "55P03", // lock not available
  "57P01", // administrator's shutdown
  "57P02", // crash of another backend
  "57P03", // starting up or shutting down
  // Prisma's own: cannot be reached, took too long, closed the connection, no connection of the pool came free
  "P1001",
  "P1002",
  "P1008",
  "P1017",
  "P2024",
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

// The driver gives these no code.
const driverSentences =
  /connection terminated|connection error|connection ended|timeout exceeded when trying to connect|not queryable|read ECONN|write E/i;

export function isConnectionLoss(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isConnectionLoss);
  if (!(error instanceof Error)) return false;
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  return (
    passingStates.has(code) ||
    passingSystemCodes.has(code) ||
    code.startsWith("08") ||
    driverSentences.test(error.message)
  );
}
