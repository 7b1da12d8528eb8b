import { type ReasonFact, ReasonFacts } from "@gateway/shared/reasons";
import {
  AttemptNote,
  Bill,
  LogDerivedKey,
  LogSession,
  Outcome,
  PausedChannel,
  SkippedChannel,
} from "@gateway/shared/usage/log";
import { z } from "zod";
import type { Usage } from "#dialects/ir.ts";
import { storableFacts } from "#platform/database/storable-text.ts";
import {
  clean,
  cleanAttempts,
  cleanBill,
  cleanSession,
  largestInt,
  largestSmallInt,
  longestFact,
  whole,
} from "./clean-log-values.ts";

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
  attempts: readonly AttemptNote[];
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
  derivedKey?: LogDerivedKey | undefined;
}

/** A column of the log. */
interface Column {
  /** Its type in Postgres. */
  type: string;
  /** Its form in a row that is passed to a statement, and in a checkpoint. */
  json: z.ZodType;
  of(call: CallRecord): unknown;
  /** Returns the part of the call that a checkpoint's value stands for. */
  read(value: unknown): Partial<CallRecord>;
  /** Everyone who sees the row sees the column, as it is stored. Others are shown by domain/logs/search.ts. */
  isShown: boolean;
}

function column<Json extends z.ZodType>(
  type: string,
  json: Json,
  of: (call: CallRecord) => unknown,
  read: (value: z.infer<Json>) => Partial<CallRecord>,
  { isShown = false } = {},
): Column {
  return { type, json, of, read: (value) => read(value as z.infer<Json>), isShown };
}

const id = z.int().nonnegative();
const count = z.number().nonnegative();
const shown = { isShown: true };

/**
 * The columns of the log after the ID, in the order of the table. A new one stands at the end; a checkpoint of an older
 * version does not have it, so its JSON is `nullish`.
 */
export const logColumns = {
  created_at: column(
    "timestamp with time zone",
    z.iso.datetime(),
    (call) => call.createdAt.toISOString(),
    (value) => ({ createdAt: new Date(value) }),
  ),
  request_id: column(
    "text",
    z.string(),
    (call) => clean(call.requestId, 64),
    (requestId) => ({ requestId }),
    shown,
  ),
  type: column(
    "smallint",
    z.literal([2, 5]),
    (call) => call.type,
    (type) => ({ type }),
    shown,
  ),
  user_id: column(
    "integer",
    id,
    (call) => call.userId,
    (userId) => ({ userId }),
    shown,
  ),
  username: column(
    "text",
    z.string(),
    (call) => clean(call.username),
    (username) => ({ username }),
    shown,
  ),
  token_id: column(
    "integer",
    id,
    (call) => call.tokenId,
    (tokenId) => ({ tokenId }),
    shown,
  ),
  token_name: column(
    "text",
    z.string(),
    (call) => clean(call.tokenName),
    (tokenName) => ({ tokenName }),
    shown,
  ),
  channel_id: column(
    "integer",
    id,
    (call) => call.channelId,
    (channelId) => ({ channelId }),
  ),
  // The roll-up uses group and model name as keys, where their width is limited.
  group: column(
    "text",
    z.string(),
    (call) => clean(call.group, 50),
    (group) => ({ group }),
    shown,
  ),
  backup_group: column(
    "boolean",
    z.boolean(),
    (call) => call.backupGroup,
    (backupGroup) => ({ backupGroup }),
    shown,
  ),
  model_name: column(
    "text",
    z.string(),
    (call) => clean(call.modelName, 160),
    (modelName) => ({ modelName }),
    shown,
  ),
  upstream_model: column(
    "text",
    z.string(),
    (call) => clean(call.upstreamModel, 160),
    (upstreamModel) => ({ upstreamModel }),
  ),
  endpoint: column(
    "text",
    z.string(),
    (call) => clean(call.endpoint, 200),
    (endpoint) => ({ endpoint }),
    shown,
  ),
  is_stream: column(
    "boolean",
    z.boolean(),
    (call) => call.isStream,
    (isStream) => ({ isStream }),
    shown,
  ),
  outcome: column(
    "text",
    Outcome,
    (call) => call.outcome,
    (outcome) => ({ outcome }),
    shown,
  ),
  status: column(
    "smallint",
    z.int(),
    (call) => whole(call.status, largestSmallInt),
    (status) => ({ status }),
    shown,
  ),
  error_code: column(
    "text",
    z.string(),
    (call) => clean(call.errorCode, 100),
    (errorCode) => ({ errorCode }),
    shown,
  ),
  content: column(
    "text",
    z.string(),
    (call) => clean(call.content),
    (content) => ({ content }),
    shown,
  ),
  prompt_tokens: column(
    "bigint",
    count,
    (call) => whole(call.usage?.input ?? 0, Number.MAX_SAFE_INTEGER),
    () => ({}),
  ),
  completion_tokens: column(
    "bigint",
    count,
    (call) => whole(call.usage?.output ?? 0, Number.MAX_SAFE_INTEGER),
    () => ({}),
  ),
  quota: column(
    "bigint",
    z.string().regex(/^\d{1,16}$/),
    (call) => String(call.quota),
    (points) => ({ quota: BigInt(points) }),
  ),
  estimated: column(
    "boolean",
    z.boolean(),
    (call) => call.estimated,
    (estimated) => ({ estimated }),
    shown,
  ),
  request_time: column(
    "integer",
    count,
    (call) => whole(call.requestTimeMs, largestInt),
    (requestTimeMs) => ({ requestTimeMs }),
    shown,
  ),
  first_byte_time: column(
    "integer",
    count,
    (call) => whole(call.firstByteTimeMs, largestInt),
    (firstByteTimeMs) => ({ firstByteTimeMs }),
    shown,
  ),
  source_ip: column(
    "text",
    z.string(),
    (call) => clean(call.sourceIp, 64),
    (sourceIp) => ({ sourceIp }),
    shown,
  ),
  price_version_id: column(
    "integer",
    id,
    (call) => call.priceVersionId,
    (priceVersionId) => ({ priceVersionId }),
  ),
  bill: column(
    "jsonb",
    Bill.nullable(),
    (call) => call.bill && cleanBill(call.bill),
    (bill) => ({ bill }),
  ),
  attempts: column(
    "jsonb",
    z.array(z.union([AttemptNote, PausedChannel, SkippedChannel])),
    (call) => cleanAttempts(call),
    (notes) => ({
      attempts: notes.filter((note) => "result" in note),
      paused: notes.filter((note) => "reason" in note),
      skipped: notes.filter((note) => "skipped" in note),
    }),
  ),
  billing_tag: column(
    "text",
    z.string(),
    (call) => clean(call.billingTag, 50),
    (billingTag) => ({ billingTag }),
  ),
  cache_hit: column(
    "boolean",
    z.boolean(),
    (call) => call.cacheHit,
    (cacheHit) => ({ cacheHit }),
    shown,
  ),
  content_facts: column(
    "jsonb",
    ReasonFacts.nullish(),
    (call) => (call.contentFacts === undefined ? null : storableFacts(call.contentFacts, longestFact)),
    (facts) => (facts ? { contentFacts: facts } : {}),
  ),
  session: column(
    "jsonb",
    LogSession.nullish(),
    (call) => (call.session === undefined ? null : cleanSession(call.session)),
    (session) => ({ session: session ?? undefined }),
  ),
  // A shorter form of `bill` and `attempts`, which rows get when their day has ended.
  bill_facts: column(
    "text",
    z.null().optional(),
    () => null,
    () => ({}),
  ),
  attempt_facts: column(
    "text",
    z.null().optional(),
    () => null,
    () => ({}),
  ),
  derived_key: column(
    "jsonb",
    LogDerivedKey.nullish(),
    (call) => call.derivedKey ?? null,
    (derivedKey) => (derivedKey ? { derivedKey } : {}),
  ),
} satisfies Record<string, Column>;

export type LogColumn = keyof typeof logColumns;

export const columnEntries = Object.entries(logColumns) as [LogColumn, Column][];

/** The columns that everyone who sees a row sees as they are stored. */
export const shownColumns = columnEntries.flatMap(([name, { isShown }]) => (isShown ? [name] : []));
