import { z } from "zod";
import { Points, UnixTime } from "#paging.ts";
import { PeriodQuery } from "./analytics.ts";

/** GET /api/analytics/insights: who used what through which channel, and how it compares with the time before. */

export const InsightsQuery = PeriodQuery;

/** Flows and margins cover at most so many days, the last ones of the period. */
export const FLOW_DAYS = 31;

const Amounts = z.object({
  quota: Points,
  requests: z.int(),
  /** Input and output. */
  tokens: z.int(),
  failed: z.int(),
});
export type Amounts = z.infer<typeof Amounts>;

/** The same over as long a time just before. */
const Ranked = Amounts.extend({ id: z.int(), name: z.string(), before: Amounts });
export type Ranked = z.infer<typeof Ranked>;

const ChannelInsight = Amounts.extend({
  id: z.int(),
  name: z.string(),
  /** Milliseconds, of the newest calls of the period. */
  p50: z.number().nullable(),
  p95: z.number().nullable(),
  /** Charged since `flows.since`, as far as the cost is known. */
  charged: Points,
  /** What those calls cost at list prices, in points. */
  cost: z.number(),
  /** Calls of groups whose ratio is 0: their cost is not known. */
  without_cost: z.int(),
});

/** Calls of one user, by one key, in one group, for one model, through one channel. */
export const FlowPath = Amounts.extend({
  user_id: z.int(),
  token_id: z.int(),
  group: z.string(),
  model: z.string(),
  /** 0: the call reached no channel. */
  channel_id: z.int(),
});
export type FlowPath = z.infer<typeof FlowPath>;

const Names = z.record(z.string(), z.string());

export const Insights = z.object({
  models: z.array(Ranked),
  users: z.array(Ranked),
  channels: z.array(ChannelInsight),
  flows: z.object({
    since: UnixTime,
    /** Those with the most charges or requests; `rest` has the sum of all others. */
    paths: z.array(FlowPath),
    rest: Amounts,
    users: Names,
    tokens: Names,
    channels: Names,
  }),
});
export type Insights = z.infer<typeof Insights>;
