import { z } from "zod";
import { ModelPattern } from "#channels/channel.ts";
import { because } from "#errors/issue.ts";
import { UnixTime } from "#paging.ts";
import { ReasonFacts } from "#reasons.ts";

/** A ratio of 1 is $0.002 per 1,000 tokens, or per call. */
const Ratio = z
  .number(because("number_from_zero"))
  .min(0, because("value_negative"))
  .max(1_000_000_000, because("value_too_large"));

const PriceType = z.enum(["tokens", "times"], { error: because("price_type") });

/** Other ratios hold from so many input tokens on. */
export const PriceTier = z.object({
  above: z.int(because("tier_tokens")).min(1, because("tier_tokens")),
  input: Ratio,
  output: Ratio,
});

/** What a price is, whichever model it is for. */
export const PriceValues = z.object({
  type: PriceType,
  /** Id of the model's owner. */
  channel_type: z.int(because("channel_type")).min(1, because("channel_type")),
  input: Ratio,
  output: Ratio,
  /** Rows that a price list from outside must not change. */
  locked: z.boolean().default(false),
  /**
   * Multiplier by kind of usage; `tier:<name>` is that of all tokens in a provider's service tier, `tool:<name>` the
   * dollars of one tool call.
   */
  extra_ratios: z.record(z.string().min(1).max(48), Ratio).default({}),
  tiers: z.array(PriceTier).max(20).default([]),
});
export type PriceValues = z.infer<typeof PriceValues>;

export const PriceInput = PriceValues.extend({ model: ModelPattern });
export type PriceInput = z.infer<typeof PriceInput>;

/** One price for several models: what was there before, and what shall be. */
export const PriceGroupInput = z.object({
  original_models: z.array(z.string().max(160)).max(2_000).default([]),
  models: z.array(ModelPattern).min(1, because("model_required")).max(2_000),
  price: PriceValues,
});
export type PriceGroupInput = z.infer<typeof PriceGroupInput>;

/** As a list shows it, whatever is stored; an imported price may belong to no owner (0). */
export const PriceRow = PriceInput.extend({
  model: z.string(),
  channel_type: z.int(),
  input: z.number(),
  output: z.number(),
  extra_ratios: z.record(z.string(), z.number()),
  tiers: z.array(z.object({ above: z.number(), input: z.number(), output: z.number() })),
  version_id: z.int(),
  updated_time: UnixTime,
});
export type PriceRow = z.infer<typeof PriceRow>;

/** add: only models without a price · update: only models with one · overwrite: the list replaces all but locked. */
export const SyncMode = z.enum(["add", "update", "overwrite"]);
export type SyncMode = z.infer<typeof SyncMode>;

const ListedPrice = PriceRow.omit({ version_id: true, updated_time: true });
export type ListedPrice = z.infer<typeof ListedPrice>;

/** What taking over a price list changes, or would change. */
export const PriceChanges = z.object({
  added: z.array(ListedPrice),
  changed: z.array(z.object({ before: ListedPrice, after: ListedPrice })),
  removed: z.array(ListedPrice),
  /** Models that the list would change but whose price is locked. */
  locked: z.array(z.string()),
});
export type PriceChanges = z.infer<typeof PriceChanges>;

/** What an update by the clock did, or why it did nothing. */
export const PriceUpdate = z.object({
  id: z.int(),
  created_time: UnixTime,
  /** "" = the list that this version brings. */
  url: z.string(),
  mode: z.string(),
  /** A sentence; empty when it went well. */
  error: z.string(),
  error_facts: ReasonFacts,
  /** Models. */
  added: z.array(z.string()),
  changed: z.array(z.string()),
  removed: z.array(z.string()),
  locked: z.array(z.string()),
});
export type PriceUpdate = z.infer<typeof PriceUpdate>;

/** Where a list comes from: an address, or "" for the list that this version brings. */
export const PriceSource = z.object({
  url: z.union([z.literal(""), z.url({ protocol: /^https?$/, error: because("http_address") }).max(500)]),
});

/** A fetched list beside what overwriting with it would change; the lesser modes are parts of that. */
export const PricePreview = z.object({ prices: z.array(ListedPrice), changes: PriceChanges });
export type PricePreview = z.infer<typeof PricePreview>;
