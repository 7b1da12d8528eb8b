import type { Wire } from "#dialects/dialect.ts";
import { signLostCalls } from "#dialects/gemini/signatures.ts";
import {
  budgetOfEffort,
  effortOf,
  effortOfBudget,
  nearestEffort,
  type Effort,
} from "#dialects/reasoning/effort.ts";
import { asRecord } from "#dialects/wire.ts";
import type { RequestShape } from "#providers/provider.ts";
import { withoutReferences } from "#providers/schemas/gemini.ts";
import { inlineParameterReferences } from "#providers/schemas/openai.ts";

/** Thinking settings of each Gemini generation. Bodies are those of generateContent. */
type GeminiThinking =
  | { kind: "none" }
  /** Limits in tokens; `off` is true when 0 switches thinking off. */
  | { kind: "budget"; least: number; most: number; off: boolean }
  | { kind: "level"; levels: readonly Effort[] };

/** Thinking tokens for the highest effort when the caller set no output limit. */
const thinkingBase = 32_768;

function budgetsOf(model: string): GeminiThinking {
  if (model.includes("-pro")) return { kind: "budget", least: 128, most: 32_768, off: false };
  return { kind: "budget", least: model.includes("lite") ? 512 : 1, most: 24_576, off: true };
}

/**
 * Returns the thinking settings of a model; undefined for a name without its generation.
 * https://ai.google.dev/gemini-api/docs/thinking and
 * https://docs.cloud.google.com/vertex-ai/generative-ai/docs/thinking, read 2026-11-22.
 */
function geminiThinking(model: string): GeminiThinking | undefined {
  if (/gemma|learnlm|embedding|imagen|(?:^|[-/])tts|-tts|native-audio/.test(model)) return { kind: "none" };
  const found = /gemini-(?<major>\d{1,2})(?:\.(?<minor>\d))?/.exec(model)?.groups;
  if (found === undefined) {
    // Aliases of the newest models. Gemini 3 accepts budgets, too, so the limits of 2.5 suit any generation.
    const isAlias = /gemini-(?:pro|flash|flash-lite)-latest|gemini-robotics/.test(model);
    return isAlias ? budgetsOf(model) : undefined;
  }
  const version = Number(found["major"]) + Number(found["minor"] ?? 0) / 10;
  if (version < 2.5) return model.includes("thinking") ? undefined : { kind: "none" };
  if (version < 3) {
    return model.includes("image") ? { kind: "none" } : budgetsOf(model);
  }
  if (model.includes("image"))
    return { kind: "level", levels: model.includes("flash") ? ["minimal", "high"] : ["high"] };
  if (!model.includes("pro")) return { kind: "level", levels: ["minimal", "low", "medium", "high"] };
  return { kind: "level", levels: version === 3 ? ["low", "high"] : ["low", "medium", "high"] };
}

interface Wish {
  effort?: Effort | undefined;
  budget?: number | undefined;
  adaptive: boolean;
}

function wishOf(thinking: Wire, call: RequestShape): Wish {
  const { reasoning } = call;
  if (reasoning !== undefined) {
    const { effort, budgetTokens: budget, adaptive = false } = reasoning;
    return { effort, budget, adaptive };
  }
  const budget = thinking["thinkingBudget"] ?? thinking["thinking_budget"];
  const level = thinking["thinkingLevel"] ?? thinking["thinking_level"];
  return {
    effort: typeof level === "string" ? effortOf(level.toLowerCase()) : undefined,
    budget: typeof budget === "number" && budget >= 0 ? budget : undefined,
    adaptive: budget === -1,
  };
}

function limitOf(config: Wire): number {
  const limit = config["maxOutputTokens"] ?? config["max_output_tokens"];
  return typeof limit === "number" ? Math.min(limit, thinkingBase) : thinkingBase;
}

function asBudget(
  { least, most, off }: Extract<GeminiThinking, { kind: "budget" }>,
  { effort, budget, adaptive }: Wish,
  config: Wire,
): number | undefined {
  if (effort === "none" || budget === 0) return off ? 0 : least;
  const tokens = budget ?? (effort === undefined ? undefined : budgetOfEffort(effort, limitOf(config)));
  if (tokens === undefined) return adaptive ? -1 : undefined;
  return Math.min(most, Math.max(least, tokens));
}

function asLevel(levels: readonly Effort[], { effort, budget }: Wish): string | undefined {
  const wished = effort ?? effortOfBudget(budget);
  return wished && nearestEffort(wished, levels)?.toUpperCase();
}

const settings = ["thinkingBudget", "thinking_budget", "thinkingLevel", "thinking_level"];

/**
 * Adjusts the thinking settings of a body to this Gemini model; returns the same body when nothing changes. A
 * Gemini client's own form, a budget or a level, is kept where the model supports it.
 */
export function geminiLimits(body: Wire, call: RequestShape): Wire {
  if (call.dialect === "openai-chat" && call.model.includes("gemini")) return inlineParameterReferences(body);
  if (call.dialect !== "gemini") return body;
  const plain = withoutReferences(signLostCalls(body, call.model));
  return withThinking(withFiveStops(plain), call);
}

function configKey(body: Wire): string {
  return "generation_config" in body ? "generation_config" : "generationConfig";
}

/** Keeps the first five stop sequences; Gemini accepts no more. */
function withFiveStops(body: Wire): Wire {
  const config = asRecord(body[configKey(body)]);
  const key = config !== undefined && "stop_sequences" in config ? "stop_sequences" : "stopSequences";
  const stop = config?.[key];
  if (!Array.isArray(stop) || stop.length <= 5) return body;
  return { ...body, [configKey(body)]: { ...config, [key]: stop.slice(0, 5) } };
}

function withThinking(body: Wire, call: RequestShape): Wire {
  const key = configKey(body);
  const config = asRecord(body[key]);
  const thinkingKey =
    config !== undefined && "thinking_config" in config ? "thinking_config" : "thinkingConfig";
  const thinking = asRecord(config?.[thinkingKey]);
  const model = geminiThinking(call.model);
  if (config === undefined || thinking === undefined || model === undefined) return body;
  const { [thinkingKey]: _thinking, ...others } = config;
  if (model.kind === "none") return { ...body, [key]: others };
  const wish = wishOf(thinking, call);
  const rest = Object.fromEntries(Object.entries(thinking).filter(([name]) => !settings.includes(name)));
  const next =
    model.kind === "budget"
      ? { ...rest, thinkingBudget: asBudget(model, wish, config) }
      : withLevel(rest, thinking, model.levels, wish, call);
  const output = Object.fromEntries(Object.entries(next).filter(([, value]) => value !== undefined));
  const isSame =
    Object.keys(output).length === Object.keys(thinking).length &&
    Object.entries(output).every(([name, value]) => thinking[name] === value);
  if (isSame) return body;
  return { ...body, [key]: { ...others, ...(Object.keys(output).length > 0 && { [thinkingKey]: output }) } };
}

/**
 * Returns the settings for a model with levels. It still accepts a budget from a Gemini client,
 * but not a budget of 0 if it always thinks.
 */
function withLevel(
  rest: Wire,
  thinking: Wire,
  levels: readonly Effort[],
  wish: Wish,
  call: RequestShape,
): Record<string, unknown> {
  const isOwnBudget = call.reasoning === undefined && wish.effort === undefined;
  if (isOwnBudget && (wish.budget !== 0 || levels.includes("minimal"))) return thinking;
  const level = asLevel(levels, wish);
  const before = thinking["thinkingLevel"];
  const isSpelled = typeof before === "string" && before.toUpperCase() === level;
  return { ...rest, thinkingLevel: isSpelled ? before : level };
}
