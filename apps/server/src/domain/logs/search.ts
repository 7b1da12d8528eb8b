/**
 * Reads the request log, newest first. Pages continue at (created_at, id), so that every page costs the same
 * and new rows shift nothing.
 */
import { entryOf } from "@gateway/shared/lookup-table";
import { storedFacts } from "@gateway/shared/reasons";
import {
  AttemptNote,
  type LogPage,
  LogDerivedKey,
  type LogRow,
  LogSession,
  PausedChannel,
  SkippedChannel,
} from "@gateway/shared/usage/log";
import { z } from "zod";
import { shownColumns } from "#domain/ledger/calls/call-record.ts";
import { readBill } from "#domain/pricing/stored-bill.ts";
import { invalidRequest } from "#errors.ts";
import { unixTime } from "#platform/clock.ts";
import type { Reader } from "#platform/database/db.ts";
import {
  conditionsOf,
  type Filter,
  filterOf,
  type LogSearch,
  type LogView,
  MOST_SEARCHED,
  seesTags,
  combineConditions,
  withNamedUser,
} from "./filter.ts";

export async function searchLogs(reader: Reader, anyView: LogView, query: LogSearch): Promise<LogPage> {
  const view = await withNamedUser(reader, anyView, query);
  const filter = filterOf(view, query);
  const order = orderOf(view, query);
  if (query.cursor !== "") {
    const { at, id } = readCursor(query.cursor);
    filter.add((n) => `(l.created_at, l.id) < ($${n}, $${n + 1})`, new Date(at), id);
  }
  const found = filter.where();
  const indexed = { ...filter, values: [...filter.values] };
  const conditions = conditionsOf(view, query, filter);
  const isSearch = Object.keys(conditions).length > 0;
  const limit = filter.parameter(query.size + 1);
  const offset = filter.parameter(query.cursor === "" ? rowsBefore(query) : 0);
  // No index supports these orders: without a limit they would read all rows of the filter.
  const rowsToSort =
    !isSearch && (isByTime(query) || query.whole === true)
      ? `request_logs l WHERE ${found}`
      : `(SELECT l.* FROM request_logs l WHERE ${found} ORDER BY ${newest} LIMIT ${MOST_SEARCHED}) l
         WHERE ${combineConditions(conditions)}`;
  // The page is selected before the join with channel names.
  const { rows } = await reader.query<StoredLogRow>(
    `SELECT l.*, c.name AS channel_name
       FROM (SELECT l.* FROM ${rowsToSort}
              ORDER BY ${order} LIMIT ${limit} OFFSET ${offset}) l
       LEFT JOIN channels c ON c.id = l.channel_id
      ORDER BY ${order}`,
    filter.values,
  );
  const page = rows.slice(0, query.size);
  const last = page.at(-1);
  const data = page.map((row) => describeLogRow(row, view));
  if (query.order !== "") return { data, next: null };
  if (last !== undefined && rows.length > page.length) return { data, next: writeCursor(last) };
  const end = isSearch ? await endOfSearch(reader, indexed) : undefined;
  if (end === undefined) return { data, next: null };
  return { data, next: writeCursor(end), searched_until: unixTime(end.created_at) };
}

type Place = Pick<StoredLogRow, "created_at" | "id">;

/** Returns the last row that a search examined; undefined when it examined all rows. */
async function endOfSearch(reader: Reader, filter: Filter): Promise<Place | undefined> {
  const { rows } = await reader.query<Place>(
    `SELECT l.created_at, l.id FROM request_logs l WHERE ${filter.where()}
      ORDER BY ${newest} LIMIT 2 OFFSET ${MOST_SEARCHED - 1}`,
    filter.values,
  );
  return rows.length === 2 ? rows[0] : undefined;
}

/** Columns by the names in a query's `order`. */
const sortable: Readonly<Record<string, string>> = {
  created_at: "l.created_at",
  channel_id: "l.channel_id",
  user_id: "l.user_id",
  username: "l.username",
  token_name: "l.token_name",
  model_name: "l.model_name",
  type: "l.type",
  source_ip: "l.source_ip",
  prompt_tokens: "l.prompt_tokens",
  completion_tokens: "l.completion_tokens",
  quota: "l.quota",
  request_time: "l.request_time",
};

/** Owners must not see a call's channel, so they cannot sort by it either. */
const hiddenFromOwners: ReadonlySet<string> = new Set(["channel_id"]);

const newest = "l.created_at DESC, l.id DESC";

/**
 * Returns whether the limits of a search do not change the result of this page.
 * @param isSmall the filter has at most `MOST_SEARCHED` rows
 */
export function isShallow(query: LogSearch, isSmall: boolean): boolean {
  return (isSmall || isByTime(query)) && (query.page ?? 1) * query.size <= DEEPEST;
}

function isByTime({ order }: LogSearch): boolean {
  return /^(,*-?created_at\b|$)/.test(order);
}

/** Returns the sort order; equal rows are sorted newest first. A cursor supports the default order only. */
function orderOf(view: LogView, { order, cursor }: LogSearch): string {
  const parts = order.split(",").filter((part) => part !== "");
  if (parts.length === 0) return newest;
  if (cursor !== "") throw invalidRequest({ reason: "cursor_order" }, { param: "order" });
  const columns = parts.flatMap((part) => {
    const name = part.replace(/^-/, "");
    const column = entryOf(sortable, name);
    if (column === undefined)
      throw invalidRequest({ reason: "sort_unknown", field: name }, { param: "order" });
    if (view.of === "owner" && hiddenFromOwners.has(name)) return [];
    return [`${column} ${part.startsWith("-") ? "DESC" : "ASC"}`];
  });
  return [...columns, newest].join(", ");
}

/** Maximum number of rows to skip, or to sort by other columns than time: the newest rows of the filter. */
const DEEPEST = 10_000;

function rowsBefore({ page = 1, size, whole = false }: LogSearch): number {
  if (!whole && page * size > DEEPEST) throw invalidRequest({ reason: "page_too_deep" }, { param: "page" });
  return (page - 1) * size;
}

/** A row as `pg` reads it, with bigint columns as bigint: the columns that viewers do not see as they are stored. */
export interface StoredLogRow {
  id: bigint;
  created_at: Date;
  channel_id: number;
  channel_name: string | null;
  status: number;
  upstream_model: string;
  content_facts: unknown;
  prompt_tokens: bigint;
  completion_tokens: bigint;
  quota: bigint;
  billing_tag: string;
  session: unknown;
  bill: unknown;
  bill_facts: string | null;
  attempts: unknown;
  attempt_facts: string | null;
  [column: string]: unknown;
}

const Note = z.union([AttemptNote, PausedChannel, SkippedChannel]);

/** Returns the readable notes. Notes in a newer version's format are omitted and do not hide the others. */
function notesOf({ attempts, ...row }: StoredLogRow): z.infer<typeof Note>[] {
  const only = row.attempt_facts === null ? undefined : readAttempt(row.attempt_facts, row);
  if (only !== undefined) return [only];
  if (!Array.isArray(attempts)) return [];
  return attempts.flatMap((note: unknown) => {
    const read = Note.safeParse(note);
    return read.success ? [read.data] : [];
  });
}

/** Returns the attempt in the short form of compact-rows.sql; undefined for an unreadable one. */
function readAttempt(
  facts: string,
  { channel_id, status }: Pick<StoredLogRow, "channel_id" | "status">,
): AttemptNote | undefined {
  const [, duration, begun, priority, requestId = "-", name = ""] =
    /^(\d+) (-|\d+) (-|-?\d+) (\S+) (.*)$/s.exec(facts) ?? [];
  if (duration === undefined) return undefined;
  return {
    channel_id,
    channel_name: name,
    result: "ok",
    status,
    duration: Number(duration),
    message: "",
    ...(begun === "-" ? {} : { begun: Number(begun) }),
    ...(priority === "-" ? {} : { priority: Number(priority) }),
    ...(requestId === "-" ? {} : { upstream_request_id: requestId }),
  };
}

/** Converts a stored row to what this viewer may see. */
export function describeLogRow(row: StoredLogRow, view: LogView): LogRow {
  const mine = view.of === "owner";
  const notes = mine ? [] : notesOf(row);
  const same = Object.fromEntries(shownColumns.map((name) => [name, row[name]]));
  return {
    ...(same as LogRow),
    id: String(row.id),
    created_at: unixTime(row.created_at),
    channel_id: mine ? 0 : row.channel_id,
    channel_name: mine ? "" : (row.channel_name ?? ""),
    upstream_model: mine ? "" : row.upstream_model,
    content_facts: storedFacts(row.content_facts),
    prompt_tokens: Number(row.prompt_tokens),
    completion_tokens: Number(row.completion_tokens),
    quota: Number(row.quota),
    billing_tag: seesTags(view) ? row.billing_tag : "",
    session: LogSession.safeParse(row.session).data ?? null,
    derived_key: LogDerivedKey.safeParse(row["derived_key"]).data ?? null,
    // An unreadable row of another version must not break the page.
    bill: readBill(row) ?? null,
    attempts: mine ? null : notes.filter((note) => "result" in note),
    paused: mine ? null : notes.filter((note) => "paused_until" in note),
    skipped: mine ? null : notes.filter((note) => "skipped" in note),
  };
}

/** Returns the place of a row in the log, from which the next page continues. */
export function writeCursor(row: Place): string {
  return `${row.created_at.getTime().toString(36)}.${row.id.toString(36)}`;
}

/** Throws `cursor_unknown`. */
export function readCursor(cursor: string): { at: number; id: bigint } {
  const [, at = "", id = ""] = /^([0-9a-z]{1,9})\.([0-9a-z]{1,12})$/.exec(cursor) ?? [];
  if (at === "") throw invalidRequest({ reason: "cursor_unknown" }, { param: "cursor" });
  return { at: Number.parseInt(at, 36), id: BigInt(Number.parseInt(id, 36)) };
}
