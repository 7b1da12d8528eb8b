import { z } from "zod";
import { because } from "#errors/issue.ts";
import { ModelPattern } from "#models/model-name.ts";
import { UnixTime } from "#paging.ts";
import { ReasonFacts } from "#reasons.ts";

/** A ratio of 1 is $0.002 per 1,000 tokens, or per call. */
const Ratio = z
  .number(because("number_from_zero"))
  .min(0, because("value_negative"))
  .max(1_000_000_000, because("value_too_large"));

const PriceType = z.enum(["tokens", "times"], { error: because("price_type") });

/** Ratios that apply from a number of input tokens on. */
export const PriceTier = z.object({
  above: z.int(because("tier_tokens")).min(1, because("tier_tokens")),
  input: Ratio,
  output: Ratio,
});

/** Values of a price, without its model. */
export const PriceValues = z.object({
  type: PriceType,
  /** Id of the model's owner. */
  channel_type: z.int(because("channel_type")).min(1, because("channel_type")),
  input: Ratio,
  output: Ratio,
  /** Price imports do not change locked rows. */
  locked: z.boolean().default(false),
  /**
   * Multipliers by kind of usage. `tier:<name>` multiplies all tokens of a provider's service tier;
   * `tool:<name>` is the price of one tool call in dollars.
   */
  extra_ratios: z.record(z.string().min(1).max(48), Ratio).default({}),
  tiers: z.array(PriceTier).max(20).default([]),
});
export type PriceValues = z.infer<typeof PriceValues>;

export const PriceInput = PriceValues.extend({ model: ModelPattern });
export type PriceInput = z.infer<typeof PriceInput>;

/** One price for several models: the models before and after the change. */
export const PriceGroupInput = z.object({
  original_models: z.array(z.string().max(160)).max(2_000).default([]),
  models: z.array(ModelPattern).min(1, because("model_required")).max(2_000),
  price: PriceValues,
});
export type PriceGroupInput = z.infer<typeof PriceGroupInput>;

/** A row of the price list. It accepts every stored value; an imported price can have no owner (0). */
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

/**
 * add: only models without a price · update: only models with one · overwrite: replaces all but locked
 * prices.
 */
export const SyncMode = z.enum(["add", "update", "overwrite"]);
export type SyncMode = z.infer<typeof SyncMode>;

const ListedPrice = PriceRow.omit({ version_id: true, updated_time: true });
export type ListedPrice = z.infer<typeof ListedPrice>;

/** Changes that an import of a price list makes, or would make. */
export const PriceChanges = z.object({
  added: z.array(ListedPrice),
  changed: z.array(z.object({ before: ListedPrice, after: ListedPrice })),
  removed: z.array(ListedPrice),
  /** Models that the list would change, but whose price is locked. */
  locked: z.array(z.string()),
});
export type PriceChanges = z.infer<typeof PriceChanges>;

/** Result of a scheduled price update, or why it did nothing. */
export const PriceUpdate = z.object({
  id: z.int(),
  created_time: UnixTime,
  /** "" = the list that is included in this version. */
  url: z.string(),
  mode: z.string(),
  /** An error message; empty on success. */
  error: z.string(),
  error_facts: ReasonFacts,
  /** Names of models. */
  added: z.array(z.string()),
  changed: z.array(z.string()),
  removed: z.array(z.string()),
  locked: z.array(z.string()),
});
export type PriceUpdate = z.infer<typeof PriceUpdate>;

/** Source of a price list: an address, or "" for the list that is included in this version. */
export const PriceSource = z.object({
  url: z.union([z.literal(""), z.url({ protocol: /^https?$/, error: because("http_address") }).max(500)]),
});

/** A fetched list and the changes of `overwrite`. The changes of the other modes are subsets of these. */
export const PricePreview = z.object({ prices: z.array(ListedPrice), changes: PriceChanges });
export type PricePreview = z.infer<typeof PricePreview>;
