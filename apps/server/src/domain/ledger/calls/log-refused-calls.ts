import { Batcher, type BatchItem } from "#domain/ledger/batches/batcher.ts";
import { isConnectionLoss } from "#platform/database/connection-loss.ts";
import type { Pool } from "#platform/database/db.ts";
import { type PreparedStatement, readStatement } from "#platform/database/prepared-statement.ts";
import type { CallRecord } from "./call-record.ts";
import { joinRows, type LogRowFormat, rowOf } from "./log-rows.ts";

const findLoggedStatement = readStatement(import.meta.url, "find-logged-calls.sql");
const logStatement = readStatement(import.meta.url, "log-refused-calls.sql");

type Query = <Row extends object>(statement: PreparedStatement & { values: unknown[] }) => Promise<Row[]>;

/** Returns the outcomes of the calls that already have a log row, by request id. */
export async function findLoggedOutcomes(
  query: Query,
  records: readonly CallRecord[],
): Promise<Map<string, string>> {
  if (records.length === 0) return new Map();
  const values = [records.map((record) => record.requestId), records.map((record) => record.createdAt)];
  const rows = await query<{ request_id: string; outcome: string }>({ ...findLoggedStatement, values });
  return new Map(rows.map((row) => [row.request_id, row.outcome]));
}

/** Writes log rows of calls that were refused before they had a reservation. */
async function writeLogRows(
  pool: Pool,
  { part, logRows }: Pick<RefusedCallLogOptions, "part" | "logRows">,
  items: readonly BatchItem<CallRecord>[],
): Promise<void[]> {
  const query: Query = async <Row extends object>(statement: PreparedStatement & { values: unknown[] }) =>
    (await pool.query<Row>(statement)).rows;
  // A call that lost its reservation may have been charged up to its checkpoint.
  // It then has a log row already.
  const unclear = items
    .filter(({ isUncertain, input }) => isUncertain || input.errorCode === "reservation_lost")
    .map((item) => item.input);
  const earlier = await findLoggedOutcomes(query, unclear);
  const missing = items.map((item) => item.input).filter((record) => !earlier.has(record.requestId));
  if (missing.length > 0) {
    const rows = missing.map(rowOf);
    const cached = rows.map((row) => row.cached_tokens);
    const write = () =>
      query({ ...logStatement, values: [part, joinRows(rows.map(logRows.format)), cached] });
    try {
      await write();
    } catch (error) {
      if (!(await logRows.adapt(error, async (count) => (await pool.query<{ count: number }>(count)).rows)))
        throw error;
      await write();
    }
  }
  return items.map(() => undefined);
}

/** Maximum number of queued log rows while the database is unavailable. */
const MAX_QUEUED_ROWS = 20_000;

interface RefusedCallLogOptions {
  pool: Pool;
  /** This node's rows in the roll-up. */
  part: number;
  logRows: LogRowFormat;
  onError: (error: unknown) => void;
  retryForMs: number;
}

/** Collects log rows of refused calls and writes them in batches. `add` never throws. */
export function createRefusedCallLog({ pool, onError, retryForMs, ...rows }: RefusedCallLogOptions) {
  const batcher = new Batcher<CallRecord, void>({
    retryForMs: () => retryForMs,
    isTransient: isConnectionLoss,
    run: (items) => writeLogRows(pool, rows, items),
  });
  return {
    async add(record: CallRecord): Promise<void> {
      if (batcher.size >= MAX_QUEUED_ROWS) {
        onError(new Error(`More than ${MAX_QUEUED_ROWS} log rows wait for the database; one was dropped.`));
        return;
      }
      try {
        await batcher.add(record);
      } catch (error) {
        onError(error);
      }
    },
    idle: () => batcher.idle(),
  };
}
