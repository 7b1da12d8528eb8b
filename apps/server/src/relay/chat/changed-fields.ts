import { lookupTable } from "@gateway/shared/lookup-table";
import type { Wire } from "#dialects/dialect.ts";
import { asRecord } from "#dialects/wire.ts";

/** Fields that the gateway sets itself, or that repeat what is known. */
const ours = new Set(["model", "stream", "stream_options", "anthropic_version", "include"]);

/** Message lists. Only removed fields are reported for these. */
const conversations = new Set(["messages", "contents", "input", "system"]);

/** Objects whose fields have a meaning only together. */
const whole = new Set(["response_format", "tool_choice", "stop", "thinking"]);

function isSame(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

function goneInside(list: unknown, next: unknown, name: string, found: Set<string>): void {
  if (!Array.isArray(list) || !Array.isArray(next) || list.length > next.length) return;
  for (const [index, each] of list.entries()) {
    const before = asRecord(each);
    const after = asRecord(next[index]);
    if (before === undefined || after === undefined || before === after) continue;
    for (const key of Object.keys(before)) if (!(key in after)) found.add(`${name}.${key}`);
  }
}

/** Reports removed tools and removed fields of tools. A schema in another form means the same. */
function changedTools(list: unknown, next: unknown, found: Set<string>): void {
  const isSameLength = Array.isArray(list) && Array.isArray(next) && list.length === next.length;
  if (isSameLength) goneInside(list, next, "tools", found);
  else if (!isSame(list, next)) found.add("tools");
}

function compare(before: Wire, after: Wire, path: string, found: Set<string>): void {
  const added = Object.keys(after).filter((key) => !(key in before));
  for (const [key, value] of Object.entries(before)) {
    const name = path + key;
    if (value === null || value === undefined || ours.has(name)) continue;
    if (!(key in after)) {
      // A field with a new name is not lost.
      if (!added.some((other) => isSame(after[other], value))) found.add(name);
    } else if (after[key] !== value) {
      const inner = asRecord(value);
      const next = asRecord(after[key]);
      if (conversations.has(name)) goneInside(value, after[key], name, found);
      else if (name === "tools") changedTools(value, after[key], found);
      else if (inner !== undefined && next !== undefined && !whole.has(name))
        compare(inner, next, `${name}.`, found);
      else if (!isSame(value, after[key])) found.add(name);
    }
  }
}

/** Names in our common translation, for callers who did not write the provider's fields themselves. */
const commonNames = lookupTable<string>({
  stop_sequences: "stop",
  "generationConfig.stopSequences": "stop",
  max_completion_tokens: "max_tokens",
  max_output_tokens: "max_tokens",
  random_seed: "seed",
});

type Thinking = { on: boolean; off: boolean; effort: unknown };

/** Returns the thinking settings of a body, in any format. */
function thinkingOf(wire: Wire): Thinking {
  const type = asRecord(wire["thinking"])?.["type"];
  const config = asRecord(asRecord(wire["generationConfig"])?.["thinkingConfig"]);
  const effort =
    asRecord(wire["output_config"])?.["effort"] ??
    asRecord(wire["reasoning"])?.["effort"] ??
    wire["reasoning_effort"];
  const budget = config?.["thinkingBudget"];
  const isOff = type === "disabled" || effort === "none" || budget === 0;
  const isSet = type !== undefined || effort !== undefined || config !== undefined;
  return { on: isSet && !isOff, off: isOff, effort };
}

/** Whether a body requests thinking. */
export function requestsThinking(wire: Wire): boolean {
  return thinkingOf(wire).on;
}

/** Whether a thinking setting was lost or weakened. The same setting in another format counts as kept. */
function losesThinking(before: Thinking, after: Thinking): boolean {
  if (before.on ? !after.on : before.off && !after.off) return true;
  const isBoth = before.effort !== undefined && after.effort !== undefined;
  return isBoth && before.effort !== after.effort;
}

const forms =
  /^(?:thinking|output_config|output_config\.effort|reasoning|reasoning\.effort|reasoning_effort|generationConfig\.thinkingConfig.*|messages\.reasoning.*)$/;

/**
 * Returns the fields of a request that a provider's quirks removed or changed, by the caller's names. Pure.
 * @param translated whether the body was translated from another format of the caller
 */
export function changedFields(before: Wire, after: Wire, translated: boolean): string[] {
  if (before === after) return [];
  const found = new Set<string>();
  compare(before, after, "", found);
  if (!translated) return [...found];
  const names = [...found].filter((name) => !forms.test(name)).map((name) => commonNames[name] ?? name);
  if (losesThinking(thinkingOf(before), thinkingOf(after))) names.push("reasoning");
  return [...new Set(names)];
}
