/** Log rows of calls: as JSON, which checkpoints keep, and as the text that the ledger's statements take. */
import { z } from "zod";
import { isMalformedValue } from "#platform/database/connection-loss.ts";
import { type CallRecord, columnEntries, type LogColumn } from "./call-record.ts";
import { whole } from "./clean-log-values.ts";

const names = columnEntries.map(([name]) => name);

/** A log row as JSON, with the extra fields that the statements need. */
export type LogRowJson = Record<LogColumn, unknown> & { cached_tokens: number; held_in_part: boolean };

/** Converts the record to the statements' JSON. Never throws: a log row must not make a settlement fail. */
export function rowOf(call: CallRecord): LogRowJson {
  const row: Record<string, unknown> = {};
  for (const [name, { of }] of columnEntries) row[name] = of(call);
  row["cached_tokens"] = whole(call.usage?.cacheRead ?? 0, Number.MAX_SAFE_INTEGER);
  row["held_in_part"] = call.partlyReserved === true;
  return row as LogRowJson;
}

const count = z.number().nonnegative();

const StoredRow = z.object({
  ...(Object.fromEntries(columnEntries.map(([name, { json }]) => [name, json])) as Record<
    LogColumn,
    z.ZodType
  >),
  type: z.literal(2),
  prompt_tokens: count,
  completion_tokens: count,
  cached_tokens: count,
  held_in_part: z.boolean(),
});

/** Returns the call of a row that was stored as JSON; undefined for an unreadable one. */
export function readRow(stored: unknown): CallRecord | undefined {
  const { success, data: row } = StoredRow.safeParse(stored);
  if (!success) return undefined;
  const call: Partial<CallRecord> = {
    usage: { input: row.prompt_tokens, output: row.completion_tokens, cacheRead: row.cached_tokens },
    partlyReserved: row.held_in_part,
  };
  for (const [name, { read }] of columnEntries) Object.assign(call, read(row[name]));
  return call as CallRecord;
}

/**
 * Log rows as a parameter of the ledger's statements: texts of the row type of `request_logs`, which Postgres reads in
 * half the time that it needs for the same rows as JSON.
 */
export interface LogRowFormat {
  /** Returns one row as Postgres reads a row of the log. Its ID is empty: the insertion generates it. */
  format(row: LogRowJson): string;
  /**
   * Adapts to columns that a newer version has added during an upgrade: this version leaves them empty, so they must
   * be nullable. Returns whether a statement that failed with this error should run again.
   */
  adapt(error: unknown, query: Query): Promise<boolean>;
}

type Query = (statement: { text: string }) => Promise<{ count: number }[]>;

/** The columns, and the ID before them. */
const KNOWN = names.length + 1;

/** Separates rows. JSON escapes it; in a plain text it becomes a space. */
const separator = "\x1E";

const countColumns = `SELECT count(*)::int AS count FROM pg_attribute
  WHERE attrelid = 'request_logs'::regclass AND attnum > 0 AND NOT attisdropped`;

export function createLogRowFormat(): LogRowFormat {
  let end = ")";
  return {
    format(row) {
      let text = "(";
      for (const name of names) {
        const value = row[name];
        // Nothing between two commas is a null.
        if (value === null || value === undefined) text += ",";
        else if (typeof value === "number" || typeof value === "boolean") text += `,${value}`;
        else text += quoteField(typeof value === "string" ? value : JSON.stringify(value));
      }
      return text + end;
    },
    async adapt(error, query) {
      if (!isMalformedValue(error)) return false;
      const [row] = await query({ text: countColumns });
      const next = `${",".repeat(Math.max(0, (row?.count ?? 0) - KNOWN))})`;
      if (next === end) return false;
      end = next;
      return true;
    },
  };
}

function quoteField(text: string): string {
  let inside = text;
  if (inside.includes("\\")) inside = inside.replaceAll("\\", "\\\\");
  if (inside.includes('"')) inside = inside.replaceAll('"', '""');
  if (inside.includes(separator)) inside = inside.replaceAll(separator, " ");
  return `,"${inside}"`;
}

/** Returns several rows as one parameter. */
export const joinRows = (rows: readonly string[]): string => rows.join(separator);
