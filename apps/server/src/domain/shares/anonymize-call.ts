import type { LogRow } from "@gateway/shared/usage/log";
import { numberChannels } from "#domain/logs/number-channels.ts";

/** What everyone may see of a call. Everything else is empty, also a new value of the log. */
const publicFields: ReadonlySet<string> = new Set<keyof LogRow>([
  "created_at",
  "request_id",
  "type",
  "model_name",
  "endpoint",
  "is_stream",
  "outcome",
  "status",
  "error_code",
  "prompt_tokens",
  "completion_tokens",
  "quota",
  "estimated",
  "request_time",
  "first_byte_time",
  "backup_group",
  "cache_hit",
  "bill",
]);

/**
 * Returns a call as everyone may see it: its figures, bill and route, without names and ids of accounts, keys, groups
 * and channels. The log's text may quote the request or the provider, so it belongs to the content.
 */
export function anonymizeCall(call: LogRow, { withContent }: { withContent: boolean }): LogRow {
  const fields = Object.entries(call).map(([name, value]: [string, unknown]) => [
    name,
    publicFields.has(name) ? value : emptyOf(value),
  ]);
  return {
    ...(Object.fromEntries(fields) as LogRow),
    content: withContent ? call.content : "",
    content_facts: withContent ? call.content_facts : [],
    attempts: call.attempts === null ? null : numberChannels(call.attempts),
  };
}

function emptyOf(value: unknown): "" | 0 | null {
  if (typeof value === "string") return "";
  return typeof value === "number" ? 0 : null;
}
