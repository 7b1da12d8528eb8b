/**
 * Reads a column of a foreign row. Databases and drivers give the same value as text, number, bigint, boolean or bytes; NULL, a
 * missing column and "" all mean "not set". No function throws: what cannot be read is not set.
 */
import { trimEndOf } from "@gateway/shared/trim-end";
import { storableText } from "#platform/database/storable-text.ts";
import type { LogPrice } from "./records.ts";
import type { SourceRow } from "./sources/source.ts";

export function text(row: SourceRow, name: string): string {
  return toStorable(textOfValue(row[name]));
}

function textOfValue(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "string") return value;
  if (value instanceof Uint8Array) return Buffer.from(value).toString("utf8");
  if (value instanceof Date) return value.toISOString();
  if (typeof value === "object") return JSON.stringify(value);
  return typeof value === "number" || typeof value === "bigint" || typeof value === "boolean"
    ? String(value)
    : "";
}

/** Postgres has no NUL in texts, and takes no half character. SQLite and MySQL have both. */
function toStorable(value: string): string {
  return storableText(value, Number.POSITIVE_INFINITY);
}

/** A cut text must not end within a character. */
export function truncateText(value: string, most: number): string {
  const clean = toStorable(value);
  return clean.length <= most ? clean : clean.slice(0, most).replace(/[\uD800-\uDBFF]$/, "");
}

export function points(row: SourceRow, name: string): bigint {
  return numberIn(row, name) ?? 0n;
}

/** Returns whether a column is set to something that is not a number. */
export function isUnreadable(row: SourceRow, name: string): boolean {
  return text(row, name).trim() !== "" && numberIn(row, name) === undefined;
}

function numberIn(row: SourceRow, name: string): bigint | undefined {
  const [, digits] = /^\s*(-?\d+)(?:\.\d*)?\s*$/.exec(text(row, name)) ?? [];
  return digits === undefined ? undefined : BigInt(digits);
}

export function whole(row: SourceRow, name: string): number {
  const value = Number(points(row, name));
  return Number.isSafeInteger(value) ? value : 0;
}

/** An id or counter for an `integer` column. */
export function int(row: SourceRow, name: string): number {
  const value = whole(row, name);
  return Math.abs(value) < 2 ** 31 ? value : 0;
}

export function flag(row: SourceRow, name: string, otherwise = false): boolean {
  const value = text(row, name).trim().toLowerCase();
  return value === "" ? otherwise : ["1", "true", "t"].includes(value);
}

/** Unix seconds; undefined for 0 and below. */
export function seconds(row: SourceRow, name: string): Date | undefined {
  const value = whole(row, name);
  return value > 0 && value < 253_402_300_800 ? new Date(value * 1_000) : undefined;
}

export function milliseconds(row: SourceRow, name: string): Date | undefined {
  const value = whole(row, name);
  if (value <= 0 || value >= 253_402_300_800_000) return undefined;
  // Some rows hold seconds.
  return new Date(value < 100_000_000_000 ? value * 1_000 : value);
}

/** An SQL timestamp. MySQL's has no zone and counts as UTC: it only says that, and about when. */
export function stamp(row: SourceRow, name: string): Date | undefined {
  const value = row[name];
  if (value instanceof Date) return readCalendarDate(value);
  const given = text(row, name).trim();
  if (given === "" || given.startsWith("0000")) return undefined;
  const iso = given.replace(" ", "T").replace(/(\.\d{3})\d+/, "$1");
  return readCalendarDate(new Date(/(Z|[+-]\d\d:?\d\d)$/.test(iso) ? iso : `${iso}Z`));
}

/** Undefined for no date, and for years that Postgres does not read as JavaScript writes them. */
export function readCalendarDate(date: Date): Date | undefined {
  const year = date.getUTCFullYear();
  return year >= 1 && year <= 9_999 ? date : undefined;
}

/**
 * When a row was deleted; undefined for rows that are not. A zero date, which MySQL writes for a date it cannot hold, deletes as
 * well: the old gateway looks for NULL.
 */
export function deletion(row: SourceRow): Date | undefined {
  return text(row, "deleted_at").trim() === "" ? undefined : (stamp(row, "deleted_at") ?? new Date(0));
}

export function bytes(row: SourceRow, name: string): Uint8Array<ArrayBuffer> | undefined {
  const value = row[name];
  return value instanceof Uint8Array && value.length > 0 ? Uint8Array.from(value) : undefined;
}

/** JSON as text or parsed; undefined when it is not set or not JSON. */
export function json(row: SourceRow, name: string): unknown {
  const value = row[name];
  if (typeof value !== "object" || value === null || value instanceof Uint8Array)
    return parseJson(text(row, name));
  const written = JSON.stringify(value);
  return escaped.test(written) ? parseJson(written) : value;
}

/** Escapes of NUL and of half characters, which are plain in the text that was read. */
const escaped = /\\u(0000|d[89a-f])/i;

export function parseJson(value: string): unknown {
  if (value.trim() === "") return undefined;
  try {
    const found: unknown = escaped.test(value) ? JSON.parse(value, storedValue) : JSON.parse(value);
    return found ?? undefined;
  } catch {
    return undefined;
  }
}

function storedValue(this: unknown, _name: string, value: unknown): unknown {
  if (typeof value === "string") return toStorable(value);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [toStorable(name), each]));
}

export function record(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}

export function list(value: string, separator: string | RegExp = ","): string[] {
  const entries = value.split(separator).map((entry) => entry.trim());
  return [...new Set(entries.filter((entry) => entry !== ""))];
}

/** A decimal in its shortest form that reads back as the same float: 2.5, never 2.4999999999. Undefined when it is none. */
export function decimal(value: unknown, decimals = 10): string | undefined {
  if (value === null || value === undefined || value === "") return undefined;
  const number = Number(value);
  if (!Number.isFinite(number)) return undefined;
  const short = String(number);
  if (!short.includes("e") && (short.split(".")[1] ?? "").length <= decimals) return short;
  const fixed = number.toFixed(decimals);
  return fixed.includes(".") ? trimEndOf(trimEndOf(fixed, "0"), ".") : fixed;
}

/** The ratios of a log row; undefined unless it has all of them. */
export function logPrice(group: unknown, input: unknown, output: unknown): LogPrice | undefined {
  const price = {
    groupRatio: Number(group ?? NaN),
    input: Number(input ?? NaN),
    output: Number(output ?? NaN),
  };
  return Object.values(price).every(Number.isFinite) ? price : undefined;
}
