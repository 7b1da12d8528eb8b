import { z } from "zod";

/**
 * OpenAI and Anthropic return `data[].id`, Gemini and Cohere `models[].name`, some providers a plain list.
 */
const ModelList = z.union([
  z.array(z.object({ id: z.string() })).transform((data) => ({ data, models: undefined })),
  z
    .object({
      data: z.array(z.object({ id: z.string() })).nullish(),
      models: z.array(z.object({ name: z.string() })).nullish(),
    })
    .refine((list) => list.data || list.models),
]);

/** Returns the names in a provider's list. Throws when the response is not a list. */
export function readModelList(answer: unknown): string[] {
  const { data, models } = ModelList.parse(answer);
  return [
    ...(data ?? []).map((model) => model.id),
    ...(models ?? []).map((model) => model.name.replace(/^models\//, "")),
  ];
}
