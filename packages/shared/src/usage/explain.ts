import { z } from "zod";
import { Points } from "#paging.ts";
import { Bill } from "./log.ts";

/** How a charge came about: GET /api/log/:id/explain. Decimal strings are exact. */
export const Explanation = z.object({
  request_id: z.string(),
  model_name: z.string(),
  group: z.string(),
  price_type: z.string(),
  price_version_id: z.int(),
  group_ratio: z.string(),
  service_tier: Bill.shape.service_tier.unwrap().nullable(),
  /** Points = amount × ratio × the group's ratio; dollars are points ÷ 500,000. */
  lines: z.array(
    z.object({
      kind: z.string(),
      amount: z.number(),
      ratio: z.string(),
      points: z.string(),
      usd: z.string(),
    }),
  ),
  /** The sum before the one rounding, up. */
  exact: z.string(),
  /** Points of the rounded sum that the balance, or the limit of the key, did not hold; "0" as a rule. */
  uncollected: z.string(),
  /** What was charged. */
  points: Points,
  usd: z.string(),
  /** Computed anew from the lines, the charge and what was not collected are the same. */
  agrees: z.boolean(),
  /** The provider told no usage; it was counted here. */
  estimated: z.boolean(),
});
export type Explanation = z.infer<typeof Explanation>;
