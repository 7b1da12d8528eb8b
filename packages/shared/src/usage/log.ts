import { z } from "zod";
import { PageQuery, Points, UnixTime, queryInt } from "#paging.ts";
import { ReasonFacts } from "#reasons.ts";
import { outcomes } from "#usage/outcomes.ts";
export { outcomes } from "#usage/outcomes.ts";

export const Outcome = z.enum(outcomes);
export type Outcome = z.infer<typeof Outcome>;

/** One upstream call made for a request. */
export const AttemptNote = z.object({
  channel_id: z.int(),
  channel_name: z.string(),
  /** "ok", or the kind of error. */
  result: z.string(),
  status: z.int(),
  /** Milliseconds. */
  duration: z.int(),
  message: z.string(),
  /**
   * Milliseconds from the arrival of the call to the start of the attempt. Older versions did not record it.
   */
  begun: z.int().optional(),
  /** Priority of the channel at that time. */
  priority: z.int().optional(),
  /** Id that the provider gave the request, if its answer has one. */
  upstream_request_id: z.string().optional(),
  /** The response arrived over a WebSocket instead of HTTP. */
  transport: z.literal("websocket").optional(),
});
export type AttemptNote = z.infer<typeof AttemptNote>;

/** A channel that could have served a call, but was paused when the call began. */
export const PausedChannel = z.object({
  channel_id: z.int(),
  channel_name: z.string(),
  /** The kind of error that paused it, `circuit`, or `probing`. */
  reason: z.string(),
  paused_until: UnixTime,
  /** The provider requested the pause with `Retry-After`. */
  provider_asked: z.boolean(),
  /** Only the calls of this account were paused. */
  own_calls_only: z.boolean(),
});
export type PausedChannel = z.infer<typeof PausedChannel>;

/** Why a failed call did not try a channel that lists the model. */
export const SkipReason = z.enum([
  "lower-priority",
  "not-chosen",
  "backup-group",
  "busy",
  "paused",
  "no-tools",
  "no-streaming",
  "no-price",
]);
export type SkipReason = z.infer<typeof SkipReason>;

/**
 * A channel that lists the model, but was not tried. Recorded only for calls with at least one failed
 * attempt.
 */
export const SkippedChannel = z.object({
  channel_id: z.int(),
  channel_name: z.string(),
  skipped: SkipReason,
  priority: z.int(),
});
export type SkippedChannel = z.infer<typeof SkippedChannel>;

/** One line of a bill: tokens × ratio, or calls × price. */
export const BillLine = z.object({
  kind: z.string(),
  amount: z.number(),
  /** Points per token or per call, before the group's ratio. */
  ratio: z.string(),
});

/** Everything needed to recompute a charge. Ratios are exact decimal strings. */
export const Bill = z.object({
  price_type: z.string(),
  group_ratio: z.string(),
  /** The provider's service tier, if the price has a multiplier for it. The lines include the multiplier. */
  service_tier: z.object({ name: z.string(), ratio: z.string() }).optional(),
  lines: z.array(BillLine),
  /** Exact sum in points before it is rounded once. */
  exact: z.string(),
  /** Points that were not charged: the balance did not cover them, or they are above the call's quote. */
  uncollected: z.string().optional(),
  /** The quote that the call used, and the points that it may cost at most. */
  quote: z.object({ id: z.string(), amount: z.string() }).optional(),
  /** Marks for the provider's prompt cache that the gateway added; absent = none. */
  marks: z.int().positive().optional(),
  /** Reported counts by kind that were not billed because they are impossible. */
  implausible: z.record(z.string(), z.number()).optional(),
});
export type Bill = z.infer<typeof Bill>;

/** Session data that an agent sends. */
export const LogSession = z.object({
  id: z.string(),
  /** The agent within the session, and its parent agent. */
  agent: z.string().optional(),
  parent: z.string().optional(),
});
export type LogSession = z.infer<typeof LogSession>;

/** The derived key of a call. */
export const LogDerivedKey = z.object({
  id: z.string(),
  /** The labels of its levels: "planner / researcher"; "" without one. */
  label: z.string(),
});
export type LogDerivedKey = z.infer<typeof LogDerivedKey>;

export const LogRow = z.object({
  id: z.string(),
  created_at: UnixTime,
  request_id: z.string(),
  type: z.int(),
  user_id: z.int(),
  username: z.string(),
  token_id: z.int(),
  token_name: z.string(),
  channel_id: z.int(),
  channel_name: z.string(),
  group: z.string(),
  backup_group: z.boolean(),
  model_name: z.string(),
  upstream_model: z.string(),
  endpoint: z.string(),
  is_stream: z.boolean(),
  outcome: z.string(),
  status: z.int(),
  error_code: z.string(),
  content: z.string(),
  /** The facts behind `content`. */
  content_facts: ReasonFacts,
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  quota: Points,
  estimated: z.boolean(),
  request_time: z.int(),
  first_byte_time: z.int(),
  source_ip: z.string(),
  /** Tag of the token at that time; "" for readers who may not see tags. */
  billing_tag: z.string(),
  /** Served from the token's cache; no channel was called. */
  cache_hit: z.boolean(),
  /** Null for calls without a session. */
  session: LogSession.nullable(),
  /** Null for calls with the token's own key. */
  derived_key: LogDerivedKey.nullable(),
  bill: Bill.nullable(),
  /** For administrators; null for others. */
  attempts: z.array(AttemptNote).nullable(),
  /** Channels that were paused when the call began. For administrators only. */
  paused: z.array(PausedChannel).nullable(),
  /** Channels that a call with at least one failed attempt did not try. For administrators only. */
  skipped: z.array(SkippedChannel).nullable(),
});
export type LogRow = z.infer<typeof LogRow>;

/** Kept bodies of a call: GET /api/log/:request_id/bodies. */
export const LogBodies = z.object({
  request: z.string(),
  /** Original size, before truncation. */
  request_bytes: z.int(),
  response: z.string(),
  response_bytes: z.int(),
});
export type LogBodies = z.infer<typeof LogBodies>;

/**
 * A keyset page. Send `next` as `cursor` to continue; null at the end. Without a cursor the response also
 * counts pages.
 */
export const LogPage = z.object({
  data: z.array(LogRow),
  next: z.string().nullable(),
  page: z.int().optional(),
  size: z.int().optional(),
  total_count: z.int().optional(),
  /**
   * Set when a condition without an index read its 10,000 rows and found less than a page. It is the time of
   * the oldest row read; `next` continues from there.
   */
  searched_until: UnixTime.optional(),
});
export type LogPage = z.infer<typeof LogPage>;

export const LogQuery = z.object({
  cursor: z.string().max(64).default(""),
  size: PageQuery.shape.size,
  /** 1-based page number instead of a cursor. Such pages end at row 10,000. */
  page: queryInt(z.int().min(1).max(10_000)).optional(),
  /** `-field,other`, for numbered pages; newest first by default. */
  order: PageQuery.shape.order,
  log_type: queryInt(z.int().min(0).max(5)).catch(0).default(0),
  start_timestamp: queryInt(z.int().min(0)).default(0),
  end_timestamp: queryInt(z.int().min(0)).default(0),
  model_name: z.string().max(160).default(""),
  token_name: z.string().max(64).default(""),
  request_id: z.string().max(64).default(""),
  source_ip: z.string().max(64).default(""),
  /** The id of an agent's session, of which the log keeps 200 characters. */
  session: z.string().max(200).default(""),
  /** The ID of a derived key. */
  derived_key: z.string().max(32).default(""),
  /** Ignored for readers who may not see tags. */
  billing_tag: z.string().max(50).default(""),
  /** Administrators only; otherwise ignored. */
  username: z.string().max(64).default(""),
  channel_id: queryInt(z.int().min(0)).catch(0).default(0),
  // The following filters have no index. Each request reads 10,000 rows of the filter above.
  outcome: z
    .enum(["", ...Outcome.options])
    .catch("")
    .default(""),
  error_code: z.string().max(100).default(""),
  /** 1 = calls with more than one attempt. Administrators only; otherwise ignored. */
  retried: queryInt(z.int().min(0).max(1)).catch(0).default(0),
  /** Minimum duration of the calls, in milliseconds. */
  min_time: queryInt(z.int().min(0)).catch(0).default(0),
  /** Minimum charge of the calls, in points. */
  min_quota: queryInt(z.int().min(0)).catch(0).default(0),
});
export type LogQuery = z.infer<typeof LogQuery>;

export const LogTotals = z.object({
  quota: Points,
  count: z.int(),
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  /** False: only the newest 10,000 rows were read, because no roll-up covers this filter. */
  complete: z.boolean(),
});
export type LogTotals = z.infer<typeof LogTotals>;

/** Query of GET /api/log/facets. */
export const LogFacetsQuery = LogQuery.extend({
  /** Minutes east of UTC, for bars that begin at local midnight. */
  offset: queryInt(z.int().min(-1_440).max(1_440)).catch(0).default(0),
});
export type LogFacetsQuery = z.infer<typeof LogFacetsQuery>;

const FacetValue = z.object({ value: z.string(), count: z.int() });
export type FacetValue = z.infer<typeof FacetValue>;

/** Facets of the newest calls of a filter. At most 10,000 calls are counted. */
export const LogFacets = z.object({
  /** Number of counted calls. */
  counted: z.int(),
  /** False: the filter matches more calls than were counted. */
  complete: z.boolean(),
  /** Time of the oldest counted call; 0 without one. */
  since: UnixTime,
  /** The ten most frequent values of each facet, with the conditions of all other facets applied. */
  outcome: z.array(FacetValue),
  error_code: z.array(FacetValue),
  model_name: z.array(FacetValue),
  token_name: z.array(FacetValue),
  session: z.array(FacetValue),
  /** Administrators only; otherwise empty. */
  username: z.array(FacetValue),
  /** `value` is the channel id. Administrators only. */
  channel_id: z.array(FacetValue.extend({ name: z.string() })),
  retried: z.int(),
  /** Calls that took at least these times. */
  slow: z.object({ min_time: z.int(), count: z.int() }),
  expensive: z.object({ min_quota: Points, count: z.int() }),
  /** Calls over time: the whole filter if roll-ups cover it, else the counted calls. */
  histogram: z.object({
    /** Width of a bar, in seconds. */
    span: z.int(),
    bars: z.array(z.object({ starts: UnixTime, count: z.int(), failed: z.int() })),
    /** False: older bars are missing, because only the newest calls were counted. */
    complete: z.boolean(),
  }),
});
export type LogFacets = z.infer<typeof LogFacets>;
