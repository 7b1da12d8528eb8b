/**
 * GET /api/overview: the state of the gateway, for operators. Parts that a reader may not see are null or
 * absent.
 */
import { z } from "zod";
import { Sum, UnixTime } from "#paging.ts";
import { ReasonFacts } from "#reasons.ts";

/** Hours of the overview, including the current one. */
export const OVERVIEW_HOURS = 24;

/** The last 24 hours, and the 24 hours before them up to the same minute. */
const PeriodComparison = z.object({ now: z.number(), before: z.number() });
export type PeriodComparison = z.infer<typeof PeriodComparison>;

/** Latency in milliseconds of the newest successful calls of a day. At most 5,000 log rows are read. */
export const LatencySample = z.object({
  calls: z.int(),
  /** Time of the oldest call that was read. */
  since: UnixTime.nullable(),
  p50: z.number().nullable(),
  p95: z.number().nullable(),
  /** Time to first token of the same calls. That of a response that is not streamed is its first byte. */
  first_p50: z.number().nullable(),
  first_p95: z.number().nullable(),
});
export type LatencySample = z.infer<typeof LatencySample>;

/** Failed calls with the same reason. */
export const FailureReason = z.object({
  /** A code of errors.ts; "" when the call has none. */
  code: z.string(),
  status: z.int(),
  count: z.int(),
  users: z.int(),
  last_time: UnixTime,
});
export type FailureReason = z.infer<typeof FailureReason>;

export const Failures = z.object({
  reasons: z.array(FailureReason),
  /** False: only the newest 5,000 failed calls were read. */
  complete: z.boolean(),
});
export type Failures = z.infer<typeof Failures>;

/** Charged points of a model or user on both days. */
const Change = z.object({ name: z.string(), now: Sum, before: Sum, requests: z.int() });
export type Change = z.infer<typeof Change>;

const Hourly = z.array(Sum).length(OVERVIEW_HOURS);

export const Traffic = z.object({
  requests: PeriodComparison,
  failed: PeriodComparison,
  tokens: PeriodComparison,
  /** Points. */
  charged: PeriodComparison,
  /** Points: the charges without the group ratios, which are the prices of the price list. */
  provider_cost: PeriodComparison,
  /** Calls of groups with ratio 0, whose provider cost is unknown. */
  free_requests: z.int(),
  latency: z.object({ now: LatencySample, before: LatencySample }),
  /** Requests and tokens of the last 60 seconds. */
  rate: z.object({ rpm: z.int(), tpm: z.int() }),
  hourly: z.object({ requests: Hourly, failed: Hourly, charged: Hourly, requests_before: Hourly }),
  failures: Failures,
  models: z.array(Change),
  users: z.array(Change.extend({ id: z.int() })),
});
export type Traffic = z.infer<typeof Traffic>;

export const ChannelHealth = z.object({
  id: z.int(),
  name: z.string(),
  type: z.int(),
  status: z.int(),
  status_reason: z.string(),
  /** Calls per hour that ended at this channel, and how many of them failed. */
  requests: Hourly,
  failed: Hourly,
  /** Attempts that failed here while another channel served the call, among the newest 5,000 calls. */
  rescued: Hourly,
  charged: Sum,
  /** Milliseconds, from its calls in the latency sample. */
  p50: z.number().nullable(),
  p95: z.number().nullable(),
});
export type ChannelHealth = z.infer<typeof ChannelHealth>;

export const ChannelsHealth = z.object({
  total: z.int(),
  enabled: z.int(),
  disabled: z.int(),
  auto_disabled: z.int(),
  /** At most 50: channels with calls first, then automatically disabled ones. */
  rows: z.array(ChannelHealth),
});
export type ChannelsHealth = z.infer<typeof ChannelsHealth>;

/** A problem that an operator should look at. Facts only, because the reader's language is unknown here. */
export const AttentionItem = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("channel-disabled"),
    id: z.int(),
    name: z.string(),
    reason: z.string(),
    reason_facts: ReasonFacts,
    time: UnixTime.nullable(),
  }),
  /** Failed attempts in the current and the previous hour. */
  z.object({
    kind: z.literal("channel-failing"),
    id: z.int(),
    name: z.string(),
    failed: z.int(),
    requests: z.int(),
  }),
  z.object({
    kind: z.literal("channel-balance"),
    id: z.int(),
    name: z.string(),
    balance: z.number(),
    currency: z.string(),
    /** At the rate of the last 24 hours; null without calls. */
    days_left: z.number().nullable(),
  }),
  z.object({ kind: z.literal("unpriced"), count: z.int(), models: z.array(z.string()) }),
  z.object({
    kind: z.literal("notice"),
    event: z.enum(["payment-trouble", "job-failed", "prices-failed"]),
    /** Name of the job or the payment gateway. */
    name: z.string(),
    reason: z.string(),
    reason_facts: ReasonFacts,
    time: UnixTime,
    count: z.int(),
  }),
  /** Calls that were rejected because a customer's balance was empty. */
  z.object({ kind: z.literal("balance-empty"), calls: z.int(), users: z.int() }),
  z.object({ kind: z.literal("audit-drift"), drift: Sum, time: UnixTime }),
]);
export type AttentionItem = z.infer<typeof AttentionItem>;

export const Overview = z.object({
  /** Changes whenever anything but `computed_at` changes. */
  version: z.string(),
  computed_at: UnixTime,
  /** Start of the first of the 24 hours. */
  since: UnixTime,
  traffic: Traffic.nullable(),
  channels: ChannelsHealth.nullable(),
  attention: z.array(AttentionItem),
});
export type Overview = z.infer<typeof Overview>;

/** GET /api/overview/events. */
export const OverviewEventsQuery = z.object({
  /** The `version` that the client has; "" for none. */
  seen: z.string().max(64),
});
