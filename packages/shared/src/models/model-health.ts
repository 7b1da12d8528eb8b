/**
 * Health of models, for anyone who may use them. It contains only shares, times and ranks. How much a model
 * is used, and through which channels, is visible to the operator only.
 */
import { z } from "zod";
import { UnixTime } from "#paging.ts";

/** Hours that are shown, including the current one. */
export const HEALTH_HOURS = 24;
/** Days of the status page in UTC, including the current one. */
export const HEALTH_DAYS = 90;

/** Share of the calls that a model could have served. Null = there were none, or they were not logged. */
const Share = z.number().min(0).max(1).nullable();
const Milliseconds = z.number().nullable();

export const ModelHealth = z.object({
  /** Availability in the last 24 hours. */
  availability: Share,
  /** Oldest first. */
  hourly: z.array(Share).length(HEALTH_HOURS),
  p50: Milliseconds,
  p95: Milliseconds,
  /** Time to first token of the same calls. That of a response that is not streamed is its first byte. */
  first_p50: Milliseconds,
  first_p95: Milliseconds,
  /** Median output tokens per second of streamed calls. */
  tokens_per_second: z.number().nullable(),
});
export type ModelHealth = z.infer<typeof ModelHealth>;

/** GET /api/model_health: models of the visitor's groups that were called within 24 hours. */
export const ModelsHealth = z.object({
  /** Start of the first hour. */
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
  /** Availability in the 90 days. */
  availability_90d: Share,
  daily: z.array(Share).length(HEALTH_DAYS),
});
export type ModelStatus = z.infer<typeof ModelStatus>;

/** GET /api/model_status, while the status page is enabled. */
export const StatusPage = z.object({
  computed_at: UnixTime,
  /** Start of the first hour. */
  since: UnixTime,
  /** YYYY-MM-DD */
  first_day: z.string(),
  /** Worst first, then by name. */
  models: z.array(ModelStatus),
});
export type StatusPage = z.infer<typeof StatusPage>;
