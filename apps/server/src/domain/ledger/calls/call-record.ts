import type { ReasonFact } from "@gateway/shared/reasons";
import type {
  AttemptNote,
  Bill,
  LogSession,
  Outcome,
  PausedChannel,
  SkippedChannel,
} from "@gateway/shared/usage/log";
import type { Usage } from "#dialects/ir.ts";
import { storableFacts, storableText } from "#platform/database/storable-text.ts";

/**
 * Log row of a call, as the ledger's statements take it. It must not depend on how the cost was computed.
 */
export interface CallRecord {
  requestId: string;
  createdAt: Date;
  /** 2 consume, 5 failed */
  type: 2 | 5;
  userId: number;
  username: string;
  tokenId: number;
  tokenName: string;
  channelId: number;
  group: string;
  backupGroup: boolean;
  /** The billed model name. */
  modelName: string;
  upstreamModel: string;
  endpoint: string;
  isStream: boolean;
  outcome: Outcome;
  status: number;
  errorCode: string;
  content: string;
  /** Structured facts behind `content`. */
  contentFacts?: readonly ReasonFact[];
  usage: Usage | undefined;
  /** Points; 0n when the call is free. The ledger charges less if the balance does not cover it. */
  quota: bigint;
  /**
   * The operator chose to reserve less than the possible cost: limits of the key do not reduce the charge.
   */
  partlyReserved?: boolean;
  estimated: boolean;
  requestTimeMs: number;
  firstByteTimeMs: number;
  sourceIp: string;
  priceVersionId: number;
  bill: Bill | null;
  attempts: AttemptNote[];
  /** Channels that were paused when the call began. Stored after the attempts in the same column. */
  paused?: readonly PausedChannel[];
  /** Channels that were not tried, for calls with at least one failed attempt. Stored in the same column. */
  skipped?: readonly SkippedChannel[];
  /** The token's tag at that time. */
  billingTag: string;
  /** The response came from the cache; no channel was called. */
  cacheHit: boolean;
  /** Identifies an agent's session. */
  session?: LogSession | undefined;
}

/** Names and types of the log's columns after the ID, in the order of the table. `rowOf` fills them. */
export const logColumns = {
  created_at: "timestamp with time zone",
  request_id: "text",
  type: "smallint",
  user_id: "integer",
  username: "text",
  token_id: "integer",
  token_name: "text",
  channel_id: "integer",
  group: "text",
  backup_group: "boolean",
  model_name: "text",
  upstream_model: "text",
  endpoint: "text",
  is_stream: "boolean",
  outcome: "text",
  status: "smallint",
  error_code: "text",
  content: "text",
  prompt_tokens: "bigint",
  completion_tokens: "bigint",
  quota: "bigint",
  estimated: "boolean",
  request_time: "integer",
  first_byte_time: "integer",
  source_ip: "text",
  price_version_id: "integer",
  bill: "jsonb",
  attempts: "jsonb",
  billing_tag: "text",
  cache_hit: "boolean",
  content_facts: "jsonb",
  session: "jsonb",
} as const;

type LogColumn = keyof typeof logColumns;

/** A log row as JSON, with the extra fields that the roll-up needs. */
export type LogRowJson = Record<LogColumn, unknown> & { cached_tokens: number; held_in_part: boolean };

// A provider's message may be a whole page; people read this column.
const longestText = 4_000;

function clean(text: string, longest = longestText): string {
  return storableText(text, longest);
}

// Maximum length of a value in a fact, because a sentence includes it.
const longestValue = 300;

const longestName = 200;

function cleanSession({ id, agent, parent }: LogSession): LogSession {
  return {
    id: clean(id, longestName),
    ...(agent === undefined ? {} : { agent: clean(agent, longestName) }),
    ...(parent === undefined ? {} : { parent: clean(parent, longestName) }),
  };
}

function whole(value: number, largest: number): number {
  return Number.isFinite(value) ? Math.min(Math.max(Math.round(value), 0), largest) : 0;
}

const largestInt = 2_147_483_647;
const largestSmallInt = 32_767;

function attemptsOf({ attempts, paused = [], skipped = [] }: CallRecord): object[] {
  const notes: object[] = attempts.map((note) => ({
    ...note,
    channel_name: clean(note.channel_name),
    result: clean(note.result),
    message: clean(note.message),
    upstream_request_id: note.upstream_request_id && clean(note.upstream_request_id),
  }));
  for (const others of [paused, skipped])
    for (const note of others) notes.push({ ...note, channel_name: clean(note.channel_name) });
  return notes;
}

/** Converts the record to the statements' JSON. Never throws: a log row must not make a settlement fail. */
export function rowOf(record: CallRecord): LogRowJson {
  const usage = record.usage;
  return {
    created_at: record.createdAt.toISOString(),
    request_id: clean(record.requestId, 64),
    type: record.type,
    user_id: record.userId,
    username: clean(record.username),
    token_id: record.tokenId,
    token_name: clean(record.tokenName),
    channel_id: record.channelId,
    // The roll-up uses group and model name as keys, where their width is limited.
    group: clean(record.group, 50),
    backup_group: record.backupGroup,
    model_name: clean(record.modelName, 160),
    upstream_model: clean(record.upstreamModel, 160),
    endpoint: clean(record.endpoint, 200),
    is_stream: record.isStream,
    outcome: record.outcome,
    status: whole(record.status, largestSmallInt),
    error_code: clean(record.errorCode, 100),
    content: clean(record.content),
    content_facts:
      record.contentFacts === undefined ? null : storableFacts(record.contentFacts, longestValue),
    prompt_tokens: whole(usage?.input ?? 0, Number.MAX_SAFE_INTEGER),
    completion_tokens: whole(usage?.output ?? 0, Number.MAX_SAFE_INTEGER),
    quota: String(record.quota),
    estimated: record.estimated,
    request_time: whole(record.requestTimeMs, largestInt),
    first_byte_time: whole(record.firstByteTimeMs, largestInt),
    source_ip: clean(record.sourceIp, 64),
    price_version_id: record.priceVersionId,
    bill: record.bill && {
      ...record.bill,
      lines: record.bill.lines.map((line) => ({ ...line, kind: clean(line.kind, 64) })),
    },
    attempts: attemptsOf(record),
    billing_tag: clean(record.billingTag, 50),
    cache_hit: record.cacheHit,
    session: record.session === undefined ? null : cleanSession(record.session),
    cached_tokens: whole(usage?.cacheRead ?? 0, Number.MAX_SAFE_INTEGER),
    held_in_part: record.partlyReserved === true,
  };
}
