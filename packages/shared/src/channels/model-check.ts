import { z } from "zod";
import { because } from "#errors/issue.ts";

/** Whether a model behind a channel is what it says: what was asked of it, and what gave it away. */

/** As the older API counts: 0 failed, 1 fine, 2 cannot be told. */
export const CheckStatus = { failed: 0, fine: 1, unknown: 2 } as const;

/** Sentences are English; the console translates them. `remark` is what was seen. */
export const CheckFinding = z.object({ name: z.string(), status: z.int(), remark: z.string() });
export type CheckFinding = z.infer<typeof CheckFinding>;

export const CheckStep = z.object({
  name: z.string(),
  results: z.array(CheckFinding),
  /** The provider's own answer, cut when it is long. */
  response: z.string(),
});
export type CheckStep = z.infer<typeof CheckStep>;

export const ModelCheck = z.object({ model: z.string(), process: z.array(CheckStep) });
export type ModelCheck = z.infer<typeof ModelCheck>;

/** POST /api/sse/channel/check; models with commas between them. */
export const ModelCheckInput = z.object({
  id: z.int().min(1).max(2_147_483_647),
  models: z.string().trim().min(1, because("model_required")).max(20_000),
});

export const ModelCheckEvent = z.discriminatedUnion("type", [
  z.object({ type: z.literal("result"), data: ModelCheck }),
  z.object({ type: z.literal("done"), data: z.null() }),
]);
export type ModelCheckEvent = z.infer<typeof ModelCheckEvent>;
