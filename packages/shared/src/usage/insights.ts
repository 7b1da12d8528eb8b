/** GET /api/analytics/insights: usage by user and channel, compared with the preceding period. */
import { z } from "zod";
import { Sum, UnixTime } from "#paging.ts";
import { PeriodQuery } from "./analytics.ts";

export const InsightsQuery = PeriodQuery;

const Amounts = z.object({
  quota: Sum,
  requests: Sum,
  /** Input and output tokens. */
  tokens: Sum,
  failed: Sum,
});
export type Amounts = z.infer<typeof Amounts>;

/** `before`: the preceding period of the same length, up to the same time while this one has not ended. */
const RankedAmounts = Amounts.extend({ id: z.int(), name: z.string(), before: Amounts });
export type RankedAmounts = z.infer<typeof RankedAmounts>;

const ChannelInsight = Amounts.extend({
  id: z.int(),
  name: z.string(),
  /** Milliseconds, from the newest calls of the period. */
  p50: z.number().nullable(),
  p95: z.number().nullable(),
  /** Points charged since `flows.since` for calls with a known cost. */
  charged: Sum,
  /** Cost of those calls at list prices, in points. */
  cost: z.number(),
  /** Calls of groups with ratio 0, whose cost is unknown. */
  without_cost: z.int(),
});

/** Calls of one user, by one key, in one group, for one model, through one channel. */
export const FlowPath = Amounts.extend({
  user_id: z.int(),
  token_id: z.int(),
  group: z.string(),
  model: z.string(),
  /** 0 = the call reached no channel. */
  channel_id: z.int(),
});
export type FlowPath = z.infer<typeof FlowPath>;

const Names = z.record(z.string(), z.string());

export const Insights = z.object({
  models: z.array(RankedAmounts),
  users: z.array(RankedAmounts),
  channels: z.array(ChannelInsight),
  flows: z.object({
    since: UnixTime,
    /** The paths with the most charges or requests; `rest` is the sum of all others. */
    paths: z.array(FlowPath),
    rest: Amounts,
    users: Names,
    tokens: Names,
    channels: Names,
  }),
});
export type Insights = z.infer<typeof Insights>;
