/**
 * Values of request fields that change nothing, because every dialect does the same without the field. They
 * are not sent to other dialects, and not reported as dropped. Pure.
 */
import { lookupTable } from "@gateway/shared/lookup-table";

const defaults = lookupTable<unknown>({
  store: false,
  background: false,
  truncation: "disabled",
  service_tier: "auto",
  verbosity: "medium",
  "text.verbosity": "medium",
  n: 1,
  presence_penalty: 0,
  frequency_penalty: 0,
  logprobs: false,
  top_logprobs: 0,
  parallel_tool_calls: true,
  "thinking.display": "summarized",
});

const thoughts = "reasoning.encrypted_content";

/** Values of which each entry of a list is one. */
const defaultEntries = lookupTable<string>({
  include: thoughts,
  modalities: "text",
  "generationConfig.responseModalities": "TEXT",
});

function isText(name: string, value: object): boolean {
  return name === "response_format" && "type" in value && value.type === "text";
}

/** @param name of the field, nested ones with their path */
export function isDefault(name: string, value: unknown): boolean {
  if (value === null || value === undefined) return true;
  if (Array.isArray(value)) return value.every((each) => each === defaultEntries[name]);
  if (typeof value === "object") return Object.keys(value).length === 0 || isText(name, value);
  return Object.hasOwn(defaults, name) && defaults[name] === value;
}
