import { z } from "zod";
import { Points } from "#paging.ts";
import { Bill } from "./log.ts";

/** How a charge was computed: GET /api/log/:id/explain. Decimal strings are exact. */
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
  /** The sum before it is rounded up once. */
  exact: z.string(),
  /** Points of the rounded sum that the balance or the key's limit did not cover; usually "0". */
  uncollected: z.string(),
  /** Charged points. */
  points: Points,
  usd: z.string(),
  /** Whether the sum recomputed from the lines equals the charge plus the uncollected points. */
  agrees: z.boolean(),
  /** The provider reported no usage, so the gateway counted it. */
  estimated: z.boolean(),
});
export type Explanation = z.infer<typeof Explanation>;
