import { type Reason, type ReasonFact, storedFacts } from "@gateway/shared/reasons";
import { advisoryLocks } from "#platform/database/advisory-locks.ts";
import type { Pool } from "#platform/database/db.ts";
import { storableFacts, storableText } from "#platform/database/storable-text.ts";
import { closedUntil, hourMs } from "./hours.ts";

export interface ExportState {
  /** Every hour before it is exported. */
  exportedUntil: Date;
  /** Failed runs since the last successful one. */
  failures: number;
  failedAt: Date | null;
  /** Why the last run failed; "" after a successful one. */
  reason: string;
  reasonFacts: readonly ReasonFact[];
}

const mostText = 500;

/** Begins with the last hour that has ended, unless there was an export before. */
export async function beginExport(pool: Pool): Promise<ExportState> {
  await pool.query(
    "INSERT INTO log_export_progress (id, exported_until) VALUES (1, $1) ON CONFLICT (id) DO NOTHING",
    [new Date(closedUntil().getTime() - hourMs)],
  );
  const state = await readExportState(pool);
  if (state === undefined) throw new Error("The state of the log export was deleted.");
  return state;
}

/** Returns undefined when nothing was ever exported. */
export async function readExportState(pool: Pool): Promise<ExportState | undefined> {
  const { rows } = await pool.query<Omit<ExportState, "reasonFacts"> & { reasonFacts: unknown }>(
    `SELECT exported_until AS "exportedUntil", failures, failed_at AS "failedAt", reason, reason_facts AS "reasonFacts"
     FROM log_export_progress WHERE id = 1`,
  );
  const [row] = rows;
  return row && { ...row, reasonFacts: storedFacts(row.reasonFacts) };
}

export async function recordSuccess(pool: Pool): Promise<void> {
  await pool.query(
    `UPDATE log_export_progress SET failures = 0, failed_at = NULL, reason = '', reason_facts = '[]' WHERE id = 1`,
  );
}

export async function recordFailure(pool: Pool, { text, facts }: Reason): Promise<void> {
  await pool.query(
    `UPDATE log_export_progress SET failures = failures + 1, failed_at = now(), reason = $1, reason_facts = $2 WHERE id = 1`,
    [storableText(text, mostText), JSON.stringify(storableFacts(facts, mostText))],
  );
}

/** Whether a process exports at the moment. */
export async function isExporting(pool: Pool): Promise<boolean> {
  const { rows } = await pool.query<{ found: boolean }>(
    `SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = $1 AND objsubid = 1
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())) AS found`,
    [advisoryLocks.exportLog],
  );
  return rows[0]?.found === true;
}

export interface ListedHour {
  hour: Date;
  rows: bigint;
  files: number;
  bytes: bigint;
  exportedAt: Date;
}

/** Returns the hours that were exported, newest first. */
export async function listExportedHours(pool: Pool, limit: number): Promise<ListedHour[]> {
  const { rows } = await pool.query<ListedHour>(
    `SELECT hour, rows, files, bytes, exported_at AS "exportedAt" FROM log_export_hours ORDER BY hour DESC LIMIT $1`,
    [limit],
  );
  return rows;
}

const firstPauseMs = 300_000;
const longestPauseMs = 3_600_000;

/** Returns when a failed export is tried again: after 5 minutes, then twice as long each time, at most an hour. */
export function retryTime({
  failures,
  failedAt,
}: Pick<ExportState, "failures" | "failedAt">): Date | undefined {
  if (failures === 0 || failedAt === null) return undefined;
  // The job runs every five minutes, a few milliseconds earlier or later.
  const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(failures - 1, 10)) - 10_000;
  return new Date(failedAt.getTime() + pauseMs);
}
