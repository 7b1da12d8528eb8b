import type { Wire } from "#dialects/dialect.ts";
import { effortOf } from "#dialects/reasoning/effort.ts";
import { asRecord } from "#dialects/wire.ts";

function look(value: unknown, path: string, found: Set<string>, ...lists: Array<ReadonlySet<string>>): void {
  for (const [key, each] of Object.entries(asRecord(value) ?? {}))
    if (each !== null && each !== undefined && !lists.some((list) => list.has(key)))
      found.add(path === "" ? key : `${path}.${key}`);
}

function each(value: unknown, visit: (wire: Wire) => void): void {
  for (const one of Array.isArray(value) ? (value as unknown[]) : [value]) {
    const wire = asRecord(one);
    if (wire !== undefined) visit(wire);
  }
}

const known = (...names: string[]): ReadonlySet<string> => new Set(names);

const interaction = known(
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
);
const interactionConfig = known(
  "temperature",
  "top_p",
  "max_output_tokens",
  "stop_sequences",
  "seed",
  "thinking_level",
  "thinking_summaries",
  "tool_choice",
  "speech_config",
  "image_config",
);
const interactionTool = known("type", "name", "description", "parameters");
const interactionContent = known(
  "type",
  "text",
  "annotations",
  "data",
  "uri",
  "mime_type",
  "resolution",
  "role",
  "content",
);
const interactionStep = known(
  "id",
  "name",
  "arguments",
  "signature",
  "summary",
  "call_id",
  "result",
  "is_error",
  "error",
);
/** Steps of tools that only Google runs, except code, which has a form in the other formats. */
const ownStep =
  /^(?:google_search|url_context|google_maps|file_search|mcp_server_tool|retrieval|processing)_(?:call|result)$/;

/** Returns the paths of the fields of an interaction that no other format has. Pure. */
export function listUnsupportedInteractionFields(body: Wire): string[] {
  const found = new Set<string>();
  look(body, "", found, interaction);
  const config = asRecord(body["generation_config"]);
  look(config, "generation_config", found, interactionConfig);
  const level = config?.["thinking_level"];
  if (typeof level === "string" && effortOf(level) === undefined)
    found.add("generation_config.thinking_level");
  each(body["tools"], (tool) => {
    if (tool["type"] === "function") look(tool, "tools", found, interactionTool);
  });
  each(body["input"], (wire) => {
    const { type } = wire;
    if (typeof type === "string" && ownStep.test(type)) return void found.add(`input.${type}`);
    look(wire, "input", found, interactionContent, interactionStep);
    each(wire["content"], (content) =>
      look(content, "input.content", found, interactionContent, interactionStep),
    );
  });
  return [...found];
}
