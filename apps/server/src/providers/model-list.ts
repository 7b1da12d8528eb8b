import { z } from "zod";

/** OpenAI and Anthropic list `data[].id`, Gemini and Cohere `models[].name`, some a bare list. */
const ModelList = z.union([
  z.array(z.object({ id: z.string() })).transform((data) => ({ data, models: undefined })),
  z
    .object({
      data: z.array(z.object({ id: z.string() })).nullish(),
      models: z.array(z.object({ name: z.string() })).nullish(),
    })
    .refine((list) => list.data || list.models),
]);

/** The names in a provider's list. Throws when it is none. */
export function readModelList(answer: unknown): string[] {
  const { data, models } = ModelList.parse(answer);
  return [
    ...(data ?? []).map((model) => model.id),
    ...(models ?? []).map((model) => model.name.replace(/^models\//, "")),
  ];
}
