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
 * The request log's row of a call, as the ledger's statements take it. It must not know why a call cost what it
 * cost.
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
  /** The billed name. */
  modelName: string;
  upstreamModel: string;
  endpoint: string;
  isStream: boolean;
  outcome: Outcome;
  status: number;
  errorCode: string;
  content: string;
  /** The facts behind `content`. */
  contentFacts?: readonly ReasonFact[];
  usage: Usage | undefined;
  /** Points; 0n when the call costs nothing. The ledger charges less where the balance does not hold as much. */
  quota: bigint;
  /** Less was reserved than the call could cost, by the operator's wish: limits of the key do not cut the charge. */
  partlyReserved?: boolean;
  estimated: boolean;
  requestTimeMs: number;
  firstByteTimeMs: number;
  sourceIp: string;
  priceVersionId: number;
  bill: Bill | null;
  attempts: AttemptNote[];
  /** Channels that were paused when the call began; they stand behind the attempts in the same column. */
  paused?: readonly PausedChannel[];
  /** Channels that were not tried, of calls that failed at least once; in the same column, too. */
  skipped?: readonly SkippedChannel[];
  /** Of the token at that time. */
  billingTag: string;
  /** The answer was one that had been given before; no channel was asked. */
  cacheHit: boolean;
  /** Names an agent's session. */
  session?: LogSession | undefined;
}

/** Column names and types of `json_to_recordset` for `rowOf`; the log's own columns come first. */
export const logColumns = {
  created_at: "timestamptz",
  request_id: "text",
  type: "smallint",
  user_id: "int",
  username: "text",
  token_id: "int",
  token_name: "text",
  channel_id: "int",
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
  content_facts: "jsonb",
  prompt_tokens: "bigint",
  completion_tokens: "bigint",
  quota: "bigint",
  estimated: "boolean",
  request_time: "int",
  first_byte_time: "int",
  source_ip: "text",
  price_version_id: "int",
  bill: "jsonb",
  attempts: "jsonb",
  billing_tag: "text",
  cache_hit: "boolean",
  session: "jsonb",
} as const;

type LogColumn = keyof typeof logColumns;

/** A log row as JSON, and what the roll-up needs besides. */
export type LogJson = Record<LogColumn, unknown> & { cached_tokens: number; held_in_part: boolean };

// A sentence of a provider may be a whole page; the column is for people.
const longestText = 4_000;

function clean(text: string, longest = longestText): string {
  return storableText(text, longest);
}

// Of a value in a fact, which a sentence names.
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

/** The record as the statements' JSON. Never throws: a log line must not be what a settlement fails on. */
export function rowOf(record: CallRecord): LogJson {
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
    // These two are keys of the roll-up, where they have a width.
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
    attempts: [
      ...record.attempts.map((note) => ({
        ...note,
        channel_name: clean(note.channel_name),
        result: clean(note.result),
        message: clean(note.message),
      })),
      ...(record.paused ?? []).map((note) => ({ ...note, channel_name: clean(note.channel_name) })),
      ...(record.skipped ?? []).map((note) => ({ ...note, channel_name: clean(note.channel_name) })),
    ],
    billing_tag: clean(record.billingTag, 50),
    cache_hit: record.cacheHit,
    session: record.session === undefined ? null : cleanSession(record.session),
    cached_tokens: whole(usage?.cacheRead ?? 0, Number.MAX_SAFE_INTEGER),
    held_in_part: record.partlyReserved === true,
  };
}
