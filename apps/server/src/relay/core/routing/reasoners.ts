import type { Usage } from "#dialects/ir.ts";
import { publishedModel } from "#domain/catalog/published-models.ts";

/**
 * Models that reason before they respond: those that their providers publish as such, and those whose usage has
 * shown it on this node. Reasoning is mostly hidden, and many models reason without a request for it.
 */
export interface Reasoners {
  /** @param model name at the provider */
  reasons(model: string): boolean;
  /** Returns the most tokens that the model writes in this time; 0 while its rate is not known. */
  writtenIn(model: string, milliseconds: number): number;
  /** Records the reported usage of a complete response. */
  note(model: string, usage: Usage, milliseconds: number): void;
}

/** Clients choose names of models where a channel accepts every name. */
const MOST_MODELS = 2_000;
/** A slow response changes the rate of a model by this factor at most. */
const SLOWER = 0.95;
/** Tokens per millisecond of the fastest hosts. A response at once, from a cache for example, is no rate. */
const MOST_PER_MS = 1;
/** Short responses say little about the rate. */
const LEAST_TOKENS = 100;

export function createReasoners(): Reasoners {
  const seen = new Set<string>();
  /** Output tokens per millisecond. */
  const rates = new Map<string, number>();
  return {
    reasons: (model) => seen.has(model) || publishedModel(model)?.reasons === true,
    writtenIn: (model, milliseconds) => Math.ceil((rates.get(model) ?? 0) * Math.max(0, milliseconds)),
    note(model, { output, reasoning = 0 }, milliseconds) {
      if (reasoning > 0 && (seen.has(model) || seen.size < MOST_MODELS)) seen.add(model);
      if (output < LEAST_TOKENS || milliseconds <= 0) return;
      const known = rates.get(model);
      if (known === undefined && rates.size >= MOST_MODELS) return;
      rates.set(model, Math.max(Math.min(output / milliseconds, MOST_PER_MS), (known ?? 0) * SLOWER));
    },
  };
}
