import { z } from "zod";
import { PageQuery, Points, UnixTime, queryInt } from "#paging.ts";
import { ReasonFacts } from "#reasons.ts";

export const LogType = { all: 0, topUp: 1, consume: 2, manage: 3, system: 4, failed: 5 } as const;

/** How a call ended; what each end costs is in docs/money.md. */
export const Outcome = z.enum(["complete", "client-left", "upstream-died", "interrupted", "failed"]);
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
  /** Milliseconds between the arrival of the call and the start of the attempt; calls of older versions have none. */
  begun: z.int().optional(),
  /** Of the channel at that time. */
  priority: z.int().optional(),
});
export type AttemptNote = z.infer<typeof AttemptNote>;

/** A channel that could have served a call, but was paused when it began. */
export const PausedChannel = z.object({
  channel_id: z.int(),
  channel_name: z.string(),
  /** The kind of error that paused it, `circuit`, or `probing`. */
  reason: z.string(),
  paused_until: UnixTime,
  /** The provider asked for the pause, with `Retry-After`. */
  provider_asked: z.boolean(),
  /** Calls of other accounts were not paused. */
  own_calls_only: z.boolean(),
});
export type PausedChannel = z.infer<typeof PausedChannel>;

/** Why a channel that lists the model was not tried by a call that failed somewhere. */
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

/** A channel that lists the model, but was not tried; recorded only for calls that failed at least once. */
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
  /** Effective ratio (points per token) or points per call, before the group's. */
  ratio: z.string(),
});

/** Everything needed to compute a charge again. Ratios are decimal strings: exact. */
export const Bill = z.object({
  price_type: z.string(),
  group_ratio: z.string(),
  /** The provider's service tier, where the price has a multiplier for it; the lines contain it. */
  service_tier: z.object({ name: z.string(), ratio: z.string() }).optional(),
  lines: z.array(BillLine),
  /** Exact sum in points before the one rounding. */
  exact: z.string(),
  /** Points of the sum that were not charged, because the balance or the limit of the key did not hold them. */
  uncollected: z.string().optional(),
  /** Counts as the provider reported them, by kind, that were not billed because they cannot be true. */
  implausible: z.record(z.string(), z.number()).optional(),
});
export type Bill = z.infer<typeof Bill>;

/** What an agent sends of its session. */
export const LogSession = z.object({
  id: z.string(),
  /** The agent within the session, and the one that started it. */
  agent: z.string().optional(),
  parent: z.string().optional(),
});
export type LogSession = z.infer<typeof LogSession>;

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
  /** Of the token at that time; "" for those who may not see tags. */
  billing_tag: z.string(),
  /** Answered from the cache of the token; no channel was asked. */
  cache_hit: z.boolean(),
  /** Null for calls that name none. */
  session: LogSession.nullable(),
  bill: Bill.nullable(),
  /** Admins only; null for others. */
  attempts: z.array(AttemptNote).nullable(),
  /** Channels that were paused when the call began; admins only. */
  paused: z.array(PausedChannel).nullable(),
  /** Channels that were not tried, of calls that failed at least once; admins only. */
  skipped: z.array(SkippedChannel).nullable(),
});
export type LogRow = z.infer<typeof LogRow>;

/** What was kept of a call: GET /api/log/:request_id/bodies. */
export const LogBodies = z.object({
  request: z.string(),
  /** As it was, before it was cut. */
  request_bytes: z.int(),
  response: z.string(),
  response_bytes: z.int(),
});
export type LogBodies = z.infer<typeof LogBodies>;

/** Keyset page: pass `next` as `cursor` to go on; null at the end. Without a cursor the answer counts pages besides. */
export const LogPage = z.object({
  data: z.array(LogRow),
  next: z.string().nullable(),
  page: z.int().optional(),
  size: z.int().optional(),
  total_count: z.int().optional(),
  /**
   * Set where a condition without an index read its 10,000 rows and found fewer than a page: it looked back to here.
   * `next` goes on from there.
   */
  searched_until: UnixTime.optional(),
});
export type LogPage = z.infer<typeof LogPage>;

export const LogQuery = z.object({
  cursor: z.string().max(64).default(""),
  size: PageQuery.shape.size,
  /** 1-based, in place of a cursor; such pages end at row 10,000. */
  page: queryInt(z.int().min(1).max(10_000)).optional(),
  /** `-field,other`, for numbered pages; newest first unless said. */
  order: PageQuery.shape.order,
  log_type: queryInt(z.int().min(0).max(5)).catch(0).default(0),
  start_timestamp: queryInt(z.int().min(0)).default(0),
  end_timestamp: queryInt(z.int().min(0)).default(0),
  model_name: z.string().max(160).default(""),
  token_name: z.string().max(64).default(""),
  request_id: z.string().max(64).default(""),
  source_ip: z.string().max(64).default(""),
  /** Ignored for those who may not see tags. */
  billing_tag: z.string().max(50).default(""),
  /** Admin view only; ignored elsewhere. */
  username: z.string().max(64).default(""),
  channel_id: queryInt(z.int().min(0)).catch(0).default(0),
  // The following have no index: each request looks through 10,000 rows of the filter above.
  outcome: z
    .enum(["", ...Outcome.options])
    .catch("")
    .default(""),
  error_code: z.string().max(100).default(""),
  /** The id of an agent's session. */
  session: z.string().max(200).default(""),
  /** 1 = calls with more than one attempt. Admin view only; ignored elsewhere. */
  retried: queryInt(z.int().min(0).max(1)).catch(0).default(0),
  /** Calls that took at least so many milliseconds. */
  min_time: queryInt(z.int().min(0)).catch(0).default(0),
  /** Calls that cost at least so many points. */
  min_quota: queryInt(z.int().min(0)).catch(0).default(0),
});
export type LogQuery = z.infer<typeof LogQuery>;

export const LogTotals = z.object({
  quota: Points,
  count: z.int(),
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  /** False: only the newest 10,000 rows were read, because this filter can be answered from no roll-up. */
  complete: z.boolean(),
});
export type LogTotals = z.infer<typeof LogTotals>;

/** Query of GET /api/log/facets. */
export const LogFacetsQuery = LogQuery.extend({
  /** Minutes east of UTC, for bars that begin at midnight. */
  offset: queryInt(z.int().min(-1_440).max(1_440)).catch(0).default(0),
});
export type LogFacetsQuery = z.infer<typeof LogFacetsQuery>;

const FacetValue = z.object({ value: z.string(), count: z.int() });
export type FacetValue = z.infer<typeof FacetValue>;

/** How the newest calls of a filter divide: at most 10,000 are counted. */
export const LogFacets = z.object({
  /** Calls that were counted. */
  counted: z.int(),
  /** False: the filter lets through more calls than were counted. */
  complete: z.boolean(),
  /** Of the oldest counted call; 0 without one. */
  since: UnixTime,
  /** The ten most frequent values each, under the conditions of all other facets. */
  outcome: z.array(FacetValue),
  error_code: z.array(FacetValue),
  model_name: z.array(FacetValue),
  token_name: z.array(FacetValue),
  /** Admin view only; empty elsewhere. */
  username: z.array(FacetValue),
  /** `value` is the id; admin view only. */
  channel_id: z.array(FacetValue.extend({ name: z.string() })),
  retried: z.int(),
  /** Calls from these limits on. */
  slow: z.object({ min_time: z.int(), count: z.int() }),
  expensive: z.object({ min_quota: Points, count: z.int() }),
  /** Calls over time: of the whole filter where roll-ups know it, else of the counted calls. */
  histogram: z.object({
    /** Seconds of a bar. */
    span: z.int(),
    bars: z.array(z.object({ starts: UnixTime, count: z.int(), failed: z.int() })),
    /** False: older bars are missing, as only the newest calls were counted. */
    complete: z.boolean(),
  }),
});
export type LogFacets = z.infer<typeof LogFacets>;
