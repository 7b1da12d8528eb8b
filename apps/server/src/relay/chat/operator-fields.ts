/**
 * What operators add to requests: their defaults for what a translated request leaves open (a client of the provider's
 * own dialect sets that itself), and the fields of a channel. Pure.
 */
import { entryOf } from "@gateway/shared/lookup-table";
import { flagFor, tokensFor } from "@gateway/shared/models/model-table";
import type { Settings } from "@gateway/shared/site/settings";
import type { Upstream, Wire } from "#dialects/dialect.ts";
import type { ChatRequest } from "#dialects/ir.ts";

export type OperatorDefaults = Pick<
  Settings,
  "ClaudeDefaultMaxTokens" | "ClaudeBudgetTokensPercentage" | "GeminiOpenThink"
>;

export function withDefaults(
  request: ChatRequest,
  dialect: Upstream["id"],
  settings: OperatorDefaults,
): ChatRequest {
  switch (dialect) {
    case "anthropic":
      return withBudget(withLimit(request, settings), settings);
    case "gemini":
      return showsThoughts(request, settings) ? { ...request, reasoning: { summary: "auto" } } : request;
    default:
      return request;
  }
}

function withLimit(request: ChatRequest, { ClaudeDefaultMaxTokens: table }: OperatorDefaults): ChatRequest {
  if (request.maxOutputTokens !== undefined) return request;
  const maxOutputTokens = tokensFor(table, request.model);
  return maxOutputTokens === undefined ? request : { ...request, maxOutputTokens };
}

/** Sets a thinking budget for requests without one: few models can decide themselves. */
function withBudget(request: ChatRequest, settings: OperatorDefaults): ChatRequest {
  const { reasoning, maxOutputTokens } = request;
  const share = settings.ClaudeBudgetTokensPercentage;
  const isOpen = reasoning?.adaptive === true && reasoning.effort === undefined;
  if (!isOpen || share === 0 || maxOutputTokens === undefined) return request;
  const { adaptive: _, ...rest } = reasoning;
  return { ...request, reasoning: { ...rest, budgetTokens: Math.floor(maxOutputTokens * share) } };
}

function showsThoughts({ reasoning, model }: ChatRequest, { GeminiOpenThink: table }: OperatorDefaults) {
  return reasoning === undefined && flagFor(table, model);
}

const controls: ReadonlySet<string> = new Set(["overwrite", "per_model", "pre_add", "remove", "stream"]);

/**
 * Applies the operator's own fields. With `overwrite: true` they override the client's. With `per_model:
 * true` they are grouped by model name. `remove` lists fields to delete. `stream` is never changed, because
 * the client expects its format.
 */
export function withParameters(
  wire: Wire,
  parameters: Readonly<Record<string, unknown>>,
  model: string,
): Wire {
  const { overwrite, per_model: perModel } = parameters;
  const own = perModel === true ? entryOf(parameters, model) : parameters;
  if (typeof own !== "object" || own === null) return withoutFields(wire, parameters["remove"]);
  const fields = Object.fromEntries(Object.entries(own).filter(([name]) => !controls.has(name)));
  const merged = Object.keys(fields).length === 0 ? wire : { ...wire, ...fields };
  const filled = overwrite === true || merged === wire ? merged : { ...fields, ...wire };
  const removed = withoutFields(filled, parameters["remove"]);
  return own === parameters ? removed : withoutFields(removed, (own as Wire)["remove"]);
}

/** Returns the body without these fields. `stream` stays. @param names a list; anything else removes nothing */
export function withoutFields(wire: Wire, names: unknown): Wire {
  if (!Array.isArray(names)) return wire;
  const gone = new Set<unknown>(names.filter((name) => name !== "stream"));
  const entries = Object.entries(wire);
  const kept = entries.filter(([name]) => !gone.has(name));
  return kept.length === entries.length ? wire : Object.fromEntries(kept);
}
