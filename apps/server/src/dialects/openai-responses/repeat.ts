import type { Wire } from "#dialects/dialect.ts";
import type { ChatRequest, Extra } from "#dialects/ir.ts";
import { asRecord, ownFields } from "#dialects/wire.ts";

/** Request fields that a response object repeats, with their values when the request omits them. */
const defaults: Wire = {
  access_programs: null,
  conversation: null,
  instructions: null,
  max_output_tokens: null,
  max_tool_calls: null,
  metadata: {},
  parallel_tool_calls: true,
  previous_response_id: null,
  prompt: null,
  prompt_cache_key: null,
  prompt_cache_retention: null,
  reasoning: { effort: null, summary: null },
  safety_identifier: null,
  store: true,
  temperature: 1,
  text: { format: { type: "text" } },
  tool_choice: "auto",
  tools: [],
  top_logprobs: 0,
  top_p: 1,
  truncation: "disabled",
  user: null,
};

/** Returns undefined when the request sets none of the repeated fields. */
export function repeatedFields(body: Wire): Extra | undefined {
  const fields: Wire = {};
  for (const name of Object.keys(defaults)) {
    const value = body[name];
    if (value !== undefined && value !== null) fields[name] = value;
  }
  return Object.keys(fields).length === 0 ? undefined : { dialect: "openai-responses", fields };
}

export function repeatedIn(request: ChatRequest): Wire {
  const value = ownFields("openai-responses", request.repeat) ?? {};
  const whole: Wire = { ...defaults, ...value };
  for (const name of ["reasoning", "text"])
    whole[name] = { ...asRecord(defaults[name]), ...asRecord(value[name]) };
  if (Array.isArray(value["tools"])) whole["tools"] = value["tools"].map(wholeTool);
  return whole;
}

/** Adds fields of a function that clients read without checking that they exist. */
function wholeTool(tool: unknown): unknown {
  const wire = asRecord(tool);
  if (wire?.["type"] !== "function") return tool;
  return { description: null, parameters: null, strict: false, ...wire };
}
