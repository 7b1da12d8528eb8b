/** Pages of a model list, as Anthropic's and Google's clients request them. Without a size, a page has all models. Pure. */
import { z } from "zod";
import { modelNotFound } from "#errors.ts";

const size = z.coerce.number().int().min(1).max(1_000).optional();
const cursor = z.string().min(1).max(200).optional();

/** https://platform.claude.com/docs/en/api/models/list */
export const anthropicPage = z.object({ limit: size, after_id: cursor, before_id: cursor });

/** https://ai.google.dev/api/models#method:-models.list; 0 is no size, as in every list of Google's. */
export const geminiPage = z.object({
  pageSize: z.coerce
    .number()
    .int()
    .min(0)
    .transform((given) => (given === 0 ? undefined : given))
    .optional(),
  pageToken: cursor,
});

interface ModelPage<Model> {
  models: readonly Model[];
  /** Whether the list goes on in the direction of the request. */
  hasMore: boolean;
}

/**
 * Returns the models after or before one of them. Throws `model_not_found` for a cursor that is not in the list: a client that
 * pages would start again.
 */
export function pageOfModels<Model extends { id: string }>(
  models: readonly Model[],
  {
    size: most = models.length,
    after,
    before,
  }: { size?: number | undefined; after?: string | undefined; before?: string | undefined },
): ModelPage<Model> {
  if (before !== undefined) {
    const end = placeOf(models, before);
    const from = Math.max(0, end - most);
    return { models: models.slice(from, end), hasMore: from > 0 };
  }
  const from = after === undefined ? 0 : placeOf(models, after) + 1;
  return { models: models.slice(from, from + most), hasMore: from + most < models.length };
}

function placeOf(models: readonly { id: string }[], id: string): number {
  const place = models.findIndex((model) => model.id === id);
  if (place === -1) throw modelNotFound(id);
  return place;
}
