import type { Wire } from "#dialects/dialect.ts";
import {
  budgetOfEffort,
  effortOf,
  effortOfBudget,
  nearestEffort,
  type Effort,
} from "#dialects/reasoning/effort.ts";
import { asRecord } from "#dialects/wire.ts";
import { claudeIds, idsInMessages } from "#providers/call-ids.ts";
import type { RequestShape } from "#providers/provider.ts";
import { claudeSchemas } from "#providers/schemas/claude.ts";

/** Capabilities of each Claude generation, on every host. Bodies are those of the Messages API. */
interface ClaudeModel {
  thinking: "none" | "budget" | "both" | "adaptive";
  /** `thinking: {type: "disabled"}` is accepted. */
  canDisable: boolean;
  efforts: readonly Effort[];
  /** "one": `temperature` or `top_p`, not both. "none": only their default values. */
  sampling: "free" | "one" | "none";
  /** A tool can be forced. */
  canForce: boolean;
  /** The last message may be the assistant's. */
  canPrefill: boolean;
}

const name =
  /claude-(?:(?<family>opus|sonnet|haiku|fable|mythos)-(?<major>\d{1,2})(?!\d)(?:[.-](?<minor>\d{1,2})(?!\d))?|(?<oldMajor>\d)(?:[.-](?<oldMinor>\d))?(?:-(?<oldFamily>opus|sonnet|haiku))?(?!\d))/;

const withClaudeIds = idsInMessages(claudeIds);

const leastBudget = 1024;
const defaultTemperature = 1;

function effortsOf(family: string, version: number): readonly Effort[] {
  if (version >= 4.07) return ["low", "medium", "high", "xhigh", "max"];
  if (version >= 4.06) return ["low", "medium", "high", "max"];
  return family === "opus" && version >= 4.05 ? ["low", "medium", "high"] : [];
}

function thinkingOf(version: number): ClaudeModel["thinking"] {
  if (version >= 4.07) return "adaptive";
  if (version >= 4.06) return "both";
  return version >= 3.07 ? "budget" : "none";
}

/**
 * Returns the capabilities of a Claude model; undefined for a name without its generation.
 * https://platform.claude.com/docs/en/build-with-claude/effort, …/adaptive-thinking and the migration guides
 * of each model, read 2026-11-22.
 */
export function claudeModel(model: string): ClaudeModel | undefined {
  const found = name.exec(model)?.groups;
  const isPreview = /claude-(?:mythos|fable)(?!-\d)/.test(model);
  if (found === undefined && !isPreview) return undefined;
  const family = found?.["family"] ?? found?.["oldFamily"] ?? "mythos";
  const major = Number(found?.["major"] ?? found?.["oldMajor"] ?? 5);
  const version = major + Number(found?.["minor"] ?? found?.["oldMinor"] ?? 0) / 100;
  const isLarge = family === "fable" || family === "mythos";
  const isBound = (family === "opus" || family === "sonnet") && version >= 5.05;
  return {
    thinking: thinkingOf(version),
    canDisable: !isLarge && !isBound,
    efforts: effortsOf(family, version),
    sampling: version >= 4.07 ? "none" : version >= 4.01 ? "one" : "free",
    canForce: !isBound && !(isLarge && version >= 5.01),
    canPrefill: version < 4.06,
  };
}

/**
 * Returns the minimum tokens of a cached beginning (`cache_control`); undefined for models and dialects without marks.
 * https://platform.claude.com/docs/en/build-with-claude/prompt-caching, read 2026-11-28. A mark below the minimum is
 * ignored without a charge, so an unknown model has the usual one.
 */
export function claudeCacheMinimum({ model, dialect }: RequestShape): number | undefined {
  if (dialect !== "anthropic") return undefined;
  if (/claude-(?:opus-4[.-][56]|haiku-4[.-]5)(?!\d)/.test(model)) return 4096;
  if (/claude-(?:opus-4[.-]7(?!\d)|3(?:[.-]5)?-haiku|haiku-3)/.test(model)) return 2048;
  return /claude-(?:opus|fable|mythos)-5/.test(model) ? 512 : 1024;
}

function withoutKey(body: Wire, key: string): Wire {
  const { [key]: _gone, ...rest } = body;
  return rest;
}

function withSampling(body: Wire, { sampling }: ClaudeModel): Wire {
  const { temperature, top_p: topP } = body;
  if (sampling === "free") return body;
  if (sampling === "one")
    return temperature !== undefined && topP !== undefined ? withoutKey(body, "top_p") : body;
  let next = body;
  if (temperature !== undefined && temperature !== defaultTemperature) next = withoutKey(next, "temperature");
  if (topP !== undefined && topP !== 1) next = withoutKey(next, "top_p");
  return "top_k" in next ? withoutKey(next, "top_k") : next;
}

function isForced(body: Wire): boolean {
  const type = asRecord(body["tool_choice"])?.["type"];
  return type === "any" || type === "tool";
}

function withChoice(body: Wire, { canForce }: ClaudeModel): Wire {
  if (canForce || !isForced(body)) return body;
  const { name: _name, ...choice } = asRecord(body["tool_choice"]) ?? {};
  return { ...body, tool_choice: { ...choice, type: "auto" } };
}

/**
 * Appends a user message when the conversation ends with an assistant message that the model would reject. A
 * client of another dialect may send such a conversation.
 */
function withLastTurn(body: Wire, { canPrefill }: ClaudeModel, call: RequestShape): Wire {
  const { messages } = body;
  if (canPrefill || call.translated !== true || !Array.isArray(messages)) return body;
  if (asRecord(messages.at(-1))?.["role"] !== "assistant") return body;
  return { ...body, messages: [...(messages as unknown[]), { role: "user", content: "Continue." }] };
}

function withEffort(body: Wire, effort: Effort | undefined): Wire {
  const { effort: _before, ...output } = asRecord(body["output_config"]) ?? {};
  const next = effort === undefined ? output : { ...output, effort };
  if (Object.keys(next).length > 0) return { ...body, output_config: next };
  return "output_config" in body ? withoutKey(body, "output_config") : body;
}

/** Returns the requested effort: from the body, from a caller of another dialect, or from a budget. */
function wishedEffort(body: Wire, call: RequestShape): Effort | undefined {
  const value = asRecord(body["output_config"])?.["effort"];
  const own = typeof value === "string" ? effortOf(value) : undefined;
  const budget = asRecord(body["thinking"])?.["budget_tokens"];
  const wished = own ?? call.reasoning?.effort ?? effortOfBudget(call.reasoning?.budgetTokens);
  return wished ?? (typeof budget === "number" ? effortOfBudget(budget) : undefined);
}

function withBudget(body: Wire, call: RequestShape): Wire {
  const limit = Number(body["max_tokens"]);
  const effort = wishedEffort(body, call) ?? "medium";
  if (!(limit > leastBudget) || isForced(body)) return withoutKey(body, "thinking");
  const budget = Math.max(leastBudget, budgetOfEffort(effort === "none" ? "medium" : effort, limit));
  return { ...body, thinking: { type: "enabled", budget_tokens: Math.min(budget, limit - 1) } };
}

function adaptive(body: Wire, call: RequestShape): Wire {
  const { budget_tokens: _budget, type: _type, ...rest } = asRecord(body["thinking"]) ?? {};
  // These models omit their thinking unless requested, which callers of other dialects cannot express.
  const display = call.translated === true ? { display: "summarized" } : {};
  return { ...body, thinking: { type: "adaptive", ...display, ...rest } };
}

function withThinking(body: Wire, model: ClaudeModel, call: RequestShape): Wire {
  const type = asRecord(body["thinking"])?.["type"];
  const wished = wishedEffort(body, call);
  const effort = wished === undefined || wished === "none" ? undefined : nearestEffort(wished, model.efforts);
  switch (model.thinking) {
    case "none":
      return withEffort(type === undefined ? body : withoutKey(body, "thinking"), effort);
    case "budget":
      return withEffort(type === "adaptive" ? withBudget(body, call) : body, effort);
    case "both":
      return withEffort(body, effort);
    case "adaptive":
  }
  if (type === "disabled") {
    if (!model.canDisable) return withEffort(withoutKey(body, "thinking"), effort ?? "low");
    return effort === "xhigh" || effort === "max" ? withEffort(body, "high") : body;
  }
  const wants =
    type === "enabled" || (type === undefined && call.translated === true && effort !== undefined);
  const next = wants || type === "adaptive" ? adaptive(body, call) : body;
  if (call.translated === true && isForced(next))
    return withEffort(type === undefined ? body : withoutKey(next, "thinking"), effort);
  return withEffort(type === "adaptive" && call.translated !== true ? body : next, effort);
}

/** Adjusts a body of the Messages API to this Claude model; returns the same body when nothing changes. */
export function claudeLimits(given: Wire, call: RequestShape): Wire {
  if (call.dialect !== "anthropic") return given;
  const body = withClaudeIds(claudeSchemas(given), call);
  const model = claudeModel(call.model);
  if (model === undefined) return body;
  const chosen = withChoice(body, model);
  const spoken = withSampling(withLastTurn(chosen, model, call), model);
  const touches = "thinking" in spoken || "output_config" in spoken || call.reasoning !== undefined;
  return touches ? keepUnchanged(spoken, withThinking(spoken, model, call)) : spoken;
}

/**
 * Returns the former object when nothing changed, so that unchanged
 * bodies are sent as the client's own bytes.
 */
function keepUnchanged(before: Wire, after: Wire): Wire {
  const same = (key: string) => JSON.stringify(before[key]) === JSON.stringify(after[key]);
  return same("thinking") && same("output_config") ? before : after;
}
