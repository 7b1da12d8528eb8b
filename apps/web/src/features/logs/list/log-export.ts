/** The filtered log as a file. */
import type { LogRow } from "@gateway/shared/usage/log";
import { fetchLogs, type LogScope } from "#features/logs/api.ts";
import type { LogFilter } from "#features/logs/filters/log-filter.ts";
import { downloadCsv } from "#lib/format/csv.ts";
import { formatTime } from "#lib/format/quota.ts";

/** More rows would keep browser and server busy for minutes. */
export const mostRows = 10_000;

const fields: [string, (row: LogRow) => string | number][] = [
  ["time", (row) => formatTime(row.created_at)],
  ["request_id", (row) => row.request_id],
  ["type", (row) => row.type],
  ["username", (row) => row.username],
  ["token", (row) => row.token_name],
  ["billing_tag", (row) => row.billing_tag],
  ["group", (row) => row.group],
  ["channel_id", (row) => row.channel_id || ""],
  ["channel", (row) => row.channel_name],
  ["model", (row) => row.model_name],
  ["upstream_model", (row) => row.upstream_model],
  ["endpoint", (row) => row.endpoint],
  ["stream", (row) => (row.is_stream ? 1 : 0)],
  ["cache_hit", (row) => (row.cache_hit ? 1 : 0)],
  ["outcome", (row) => row.outcome],
  ["status", (row) => row.status],
  ["error_code", (row) => row.error_code],
  ["message", (row) => row.content],
  ["input_tokens", (row) => row.prompt_tokens],
  ["output_tokens", (row) => row.completion_tokens],
  ["points", (row) => row.quota],
  ["estimated", (row) => (row.estimated ? 1 : 0)],
  ["duration_ms", (row) => row.request_time],
  ["first_byte_ms", (row) => row.first_byte_time],
  ["source_ip", (row) => row.source_ip],
];

/** Downloads the newest rows of the filter. Returns their number, and whether these are all. */
export async function exportLogs(
  scope: LogScope,
  filter: LogFilter,
): Promise<{ count: number; complete: boolean }> {
  const rows: LogRow[] = [];
  let cursor: string | null = "";
  while (cursor !== null && rows.length < mostRows) {
    const page = await fetchLogs(scope, filter, cursor);
    rows.push(...page.data);
    cursor = page.next;
  }
  const table = [fields.map(([name]) => name), ...rows.map((row) => fields.map(([, value]) => value(row)))];
  downloadCsv(`logs-${new Date().toISOString().slice(0, 10)}.csv`, table);
  return { count: rows.length, complete: cursor === null };
}
