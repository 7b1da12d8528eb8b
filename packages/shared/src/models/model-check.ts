/** Checks whether a channel serves the model that it names: the tests and their findings. */
import { z } from "zod";
import { because } from "#errors/issue.ts";

/** Values of the older API: 0 failed, 1 fine, 2 unknown. */
export const CheckStatus = { failed: 0, fine: 1, unknown: 2 } as const;

/** `name` and `remark` are English; the console translates them. `remark` is the observation. */
export const CheckFinding = z.object({ name: z.string(), status: z.int(), remark: z.string() });
export type CheckFinding = z.infer<typeof CheckFinding>;

export const CheckStep = z.object({
  name: z.string(),
  results: z.array(CheckFinding),
  /** The provider's response, truncated when it is long. */
  response: z.string(),
});
export type CheckStep = z.infer<typeof CheckStep>;

export const ModelCheck = z.object({ model: z.string(), process: z.array(CheckStep) });
export type ModelCheck = z.infer<typeof ModelCheck>;

/** Body of POST /api/sse/channel/check. `models` is comma-separated. */
export const ModelCheckInput = z.object({
  id: z.int().min(1).max(2_147_483_647),
  models: z.string().trim().min(1, because("model_required")).max(20_000),
});

export const ModelCheckEvent = z.discriminatedUnion("type", [
  z.object({ type: z.literal("result"), data: ModelCheck }),
  z.object({ type: z.literal("done"), data: z.null() }),
]);
export type ModelCheckEvent = z.infer<typeof ModelCheckEvent>;
