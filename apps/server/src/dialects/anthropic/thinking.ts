import type { Wire } from "#dialects/dialect.ts";
import { budgetOfEffort, effortOf } from "#dialects/effort.ts";
import type { ChatRequest, Message, Reasoning } from "#dialects/ir.ts";
import { asRecord } from "#dialects/wire.ts";
import type { MessagesRequest } from "./schema.ts";

/** The least that this wire accepts as a thinking budget. */
const leastBudget = 1024;

/** Undefined when the caller said nothing that the IR has a word for. */
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

/** The forms of `thinking` that the IR cannot hold. */
export function unheldThinking(wire: MessagesRequest): Wire | undefined {
  const { thinking } = wire;
  if (!thinking) return undefined;
  const isPlain = thinking.type === "adaptive" || thinking.type === "enabled" || thinking.type === "disabled";
  return isPlain && !thinking.display ? undefined : asRecord(thinking);
}

/**
 * While thinking is on, a call under way must carry the thinking that led to it. Callers of other dialects
 * seldom keep it, and without it the provider refuses the request.
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
  /** What belongs into `output_config`. */
  output?: Wire;
  maxTokens: number;
  /** The wish could not be granted. */
  refused: boolean;
}

/**
 * Thinking of the wire. An effort becomes a share of the output limit (see `effort.ts`) of at least 1,024 tokens;
 * where the limit leaves no room, a tool is forced, or the history lacks its thoughts, there is no thinking.
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
  // A budget that the caller named stays; room for the answer is added when it would eat it all.
  const limit = budget < maxTokens ? maxTokens : budget + leastBudget;
  const output = budgetTokens === undefined ? undefined : effortField(reasoning);
  return { thinking: { type: "enabled", budget_tokens: budget }, output, maxTokens: limit, refused: false };
}
