import { createBatcher, type Pending } from "#domain/ledger/batches/batcher.ts";
import { loggedStatement, noteStatement, type Statement } from "#domain/ledger/batches/statements.ts";
import { isConnectionLoss } from "#platform/database/connection-loss.ts";
import type { Pool } from "#platform/database/db.ts";
import { type CallRecord, rowOf } from "./call-record.ts";
import { rowsText, rowText } from "./log-rows.ts";

type Query = <Row extends object>(statement: Statement & { values: unknown[] }) => Promise<Row[]>;

/** Returns the outcomes of the calls that already have a log row, by request id. */
export async function loggedOf(query: Query, records: readonly CallRecord[]): Promise<Map<string, string>> {
  if (records.length === 0) return new Map();
  const values = [records.map((record) => record.requestId), records.map((record) => record.createdAt)];
  const rows = await query<{ request_id: string; outcome: string }>({ ...loggedStatement, values });
  return new Map(rows.map((row) => [row.request_id, row.outcome]));
}

/** Writes log rows of calls that were refused before they had a reservation. */
async function writeNotes(pool: Pool, part: number, items: readonly Pending<CallRecord>[]): Promise<void[]> {
  const query: Query = async <Row extends object>(statement: Statement & { values: unknown[] }) =>
    (await pool.query<Row>(statement)).rows;
  // A call that lost its reservation may have been charged up to its checkpoint.
  // It then has a log row already.
  const unclear = items
    .filter(({ uncertain, input }) => uncertain || input.errorCode === "reservation_lost")
    .map((item) => item.input);
  const earlier = await loggedOf(query, unclear);
  const missing = items.map((item) => item.input).filter((record) => !earlier.has(record.requestId));
  if (missing.length > 0) {
    const rows = rowsText(missing.map((record, ord) => rowText(rowOf(record), { ord, part })));
    await query({ ...noteStatement, values: [rows] });
  }
  return items.map(() => undefined);
}

/** Maximum number of queued log rows while the database is unavailable. */
const MOST_NOTES = 20_000;

interface NoteOptions {
  pool: Pool;
  /** This node's rows in the roll-up. */
  part: number;
  onError: (error: unknown) => void;
  maxRows: number;
  retryForMs: number;
}

/** Collects log rows of refused calls and writes them in batches. `add` never throws. */
export function createNotes({ pool, part, onError, maxRows, retryForMs }: NoteOptions) {
  const batcher = createBatcher<CallRecord, void>({
    maxRows,
    retryForMs: () => retryForMs,
    isPassing: isConnectionLoss,
    run: (items) => writeNotes(pool, part, items),
  });
  return {
    async add(record: CallRecord): Promise<void> {
      if (batcher.size >= MOST_NOTES) {
        onError(new Error(`More than ${MOST_NOTES} log rows wait for the database; one was dropped.`));
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
