import { AuditDifference, type AuditRun } from "@gateway/shared/billing/money-audit";
import { z } from "zod";
import { unixTime } from "#platform/clock.ts";
import type { Db, Pool, Reader } from "#platform/database/db.ts";
import { readStatement } from "#platform/database/prepared-statement.ts";

/**
 * Recomputes every balance from its ledger entries and charges. It must not repair anything.
 * A drift is a bug to find.
 */
export interface Audit {
  /** Number of users and tokens checked. */
  checked: number;
  /** Sum of the absolute differences between books and balances, in points. Expected: 0n. */
  drift: bigint;
  rows: AuditRow[];
}

export interface AuditRow {
  what:
    | ("user-quota" | "user-reserved" | "user-leased" | "user-used")
    | ("token-used" | "token-reserved" | "token-leased" | "token-calls" | "token-derived");
  id: number;
  expected: bigint;
  actual: bigint;
}

const { text: auditText } = readStatement(import.meta.url, "audit.sql");

type Row = { checked: bigint } & (AuditRow | { what: null });

/** Runs the audit. A connection must read `int8` as bigint. */
export async function audit(reader: Reader): Promise<Audit> {
  const { rows } = await reader.query<Row>(auditText);
  return outcomeOf(rows);
}

/** Runs the audit within a transaction, including its uncommitted writes. */
export async function auditWithin(db: Db): Promise<Audit> {
  return outcomeOf(await db.$queryRawUnsafe<Row[]>(auditText));
}

function outcomeOf(rows: Row[]): Audit {
  const differing = rows.flatMap((row) =>
    row.what === null ? [] : [{ what: row.what, id: row.id, expected: row.expected, actual: row.actual }],
  );
  return {
    checked: Number(rows[0]?.checked ?? 0n),
    drift: differing.reduce((total, row) => total + distance(row.expected, row.actual), 0n),
    rows: differing,
  };
}

function distance(a: bigint, b: bigint): bigint {
  return a > b ? a - b : b - a;
}

/** Stores the outcome for the analytics screen. */
export async function storeAudit(pool: Pool, outcome: Audit): Promise<void> {
  const detail = outcome.rows.map((row) => ({
    what: row.what,
    id: row.id,
    expected: String(row.expected),
    actual: String(row.actual),
  }));
  await pool.query("INSERT INTO audit_runs (checked, drift, detail) VALUES ($1, $2, $3::jsonb)", [
    outcome.checked,
    outcome.drift,
    JSON.stringify(detail),
  ]);
}

/** Returns the newest audits. */
export async function listAudits(db: Db, take: number): Promise<AuditRun[]> {
  const rows = await db.auditRun.findMany({ orderBy: { id: "desc" }, take });
  return rows.map(({ id, created_time, checked, drift, detail }) => ({
    id,
    created_time: unixTime(created_time),
    checked,
    drift: Number(drift),
    detail: z.array(AuditDifference).parse(detail),
  }));
}

/** Formats the outcome for the command line. */
export function describeAudit(outcome: Audit): string {
  const lines = outcome.rows.map(
    (row) => `${row.what} ${row.id}: the books say ${row.expected}, the balance says ${row.actual}`,
  );
  return [`${outcome.checked} users and tokens checked, drift ${outcome.drift}`, ...lines].join("\n");
}
