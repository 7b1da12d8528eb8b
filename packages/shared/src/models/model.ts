import { z } from "zod";
import { ModelFacts } from "./model-info.ts";

/** Models that the caller's groups can use: GET /api/available_model, by model name. */
export const AvailableModel = z.object({
  groups: z.array(z.string()),
  owned_by: z.string(),
  price: z
    .object({
      /** Model of the price, which can be a pattern. */
      model: z.string(),
      type: z.string(),
      channel_type: z.int(),
      locked: z.boolean(),
      input: z.number(),
      output: z.number(),
      extra_ratios: z.record(z.string(), z.number()),
      tiers: z.array(z.object({ above: z.int(), input: z.number(), output: z.number() })).default([]),
    })
    .nullable(),
  /** Information from the catalogue. */
  info: ModelFacts.nullable().default(null),
  /** Rank among the most used models of seven days, from 1; null without calls. */
  rank: z.int().nullable().default(null),
});
export const AvailableModels = z.record(z.string(), AvailableModel);
export type AvailableModels = z.infer<typeof AvailableModels>;
