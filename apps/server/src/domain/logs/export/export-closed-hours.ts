import pg from "pg";
import { GatewayError } from "#errors.ts";
import { advisoryLocks } from "#platform/database/advisory-locks.ts";
import { setUpSession } from "#platform/database/connection.ts";
import type { ObjectStorage } from "#platform/storage/storage.ts";
import { type ExportedHour, exportHour, type Portions } from "./export-hour.ts";
import { closedUntil, hourMs, nextHour } from "./hours.ts";

/** Rows that are added later make their hour due again, for this long. */
const MENDED_HOURS = 48;
/** The list of exported hours is kept for this long. */
const LISTED_DAYS = 90;

const statementMs = 120_000;
/**
 * Portions are read in the order of the primary key. A new day has no statistics yet, for which Postgres would read and
 * sort the rest of the hour for each portion.
 */
const inOrder = { enable_sort: "off", enable_bitmapscan: "off", enable_seqscan: "off" };

export interface ExportOptions {
  /** The database. */
  url: string;
  storage: ObjectStorage;
  /** Ends the work. */
  signal: AbortSignal;
  portions?: Portions;
  onHour?(exported: ExportedHour): void;
}

/**
 * Exports the hours that have ended since the last export, and again those of the last days that have more rows than
 * when they were exported. An hour counts as exported when all of its files are stored, so an interrupted export repeats it.
 * Rejects with `log_export_running` while another process exports.
 * @param until end of the last hour, by the clock that all nodes share
 */
export async function exportClosedHours(options: ExportOptions, until = closedUntil()): Promise<void> {
  await withLock(options, async (client) => {
    const { rows } = await client.query<{ exported_until: Date }>(
      "SELECT exported_until FROM log_export_progress WHERE id = 1",
    );
    const from = rows[0]?.exported_until;
    if (from === undefined) return;
    for (const hour of await findGrownHours(client, from)) await exportAndRecord(client, options, hour);
    for (let hour = from; hour < until; hour = nextHour(hour)) {
      await exportAndRecord(client, options, hour);
      await client.query(
        "UPDATE log_export_progress SET exported_until = $1 WHERE id = 1 AND exported_until < $1",
        [nextHour(hour)],
      );
    }
    await client.query("DELETE FROM log_export_hours WHERE hour < now() - make_interval(days => $1)", [
      LISTED_DAYS,
    ]);
  });
}

/**
 * Exports the hours of a period, whether they were exported before or not. Hours without rows are left as they are.
 * @param isRecorded the place is that of the settings, so that later rows are noticed
 */
export async function exportPeriod(
  options: ExportOptions,
  { from, until, isRecorded }: { from: Date; until: Date; isRecorded: boolean },
): Promise<ExportedHour[]> {
  const exported: ExportedHour[] = [];
  await withLock(options, async (client) => {
    for (let hour = from; hour < until; hour = nextHour(hour))
      exported.push(
        isRecorded
          ? await exportAndRecord(client, options, hour)
          : await exportHour(client, options.storage, hour, options.signal, options.portions),
      );
  });
  return exported;
}

async function exportAndRecord(
  client: pg.Client,
  { storage, signal, portions, onHour }: ExportOptions,
  hour: Date,
): Promise<ExportedHour> {
  signal.throwIfAborted();
  const exported = await exportHour(client, storage, hour, signal, portions);
  const { rows, files, bytes } = exported;
  await client.query(
    `INSERT INTO log_export_hours (hour, rows, files, bytes) VALUES ($1, $2, $3, $4)
     ON CONFLICT (hour) DO UPDATE SET rows = excluded.rows, files = excluded.files, bytes = excluded.bytes, exported_at = now()
     WHERE excluded.rows > 0`,
    [hour, rows, files, bytes],
  );
  onHour?.(exported);
  return exported;
}

/**
 * Returns the exported hours that have more rows now. Each hour is counted by a statement of its own, from the index: with
 * a million rows that takes less than a second.
 */
async function findGrownHours(client: pg.Client, until: Date): Promise<Date[]> {
  const { rows: listed } = await client.query<{ hour: Date; rows: bigint }>(
    "SELECT hour, rows FROM log_export_hours WHERE hour >= $1 AND hour < $2 ORDER BY hour",
    [new Date(until.getTime() - MENDED_HOURS * hourMs), until],
  );
  const grown: Date[] = [];
  for (const { hour, rows: before } of listed) {
    const { rows } = await client.query<{ rows: bigint }>(
      "SELECT count(*) AS rows FROM request_logs WHERE created_at >= $1 AND created_at < $2",
      [hour, nextHour(hour)],
    );
    if ((rows[0]?.rows ?? 0n) > before) grown.push(hour);
  }
  return grown;
}

/** The lock is released with the connection, which is not replaced when it is lost: the export then fails. */
async function withLock(
  { url }: Pick<ExportOptions, "url">,
  work: (client: pg.Client) => Promise<void>,
): Promise<void> {
  const types = new pg.TypeOverrides();
  types.setTypeParser(pg.types.builtins.INT8, BigInt);
  const client = new pg.Client({
    connectionString: url,
    application_name: "gateway log export",
    keepAlive: true,
    connectionTimeoutMillis: 10_000,
    query_timeout: statementMs + 5_000,
    types,
  });
  // Statements reject with it.
  client.on("error", () => undefined);
  await client.connect();
  try {
    await setUpSession(client, { statement_timeout: statementMs, lock_timeout: 10_000, ...inOrder });
    const { rows } = await client.query<{ isMine: boolean }>('SELECT pg_try_advisory_lock($1) AS "isMine"', [
      advisoryLocks.exportLog,
    ]);
    if (rows[0]?.isMine !== true) throw new GatewayError("conflict", { reason: "log_export_running" });
    await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}
