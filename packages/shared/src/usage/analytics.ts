import { z } from "zod";
import { because } from "#errors/issue.ts";
import { queryInt, Sum, UnixTime } from "#paging.ts";
import { TimeZone } from "#site/formats/time-zone.ts";
import { groupTypes, ownGroupTypes } from "#usage/group-types.ts";
export { groupTypes, ownGroupTypes } from "#usage/group-types.ts";

/** Response of GET /api/analytics/statistics: the current totals of the site. */
export const SiteStatistics = z.object({
  user_statistics: z.object({
    /** Sum of all balances in points: the amount that the site owes its users. */
    total_quota: Sum,
    total_used_quota: Sum,
    /** Points reserved for active calls; included in the balances. */
    total_reserved: Sum,
    total_user: z.int(),
    total_inviter_user: z.int(),
  }),
  channel_statistics: z.array(z.object({ status: z.int(), total_channels: z.int() })),
  /** Codes by status: 1 open, 3 redeemed. */
  redemption_statistic: z.array(z.object({ status: z.int(), count: z.int(), quota: Sum })),
  /** Paid orders, one row per currency. Amounts of different currencies are never added. */
  order_statistics: z.array(
    z.object({ order_currency: z.string(), count: z.int(), money: z.number(), quota: Sum }),
  ),
  /** Calls and tokens of all users in the last 60 seconds. */
  rate: z.object({ rpm: z.int(), tpm: z.int() }),
  /** Last recomputation of every balance; null before the first. */
  audit: z.object({ created_time: UnixTime, checked: z.int(), drift: Sum }).nullable(),
});
export type SiteStatistics = z.infer<typeof SiteStatistics>;

export const GroupType = z.enum(groupTypes);
export type GroupType = z.infer<typeof GroupType>;

/** Maximum number of days between start and end of a period. */
export const LONGEST_PERIOD_DAYS = 366;

const Seconds = queryInt(z.int().min(0).max(253_402_300_799));

const instants = { start_timestamp: Seconds, end_timestamp: Seconds };

function endsInTime<Query extends { start_timestamp: number; end_timestamp: number }>(
  schema: z.ZodType<Query>,
) {
  return schema
    .refine((query) => query.end_timestamp > query.start_timestamp, {
      error: because("end_before_start"),
      path: ["end_timestamp"],
    })
    .refine((query) => query.end_timestamp - query.start_timestamp <= LONGEST_PERIOD_DAYS * 86_400, {
      error: because("period_too_long"),
      path: ["start_timestamp"],
    });
}

export const PeriodQuery = endsInTime(
  z.object({
    ...instants,
    // The older API treats unknown values as "channel".
    group_type: GroupType.catch("channel").default("channel"),
    /** Only calls of this user; 0 = of all users. */
    user_id: queryInt(z.int().min(0).max(2_147_483_647)).catch(0).default(0),
    time_zone: TimeZone,
  }),
);
export type PeriodQuery = z.infer<typeof PeriodQuery>;

const counters = {
  request_count: Sum,
  failed_count: Sum,
  quota: Sum,
  prompt_tokens: Sum,
  completion_tokens: Sum,
  /** Included in the input tokens. */
  cached_tokens: Sum,
  /** Milliseconds, summed over successful calls. */
  request_time: Sum,
  /** Milliseconds, summed over the same calls. */
  first_byte_time: Sum,
};
export const UsageSum = z.object(counters);
export type UsageSum = z.infer<typeof UsageSum>;

export const SearchSum = z.object({ count: Sum, quota: Sum });
export type SearchSum = z.infer<typeof SearchSum>;

/** Usage of one day and one value of the dimension. The first field names come from the older API. */
export const PeriodUsage = z.object({
  Date: z.string(),
  /** Name of the value. */
  Channel: z.string(),
  RequestCount: Sum,
  Quota: Sum,
  PromptTokens: Sum,
  CompletionTokens: Sum,
  RequestTime: Sum,
  FailedCount: Sum,
  CachedTokens: Sum,
  FirstByteTime: Sum,
  /** Web searches that the gateway ran, and the part of Quota that they cost. */
  SearchCount: Sum,
  SearchQuota: Sum,
});
export type PeriodUsage = z.infer<typeof PeriodUsage>;

export const TopUser = UsageSum.extend({ user_id: z.int(), username: z.string() });
export type TopUser = z.infer<typeof TopUser>;

/** Response of GET /api/analytics/period. All days in it are local to the requested time zone. */
export const Period = z.object({
  /** Every day of the period, so that a chart has no gaps. */
  dates: z.array(z.string()),
  channel_statistics: z.array(PeriodUsage),
  totals: UsageSum,
  /** Web searches that the gateway ran in the period, and the part of the charged points that they cost. */
  searches: SearchSum,
  /** The totals of the preceding period of the same length, up to the same time while this one has not ended. */
  before: UsageSum,
  /** The preceding period by day, as many as `dates`. */
  before_by_day: z.array(UsageSum),
  /** Users with at least one call. */
  active_users: z.int(),
  top_users: z.array(TopUser),
  user_statistics: z.array(z.object({ date: z.string(), user_count: z.int(), inviter_user_count: z.int() })),
  /** Redeemed codes, and the number of users who redeemed them. */
  redemption_statistics: z.array(z.object({ date: z.string(), quota: Sum, user_count: z.int() })),
  order_statistics: z.array(
    z.object({ date: z.string(), order_currency: z.string(), order_amount: z.number(), count: z.int() }),
  ),
  /** Changes of balances other than calls, by kind; negative values are deductions. */
  credit_statistics: z.array(
    z.object({ date: z.string(), kind: z.string(), quota: Sum, user_count: z.int() }),
  ),
});
export type Period = z.infer<typeof Period>;

export const OwnGroupType = z.enum(ownGroupTypes);
export type OwnGroupType = z.infer<typeof OwnGroupType>;

/** Query of GET /api/user/period. */
export const OwnPeriodQuery = endsInTime(
  z.object({ ...instants, group_type: OwnGroupType.default("model"), time_zone: TimeZone }),
);
export type OwnPeriodQuery = z.infer<typeof OwnPeriodQuery>;

/** Response of GET /api/user/period: the own usage, with the meaning of the fields in `Period`. */
export const OwnPeriod = Period.pick({
  dates: true,
  channel_statistics: true,
  totals: true,
  searches: true,
  before: true,
  before_by_day: true,
});
export type OwnPeriod = z.infer<typeof OwnPeriod>;

const Day = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}$/, because("date_format"))
  .refine((day) => !Number.isNaN(Date.parse(day)), because("date_format"));

/** Query of GET /api/analytics/multi_user_stats: the given users, both days included. */
export const UsersQuery = z
  .object({
    usernames: z
      .string()
      .max(4_000)
      .transform((list) =>
        [...new Set(list.split(",").map((name) => name.trim()))].filter((name) => name !== ""),
      )
      .pipe(z.array(z.string().max(64)).min(1, because("users_required")).max(50, because("users_too_many"))),
    start_time: Day,
    end_time: Day,
    time_zone: TimeZone,
  })
  .refine((query) => query.end_time >= query.start_time, {
    error: because("end_too_early"),
    path: ["end_time"],
  });
export type UsersQuery = z.infer<typeof UsersQuery>;

export const UserUsage = UsageSum.extend({ username: z.string() });
export type UserUsage = z.infer<typeof UserUsage>;
export const UserModelUsage = z.object({
  username: z.string(),
  model_name: z.string(),
  request_count: z.int(),
});
