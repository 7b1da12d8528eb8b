import { type LogRowJson, logColumns } from "./call-record.ts";

/**
 * Log rows as a parameter of the ledger's statements: texts of the row type of `request_logs`, which Postgres reads in
 * half the time that it needs for the same rows as JSON.
 */

const names = Object.keys(logColumns) as (keyof typeof logColumns)[];

/** Separates rows. JSON escapes it; in a plain text it becomes a space. */
const separator = "\x1E";

/** Returns one row as Postgres reads a row of the log. Its ID is empty: the insertion generates it. */
export function formatRow(row: LogRowJson): string {
  let text = "(";
  for (const name of names) {
    const value = row[name];
    // Nothing between two commas is a null.
    if (value === null || value === undefined) text += ",";
    else if (typeof value === "number" || typeof value === "boolean") text += `,${value}`;
    else text += quoted(typeof value === "string" ? value : JSON.stringify(value));
  }
  return `${text})`;
}

function quoted(text: string): string {
  let inside = text;
  if (inside.includes("\\")) inside = inside.replaceAll("\\", "\\\\");
  if (inside.includes('"')) inside = inside.replaceAll('"', '""');
  if (inside.includes(separator)) inside = inside.replaceAll(separator, " ");
  return `,"${inside}"`;
}

/** Returns several rows as one parameter. */
export const joinRows = (rows: readonly string[]): string => rows.join(separator);
