/** Efforts that models behind OpenAI's wire format accept, by family. */
import type { Wire } from "#dialects/dialect.ts";
import { effortOf, nearestEffort, type Effort } from "#dialects/reasoning/effort.ts";
import type { RequestShape } from "#providers/provider.ts";

/** OpenAI's models that never think. The names of fine-tuned ones begin with `ft:`. */
export const chats = /(?:^|[/:])(?:gpt-5[\d.]*-chat|gpt-3|gpt-4|gpt-audio|chatgpt)/;

/**
 * Efforts by family, the most specific first. https://platform.openai.com/docs/guides/reasoning and the
 * models' pages, read 2026-11-22.
 */
const efforts: ReadonlyArray<readonly [RegExp, readonly Effort[]]> = [
  [/gpt-oss/, ["low", "medium", "high"]],
  [/o1-(?:mini|preview)/, []],
  [/deep-research/, ["medium"]],
  [/(?:^|[/:])o[1-9]|codex-mini-latest|computer-use/, ["low", "medium", "high"]],
  [/gpt-5-pro/, ["high"]],
  [/gpt-5\.[2-9]\d*-pro/, ["medium", "high", "xhigh"]],
  [/gpt-5\.1-codex-max/, ["low", "medium", "high", "xhigh"]],
  [/gpt-5\.1-codex-mini/, ["medium", "high"]],
  [/gpt-5(?:\.1)?-codex/, ["low", "medium", "high"]],
  [/gpt-5\.[2-9]\d*-codex/, ["low", "medium", "high", "xhigh"]],
  [/gpt-5(?![.\d])/, ["minimal", "low", "medium", "high"]],
  [/gpt-5\.1(?!\d)/, ["none", "low", "medium", "high"]],
  [/gpt-5\.[2-5](?!\d)/, ["none", "low", "medium", "high", "xhigh"]],
  [/gpt-5\.(?:[6-9]|\d{2})|gpt-[6-9]/, ["none", "low", "medium", "high", "xhigh", "max"]],
];

/** Models of other makers that do not think, by the names that servers of this format use. */
const neverThinks =
  /(?:^|[/:_-])(?:llama-?[1-4]|llama[1-4]?\b|mistral-(?:small|medium|large|nemo|7b|tiny)|mistral$|open-mistral|mixtral|codestral|ministral|pixtral|gemma|phi-?[1-4](?!.*reason)|qwen-?[12](?!\d)|qwen-(?:plus|turbo|max)|command|dbrx|yi-|vicuna|falcon|starcoder|deepseek-(?:v2|coder|llm)|granite-3\.[01]|wizardlm|moonshot-v1|kimi-latest)/i;

/** Returns the efforts of a model: undefined for an unknown family, empty for one that does not think. */
export function effortsOf(model: string): readonly Effort[] | undefined {
  if (chats.test(model)) return [];
  return efforts.find(([family]) => family.test(model))?.[1];
}

/**
 * Returns the nearest effort that the model accepts.
 * "none" is omitted when the model always thinks: no other effort replaces it.
 */
export function knownEffort(effort: unknown, model: string): unknown {
  const known = effortsOf(model);
  if (known === undefined || typeof effort !== "string") return effort;
  const wished = effortOf(effort);
  if (wished === undefined) return known.length === 0 ? undefined : effort;
  return wished === "none" && !known.includes("none") ? undefined : nearestEffort(wished, known);
}

function withoutEffort(body: Wire): Wire {
  const { reasoning_effort: _effort, ...rest } = body;
  return rest;
}

/** Sets the nearest effort that this OpenAI model accepts. */
export function chatEffort(body: Wire, call: RequestShape): Wire {
  const before = body["reasoning_effort"];
  if (before === undefined) return body;
  const after = knownEffort(before, call.model);
  if (after === before) return body;
  return after === undefined ? withoutEffort(body) : { ...body, reasoning_effort: after };
}

/**
 * Removes the effort for models that are known not to think, on servers that host models of any maker. Only
 * for callers of other dialects, who did not set the field themselves.
 */
export function effortIfKnown(body: Wire, call: RequestShape): Wire {
  if (call.translated !== true || body["reasoning_effort"] === undefined) return body;
  if (neverThinks.test(call.model)) return withoutEffort(body);
  return chatEffort(body, call);
}
