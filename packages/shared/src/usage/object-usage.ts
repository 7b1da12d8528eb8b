/**
 * Usage of one channel, account or token: GET /api/channel/:id/usage, /api/user/:id/usage,
 * /api/token/:id/usage.
 */
import { z } from "zod";
import { Sum, UnixTime } from "#paging.ts";
import { TimeZone } from "#site/formats/time-zone.ts";
import { Failures, LatencySample, OVERVIEW_HOURS } from "./overview.ts";

/** Days of the chart, including the current one. */
export const USAGE_DAYS = 30;

export const ObjectUsageQuery = z.object({ time_zone: TimeZone });

const Hourly = z.array(Sum).length(OVERVIEW_HOURS);

const UsageOfDay = z.object({
  /** YYYY-MM-DD */
  date: z.string(),
  requests: Sum,
  failed: Sum,
  charged: Sum,
  tokens: Sum,
});
export type UsageOfDay = z.infer<typeof UsageOfDay>;

const FailedCall = z.object({
  request_id: z.string(),
  time: UnixTime,
  code: z.string(),
  status: z.int(),
  model: z.string(),
});
export type FailedCall = z.infer<typeof FailedCall>;

export const ObjectUsage = z.object({
  /** Start of the first of the 24 hours. */
  since: UnixTime,
  /** Calls by hour, failed ones included. */
  requests: Hourly,
  failed: Hourly,
  /** For a channel: attempts that failed here while another channel served the call. */
  rescued: Hourly,
  charged: Hourly,
  /** Local days of the requested time zone, oldest first. */
  days: z.array(UsageOfDay).length(USAGE_DAYS),
  /** Models of the 24 hours by charge, at most eight. */
  models: z.array(z.object({ name: z.string(), requests: z.int(), failed: z.int(), charged: Sum })),
  /** From the newest calls within 24 hours; at most 5,000 are read. */
  latency: LatencySample,
  failures: Failures,
  last_failed: FailedCall.nullable(),
});
export type ObjectUsage = z.infer<typeof ObjectUsage>;

/** Query of GET /api/channel/health: 24 hours of the listed channels. */
export const ChannelHealthQuery = z.object({
  ids: z.string().regex(/^\d{1,9}(,\d{1,9}){0,99}$/, "Send up to 100 ids"),
});

export const ChannelHours = z.object({
  since: UnixTime,
  channels: z.array(
    z.object({
      id: z.int(),
      requests: Hourly,
      failed: Hourly,
      rescued: Hourly,
      last_failed: FailedCall.nullable(),
    }),
  ),
});
export type ChannelHours = z.infer<typeof ChannelHours>;
