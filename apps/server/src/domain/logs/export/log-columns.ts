/** The columns of the exported log. docs/log-export.md describes them; a new one stands at the end. */
import { type Bill, LogSession } from "@gateway/shared/usage/log";
import type { SchemaElement } from "hyparquet";
import { readBill } from "#domain/pricing/stored-bill.ts";

/** A row of the log, as `readColumns` names its columns. */
export interface LogRowToExport {
  created_at: Date;
  id: bigint;
  session: unknown;
  bill: unknown;
  bill_facts: string | null;
  [column: string]: unknown;
}

interface Row {
  stored: LogRowToExport;
  bill: Bill | undefined;
  session: LogSession | undefined;
}

interface ExportColumn {
  schema: SchemaElement;
  valueOf(row: Row): unknown;
}

const kinds = {
  text: { type: "BYTE_ARRAY", converted_type: "UTF8", logical_type: { type: "STRING" } },
  integer: { type: "INT32" },
  long: { type: "INT64" },
  flag: { type: "BOOLEAN" },
  time: {
    type: "INT64",
    converted_type: "TIMESTAMP_MICROS",
    logical_type: { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MICROS" },
  },
} as const satisfies Record<string, Omit<SchemaElement, "name">>;

type Kind = keyof typeof kinds;

function requiredColumn(name: string, kind: Kind, valueOf: ExportColumn["valueOf"]): ExportColumn {
  return { schema: { name, repetition_type: "REQUIRED", ...kinds[kind] }, valueOf };
}

function optionalColumn(name: string, kind: Kind, valueOf: ExportColumn["valueOf"]): ExportColumn {
  return { schema: { name, repetition_type: "OPTIONAL", ...kinds[kind] }, valueOf };
}

/** Columns of the table that are exported as they are stored. */
const stored: readonly (readonly [name: string, kind: Kind])[] = [
  ["id", "long"],
  ["created_at", "time"],
  ["request_id", "text"],
  ["type", "integer"],
  ["user_id", "integer"],
  ["username", "text"],
  ["token_id", "integer"],
  ["token_name", "text"],
  ["channel_id", "integer"],
  ["channel_name", "text"],
  ["group", "text"],
  ["backup_group", "flag"],
  ["model_name", "text"],
  ["upstream_model", "text"],
  ["endpoint", "text"],
  ["is_stream", "flag"],
  ["outcome", "text"],
  ["status", "integer"],
  ["error_code", "text"],
  ["prompt_tokens", "long"],
  ["completion_tokens", "long"],
  ["quota", "long"],
  ["estimated", "flag"],
  ["request_time", "integer"],
  ["first_byte_time", "integer"],
  ["source_ip", "text"],
  ["price_version_id", "integer"],
  ["billing_tag", "text"],
  ["cache_hit", "flag"],
];

const columns: readonly ExportColumn[] = [
  ...stored.map(([name, kind]) => requiredColumn(name, kind, (row) => row.stored[name])),
  requiredColumn("cached_tokens", "long", ({ bill }) => BigInt(cachedTokensOf(bill))),
  optionalColumn("session_id", "text", ({ session }) => session?.id),
  optionalColumn("session_agent", "text", ({ session }) => session?.agent),
  optionalColumn("bill", "text", ({ bill }) => bill && JSON.stringify(bill)),
];

/** The schema of a file: its root, then its columns. */
export const logSchema: SchemaElement[] = [
  { name: "root", num_children: columns.length },
  ...columns.map(({ schema }) => schema),
];

/** What `LogRowToExport` is selected from: rows `l` of the log, and the channel `c` of each. */
export const readColumns = [
  ...stored.map(([name]) =>
    name === "channel_name" ? "COALESCE(c.name, '') AS channel_name" : `l."${name}"`,
  ),
  "l.session",
  "l.bill",
  "l.bill_facts",
].join(", ");

/** Returns the values of rows by column. */
export function columnsOf(rows: readonly LogRowToExport[]): { name: string; data: unknown[] }[] {
  const read = rows.map((row) => ({
    stored: row,
    bill: readBill(row),
    session: LogSession.safeParse(row.session).data,
  }));
  return columns.map(({ schema, valueOf }) => ({ name: schema.name, data: read.map(valueOf) }));
}

const cachedKinds: ReadonlySet<string> = new Set(["cached_tokens", "cached_read_tokens"]);

function cachedTokensOf(bill: Bill | undefined): number {
  const lines = bill?.lines.filter(({ kind }) => cachedKinds.has(kind)) ?? [];
  return lines.reduce((sum, { amount }) => sum + Math.round(amount), 0);
}
