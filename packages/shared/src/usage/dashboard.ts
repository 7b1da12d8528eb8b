import { z } from "zod";
import { Points, queryInt } from "#paging.ts";
import { TimeZone } from "#site/formats/time-zone.ts";
import { Failures } from "./overview.ts";

/** Usage of one local day and model: GET /api/user/dashboard. */
export const UsageDay = z.object({
  /** YYYY-MM-DD in the caller's time zone. */
  date: z.string(),
  model: z.string(),
  request_count: z.int(),
  failed_count: z.int(),
  quota: Points,
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  /** Milliseconds, summed over successful calls. */
  request_time: z.int(),
});
export type UsageDay = z.infer<typeof UsageDay>;

export const DashboardQuery = z.object({
  time_zone: TimeZone,
  days: queryInt(z.int().min(1).max(31)).default(8),
});

export const Dashboard = z.object({
  /** Every requested day, oldest first, today last. */
  dates: z.array(z.string()),
  usage: z.array(UsageDay),
  /** Requests and tokens of the last 60 seconds, and the group's limit. */
  rate: z.object({ rpm: z.int(), tpm: z.int(), max_rpm: z.int() }),
  /** Yesterday up to the current time of day. */
  yesterday: z.object({
    request_count: z.int(),
    failed_count: z.int(),
    quota: Points,
    tokens: z.int(),
  }),
  /** Errors of the failed calls of the last 24 hours. */
  failures: Failures,
  /** Changes after each call and each change of the balance. */
  version: z.string(),
});
export type Dashboard = z.infer<typeof Dashboard>;

/** Query of GET /api/user/dashboard/events, which reports that the account has changed. */
export const AccountEventsQuery = z.object({
  /** The `version` that the client has; "" for none. */
  seen: z.string().max(100),
});
export const AccountEvent = z.object({ version: z.string() });
export type AccountEvent = z.infer<typeof AccountEvent>;
