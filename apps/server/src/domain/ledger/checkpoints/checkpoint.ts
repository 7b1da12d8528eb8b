import { ReasonFacts } from "@gateway/shared/reasons";
import {
  AttemptNote,
  Bill,
  LogSession,
  Outcome,
  PausedChannel,
  SkippedChannel,
} from "@gateway/shared/usage/log";
import { z } from "zod";
import { type CallRecord, rowOf } from "#domain/ledger/calls/call-record.ts";

/**
 * Data that a long call keeps in its reservation in case its node dies: the log row to write then, in the
 * log's own columns. It must not decide when checkpoints are made or what a call costs.
 */
const count = z.number().nonnegative();
const id = z.int().nonnegative();

const Checkpoint = z.object({
  created_at: z.iso.datetime(),
  request_id: z.string(),
  type: z.literal(2),
  user_id: id,
  username: z.string(),
  token_id: id,
  token_name: z.string(),
  channel_id: id,
  group: z.string(),
  backup_group: z.boolean(),
  model_name: z.string(),
  upstream_model: z.string(),
  endpoint: z.string(),
  is_stream: z.boolean(),
  outcome: Outcome,
  status: z.int(),
  error_code: z.string(),
  content: z.string(),
  content_facts: ReasonFacts.nullish(),
  prompt_tokens: count,
  completion_tokens: count,
  cached_tokens: count,
  quota: z.string().regex(/^\d{1,16}$/),
  held_in_part: z.boolean(),
  estimated: z.boolean(),
  request_time: count,
  first_byte_time: count,
  source_ip: z.string(),
  price_version_id: id,
  bill: Bill.nullable(),
  attempts: z.array(z.union([AttemptNote, PausedChannel, SkippedChannel])),
  billing_tag: z.string(),
  cache_hit: z.boolean(),
  // Checkpoints of an older version do not have this field.
  session: LogSession.nullish(),
});

/** Returns the checkpoint as JSON, for the column. */
export function checkpointOf(record: CallRecord): object {
  return rowOf(record);
}

/** Returns the call as it is charged; undefined for an unreadable checkpoint. */
export function parseCheckpoint(checkpoint: unknown): CallRecord | undefined {
  const { success, data: row } = Checkpoint.safeParse(checkpoint);
  if (!success) return undefined;
  return {
    requestId: row.request_id,
    createdAt: new Date(row.created_at),
    type: row.type,
    userId: row.user_id,
    username: row.username,
    tokenId: row.token_id,
    tokenName: row.token_name,
    channelId: row.channel_id,
    group: row.group,
    backupGroup: row.backup_group,
    modelName: row.model_name,
    upstreamModel: row.upstream_model,
    endpoint: row.endpoint,
    isStream: row.is_stream,
    outcome: row.outcome,
    status: row.status,
    errorCode: row.error_code,
    content: row.content,
    ...(row.content_facts ? { contentFacts: row.content_facts } : {}),
    usage: { input: row.prompt_tokens, output: row.completion_tokens, cacheRead: row.cached_tokens },
    quota: BigInt(row.quota),
    partlyReserved: row.held_in_part,
    estimated: row.estimated,
    requestTimeMs: row.request_time,
    firstByteTimeMs: row.first_byte_time,
    sourceIp: row.source_ip,
    priceVersionId: row.price_version_id,
    bill: row.bill,
    attempts: row.attempts.filter((note) => "result" in note),
    paused: row.attempts.filter((note) => "reason" in note),
    skipped: row.attempts.filter((note) => "skipped" in note),
    billingTag: row.billing_tag,
    cacheHit: row.cache_hit,
    session: row.session ?? undefined,
  };
}
