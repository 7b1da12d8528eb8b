import { LogType } from "@gateway/shared/usage/log-type";
import type { LogRecord } from "#migration/records.ts";
import { truncateText } from "#migration/row.ts";
import { jsonRows } from "./json-rows.ts";
import { inBatches, type WriteContext } from "./write-context.ts";

export async function writeLogs(context: WriteContext, records: AsyncIterable<LogRecord>): Promise<void> {
  const { run, book, groups } = context;
  await inBatches(context, "logs", records, async (batch) => {
    const rows = [];
    for (const log of batch) rows.push({ ...rowOf(log), group: await groups.symbolOf(log.group) });
    await run(
      `INSERT INTO request_logs (created_at, request_id, type, user_id, username, token_id, token_name, channel_id, "group",
         backup_group, model_name, upstream_model, is_stream, outcome, status, content, prompt_tokens, completion_tokens, quota,
         request_time, first_byte_time, source_ip)
       SELECT * FROM jsonb_to_recordset($1::jsonb) AS r(created_at timestamptz, request_id text, type smallint, user_id int,
         username text, token_id int, token_name text, channel_id int, "group" text, backup_group boolean, model_name text,
         upstream_model text, is_stream boolean, outcome text, status smallint, content text, prompt_tokens bigint,
         completion_tokens bigint, quota bigint, request_time int, first_byte_time int, source_ip text)`,
      [jsonRows(rows)],
    );
    book.imported("logs", batch.length);
  });
}

function rowOf(log: LogRecord) {
  const failed = log.type === LogType.failed;
  return {
    created_at: log.createdAt.toISOString(),
    request_id: truncateText(log.requestId, 128),
    type: log.type,
    user_id: log.userId,
    username: truncateText(log.username, 64),
    token_id: log.tokenId,
    token_name: truncateText(log.tokenName, 200),
    channel_id: log.channelId,
    backup_group: log.backupGroup,
    model_name: truncateText(log.model, 200),
    upstream_model: truncateText(log.upstreamModel, 200),
    is_stream: log.isStream,
    outcome: failed ? "failed" : "complete",
    status: failed ? 500 : 200,
    content: log.content,
    prompt_tokens: Math.max(0, log.promptTokens),
    completion_tokens: Math.max(0, log.completionTokens),
    quota: String(log.quota),
    request_time: toMilliseconds(log.requestTime),
    first_byte_time: toMilliseconds(log.firstByteTime),
    source_ip: truncateText(log.ip, 64),
  };
}

const longest = 2_147_483_647;

function toMilliseconds(milliseconds: number): number {
  return Math.min(longest, Math.max(0, milliseconds));
}
