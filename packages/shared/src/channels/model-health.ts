import { z } from "zod";
import { UnixTime } from "#paging.ts";

/**
 * How models did, for anyone who may use them. Shares, times and ranks only: how much a model is used, and through which
 * channels, stays with the operator.
 */

/** Hours that are shown; the last one has begun. */
export const HEALTH_HOURS = 24;
/** Days of the status page, in UTC; the last one has begun. */
export const HEALTH_DAYS = 90;

/** Of the calls that a model could have served; null = there were none, or no log of them. */
const Share = z.number().min(0).max(1).nullable();
const Milliseconds = z.number().nullable();

export const ModelHealth = z.object({
  /** Of the last 24 hours. */
  availability: Share,
  /** Oldest first. */
  hourly: z.array(Share).length(HEALTH_HOURS),
  p50: Milliseconds,
  p95: Milliseconds,
  /** Time to first token, of streams. */
  first_p50: Milliseconds,
  first_p95: Milliseconds,
  /** Output tokens per second of streams, the median. */
  tokens_per_second: z.number().nullable(),
});
export type ModelHealth = z.infer<typeof ModelHealth>;

/** GET /api/model_health: the models that the visitor's groups reach and that were called within 24 hours. */
export const ModelsHealth = z.object({
  /** When the first of the hours began. */
  since: UnixTime,
  models: z.record(z.string(), ModelHealth),
});
export type ModelsHealth = z.infer<typeof ModelsHealth>;

/** `no_data`: no calls within two hours. `outage`: no channel is enabled, or most calls fail. */
export const ModelState = z.enum(["operational", "degraded", "outage", "no_data"]);
export type ModelState = z.infer<typeof ModelState>;

const ModelStatus = z.object({
  model: z.string(),
  owner: z.string(),
  state: ModelState,
  availability: Share,
  hourly: z.array(Share).length(HEALTH_HOURS),
  /** Of the 90 days. */
  availability_90d: Share,
  daily: z.array(Share).length(HEALTH_DAYS),
});
export type ModelStatus = z.infer<typeof ModelStatus>;

/** GET /api/model_status, while the status page is enabled. */
export const StatusPage = z.object({
  computed_at: UnixTime,
  /** When the first of the hours began. */
  since: UnixTime,
  /** YYYY-MM-DD */
  first_day: z.string(),
  /** The worst first, then by name. */
  models: z.array(ModelStatus),
});
export type StatusPage = z.infer<typeof StatusPage>;
