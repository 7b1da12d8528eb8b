import type { Wire } from "#dialects/dialect.ts";
import type { ChatRequest, Message, Reasoning } from "#dialects/ir.ts";
import { budgetOfEffort, effortOf } from "#dialects/reasoning/effort.ts";
import { asRecord } from "#dialects/wire.ts";
import type { MessagesRequest } from "./schema.ts";

/** Minimum thinking budget that this API accepts. */
const leastBudget = 1024;

/** Returns undefined when the caller set nothing that the IR can represent. */
export function decodeReasoning(wire: MessagesRequest): Reasoning | undefined {
  const reasoning: Reasoning = {};
  const { thinking, output_config: output } = wire;
  const effort = effortOf(output?.effort);
  if (effort !== undefined) reasoning.effort = effort;
  if (thinking?.type === "adaptive") reasoning.adaptive = true;
  else if (thinking?.type === "enabled" && thinking.budget_tokens)
    reasoning.budgetTokens = thinking.budget_tokens;
  else if (thinking?.type === "disabled") reasoning.effort = "none";
  if (thinking?.display === "summarized") reasoning.summary = "auto";
  return Object.keys(reasoning).length === 0 ? undefined : reasoning;
}

/** Returns the forms of `thinking` that the IR cannot represent. */
export function findUnsupportedThinking(wire: MessagesRequest): Wire | undefined {
  const { thinking } = wire;
  if (!thinking) return undefined;
  const isPlain = thinking.type === "adaptive" || thinking.type === "enabled" || thinking.type === "disabled";
  return isPlain && !thinking.display ? undefined : asRecord(thinking);
}

/**
 * Returns whether the current tool call lacks the thinking that led to it. While thinking is on, the provider
 * rejects such a request, and callers of other dialects seldom keep the thinking.
 */
function lacksThought(messages: Message[]): boolean {
  const last = messages.findLast((message) => message.role === "assistant" || message.role === "user");
  if (last?.role !== "assistant") return false;
  const first = last.parts.find((part) => part.type !== "text" || part.text !== "");
  const isThought = first?.type === "reasoning" && (first.signature ?? first.encrypted) !== undefined;
  return !isThought;
}

function effortField(reasoning: Reasoning): Wire | undefined {
  const { effort } = reasoning;
  if (effort === undefined || effort === "none") return undefined;
  return { effort: effort === "minimal" ? "low" : effort };
}

interface Thinking {
  thinking?: Wire;
  /** Fields for `output_config`. */
  output?: Wire;
  maxTokens: number;
  /** True when the requested reasoning could not be applied. */
  refused: boolean;
}

/**
 * Encodes the thinking settings. An effort becomes a share of the output limit (see `effort.ts`) of at least
 * 1,024 tokens. Thinking stays off where the limit leaves no room, a tool is forced, or the history lacks its
 * thinking.
 */
export function encodeThinking(request: ChatRequest, maxTokens: number): Thinking {
  const { reasoning } = request;
  if (reasoning === undefined) return { maxTokens, refused: false };
  if (reasoning.adaptive === true) {
    return { thinking: { type: "adaptive" }, output: effortField(reasoning), maxTokens, refused: false };
  }
  const { effort, budgetTokens } = reasoning;
  if (budgetTokens === undefined && effort === undefined) return { maxTokens, refused: false };
  if (effort === "none" || budgetTokens === 0) {
    return { thinking: { type: "disabled" }, maxTokens, refused: false };
  }
  const isForced = request.toolChoice?.type === "required" || request.toolChoice?.type === "tool";
  if (isForced || maxTokens <= leastBudget || lacksThought(request.messages))
    return { maxTokens, refused: true };
  const wished = budgetTokens ?? budgetOfEffort(effort ?? "medium", maxTokens);
  const budget = Math.max(leastBudget, wished);
  // A budget that the caller set is kept.
  // The limit grows when the budget would leave no room for the response.
  const limit = budget < maxTokens ? maxTokens : budget + leastBudget;
  const output = budgetTokens === undefined ? undefined : effortField(reasoning);
  return { thinking: { type: "enabled", budget_tokens: budget }, output, maxTokens: limit, refused: false };
}
