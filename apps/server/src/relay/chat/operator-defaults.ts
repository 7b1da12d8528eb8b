/**
 * Operators' defaults for settings that a request leaves open, if its dialect differs from the client's. A
 * client of the provider's own dialect sets them itself. Pure.
 */
import { flagFor, tokensFor } from "@gateway/shared/models/model-table";
import type { Settings } from "@gateway/shared/site/settings";
import type { Upstream } from "#dialects/dialect.ts";
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
