import type { Wire } from "#dialects/dialect.ts";
import { effortOf } from "#dialects/reasoning/effort.ts";
import { asRecord, fieldsIn } from "#dialects/wire.ts";
import { contents, functionTool, generationConfig, ownSteps, steps } from "./schema.ts";

function look(value: unknown, path: string, found: Set<string>, known: ReadonlySet<string>): void {
  for (const [key, each] of Object.entries(asRecord(value) ?? {}))
    if (each !== null && each !== undefined && !known.has(key))
      found.add(path === "" ? key : `${path}.${key}`);
}

function each(value: unknown, visit: (wire: Wire) => void): void {
  for (const one of Array.isArray(value) ? (value as unknown[]) : [value]) {
    const wire = asRecord(one);
    if (wire !== undefined) visit(wire);
  }
}

const interactionFields: ReadonlySet<string> = new Set([
  "model",
  "input",
  "stream",
  "store",
  "background",
  "previous_interaction_id",
  "system_instruction",
  "tools",
  "generation_config",
  "response_format",
  "response_mime_type",
  "response_modalities",
  "safety_settings",
  "service_tier",
  "cached_content",
]);
const configFields = fieldsIn(generationConfig);
const toolFields: ReadonlySet<string> = new Set(["type", ...fieldsIn(functionTool)]);
const inputFields: ReadonlySet<string> = new Set([
  "type",
  "role",
  "error",
  ...fieldsIn(...Object.values(contents), ...Object.values(steps)),
]);
const googleSteps = new Set<unknown>(ownSteps);

/** Returns the paths of the fields of an interaction that no other format has. Pure. */
export function listUnsupportedInteractionFields(body: Wire): string[] {
  const found = new Set<string>();
  look(body, "", found, interactionFields);
  const config = asRecord(body["generation_config"]);
  look(config, "generation_config", found, configFields);
  const level = config?.["thinking_level"];
  if (typeof level === "string" && effortOf(level) === undefined)
    found.add("generation_config.thinking_level");
  each(body["tools"], (tool) => {
    if (tool["type"] === "function") look(tool, "tools", found, toolFields);
  });
  each(body["input"], (wire) => {
    const { type } = wire;
    if (googleSteps.has(type)) return void found.add(`input.${String(type)}`);
    look(wire, "input", found, inputFields);
    each(wire["content"], (content) => look(content, "input.content", found, inputFields));
  });
  return [...found];
}
