import modelList from "./model-list.json" with { type: "json" };

/**
 * Limits of models as their providers publish them. Descriptions that operators edit are for users only and must
 * not change what a call may cost. Pure.
 */
export interface PublishedModel {
  /** In tokens; 0 means unknown. */
  contextWindow: number;
  /** Longest response in tokens; 0 means unknown. */
  longestAnswer: number;
  /** The model reasons before it responds, also when it is not asked to. */
  reasons: boolean;
}

const published: ReadonlyMap<string, PublishedModel> = new Map(
  modelList.providers.flatMap(({ models }) =>
    models.map(({ model, context_length, max_tokens, tags }) => [
      model.toLowerCase(),
      {
        contextWindow: context_length,
        longestAnswer: max_tokens,
        reasons: (tags as readonly string[]).includes("reasoning"),
      },
    ]),
  ),
);

/** A date or version after the name, e.g. `-20251101`, `-2025-08-07`, `@20251101`, `-v1:0`, `:free`, `-latest`. */
const version = /(?:[-@](?:\d{4,8}(?:-\d\d-\d\d)?|v\d+|latest|preview)|:[\w.-]+)+$/;

/** Returns the limits of a model by its name at a provider; undefined when they are not known. */
export function publishedModel(name: string): PublishedModel | undefined {
  const whole = name.toLowerCase();
  const own = whole.slice(whole.lastIndexOf("/") + 1).replace(/^(?:\w+\.)*anthropic\./, "");
  return published.get(whole) ?? published.get(own) ?? published.get(own.replace(version, ""));
}

/** Context window of models that are not in the list, in tokens. */
const usualWindow = 1_000_000;

/** Returns the context window of a model by its name at a provider, in tokens. */
export function contextWindowOf(name: string): number {
  return publishedModel(name)?.contextWindow || usualWindow;
}
