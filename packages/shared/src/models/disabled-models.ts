/** Models that an operator disabled everywhere, whichever channels serve them. */
import { z } from "zod";
import { because } from "#errors/issue.ts";

/** Maximum number of disabled models. */
export const MOST_DISABLED_MODELS = 500;

/** An exact name. A pattern would also match models that do not exist yet. */
const ExactModel = z
  .string()
  .trim()
  .min(1)
  .max(160)
  .regex(/^[^*\p{C}]+$/u);

/** The setting: one exact model name per line. */
export const DisabledModelsText = z
  .string()
  .max(100_000)
  .refine(
    (text) => {
      const models = disabledModelsIn(text);
      return (
        models.length <= MOST_DISABLED_MODELS && models.every((model) => ExactModel.safeParse(model).success)
      );
    },
    { error: because("disabled_models") },
  );

/** Returns the names in the setting, each once, in their order. */
export function disabledModelsIn(text: string): string[] {
  const names = text.split("\n").map((line) => line.trim());
  return [...new Set(names.filter((name) => name !== ""))];
}

/** PUT /api/disabled_models. */
export const ModelSwitch = z.object({ model: ExactModel, disabled: z.boolean() });
export type ModelSwitch = z.infer<typeof ModelSwitch>;

/** GET /api/disabled_models, and the list after a change: names in alphabetical order. */
export const DisabledModels = z.array(z.string());
export type DisabledModels = z.infer<typeof DisabledModels>;

/** Query of GET /api/model_channels. */
export const ModelChannelsQuery = z.object({ model: ExactModel });

/** The enabled channels that can serve a model. */
export const ModelChannels = z.object({
  /** Number of channels, each counted once. */
  count: z.int(),
  /** Those that also serve it by a name with `*`, or only by that; at most 20. */
  by_pattern: z.array(z.object({ id: z.int(), name: z.string(), pattern: z.string() })),
  by_pattern_count: z.int(),
});
export type ModelChannels = z.infer<typeof ModelChannels>;
