/** Parallel run: charges of a channel compared with those of the old gateway behind it. */
import { z } from "zod";
import { ErrorValues } from "#envelope.ts";
import { because } from "#errors/issue.ts";
import { UnixTime } from "#paging.ts";

/** Limits of the command line and of the console. */
export const comparisonLimits = { hours: 24 * 31, windowSeconds: 3_600, tolerance: 1_000_000 } as const;

/** Calls of one side that the console compares at most. The command line compares more. */
export const MAX_COMPARED_CALLS = 50_000;

/** A gateway whose log can be compared. */
export const ComparisonProduct = z.object({
  id: z.string(),
  title: z.string(),
  /** Its log can also be read through its management API. */
  has_log_api: z.boolean(),
});
export type ComparisonProduct = z.infer<typeof ComparisonProduct>;

const required = because("value_required");

/** Body of POST /api/migration/comparison. Address and token are used for this run only, and not stored. */
export const ComparisonInput = z.object({
  product: z.string().min(1, required).max(16),
  channel_id: z.int(required).min(1, required).max(2_147_483_647),
  /** Name of the key there that the channel uses. */
  key_name: z.string().trim().min(1, required).max(200),
  /** Owner of the key there, if several accounts have a key of this name. */
  username: z.string().trim().max(200).default(""),
  source: z.discriminatedUnion("kind", [
    z.object({
      kind: z.literal("api"),
      url: z.string().trim().min(1, required).max(2_000),
      /** Access token of the key's owner there. */
      access_token: z
        .string()
        .trim()
        .regex(/^[\x21-\x7e]{1,500}$/, required),
      /** Number of that account, which New API requires. */
      user_id: z.int().min(1).max(2_147_483_647).optional(),
    }),
    z.object({
      kind: z.literal("database"),
      /** mysql:// or postgres:// with user and password. */
      address: z.string().trim().min(1, required).max(2_000),
    }),
  ]),
  /** The calls of so many hours before now. */
  hours: z.int().min(1).max(comparisonLimits.hours).default(24),
  /** How far the times of a call may differ. */
  window_seconds: z.int().min(1).max(comparisonLimits.windowSeconds).default(60),
  /** Points. Differences up to this are equal. */
  tolerance: z.int().min(0).max(comparisonLimits.tolerance).default(1),
});
export type ComparisonInput = z.infer<typeof ComparisonInput>;
export type ComparisonForm = z.input<typeof ComparisonInput>;

const Cause = z.enum(["tokens", "group_ratio", "price", "unknown"]);
export type DeviationCause = z.infer<typeof Cause>;

const Side = z.object({
  /** The request id here, the row there. */
  id: z.string(),
  /** ISO time at which the call ended. */
  at: z.string(),
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  /** Points as text. */
  charge: z.string(),
  price: z.object({ group_ratio: z.number(), input: z.number(), output: z.number() }).nullable(),
});
export type DeviationSide = z.infer<typeof Side>;

export const Deviation = z.object({
  kind: z.enum(["charge", "ambiguous", "missing_there", "missing_here"]),
  /** Why the charges differ; for `charge` only. */
  causes: z.array(Cause),
  model: z.string(),
  here: Side.nullable(),
  source: Side.nullable(),
});
export type Deviation = z.infer<typeof Deviation>;

export const ComparisonReport = z.object({
  format: z.literal(1),
  product: z.string(),
  /** Where the other log was read, without a password. */
  origin: z.string(),
  channel: z.object({ id: z.int(), name: z.string() }),
  key_name: z.string(),
  since: z.string(),
  until: z.string(),
  window_seconds: z.number(),
  /** Points as text. */
  tolerance: z.string(),
  /** Calls on both sides, and those of one side only that are no more recent than the window. */
  calls: z.object({
    compared: z.int(),
    equal: z.int(),
    deviating: z.int(),
    ambiguous: z.int(),
    missing_there: z.int(),
    missing_here: z.int(),
  }),
  /** Those of the compared calls that were found by their request id, not by time and tokens. */
  matched_by_id: z.int(),
  /** Calls of one side only whose row may still be written on the other side. */
  too_recent: z.int(),
  /** Points of the compared calls, as text. */
  totals: z.object({ here: z.string(), source: z.string() }),
  causes: z.partialRecord(Cause, z.int()),
  /** The 5,000 with the largest differences, largest first. */
  deviations: z.array(Deviation),
  ok: z.boolean(),
});
export type ComparisonReport = z.infer<typeof ComparisonReport>;

/** A kept comparison in the list of GET /api/migration/comparison. */
export const ComparisonRow = ComparisonReport.pick({
  product: true,
  origin: true,
  channel: true,
  key_name: true,
  since: true,
  until: true,
  calls: true,
  ok: true,
}).extend({ id: z.int(), created_time: UnixTime, title: z.string() });
export type ComparisonRow = z.infer<typeof ComparisonRow>;

export const ComparisonDetail = z.object({
  id: z.int(),
  created_time: UnixTime,
  title: z.string(),
  report: ComparisonReport,
});
export type ComparisonDetail = z.infer<typeof ComparisonDetail>;

/** Events of POST /api/migration/comparison. The last one is `done` or `failed`. */
export const ComparisonEvent = z.discriminatedUnion("type", [
  /** Rows of the old gateway read so far. */
  z.object({ type: z.literal("progress"), there: z.int() }),
  z.object({ type: z.literal("done"), id: z.int() }),
  z.object({
    type: z.literal("failed"),
    failure: z.object({ code: z.string(), params: ErrorValues, message: z.string() }),
  }),
]);
export type ComparisonEvent = z.infer<typeof ComparisonEvent>;
