/**
 * Schemas of Google's Interactions API, as its client library types it (`@google/genai` 3.3.0). Strict for the
 * fields we use, loose for the rest. Only requests: no provider is called in this format.
 */
import { z } from "zod";
import { listOf } from "#dialects/list-of.ts";
import { seed } from "#dialects/seed.ts";

const struct = z.record(z.string(), z.unknown());

const media = z.looseObject({
  data: z.string().min(1).nullish(),
  uri: z.string().min(1).nullish(),
  mime_type: z.string().min(1).nullish(),
});

/** Contents by type. */
export const contents = {
  text: z.looseObject({ text: z.string(), annotations: z.array(z.unknown()).nullish() }),
  image: media.extend({ resolution: z.string().nullish() }),
  audio: media,
  document: media,
  video: media,
};

export type ContentType = keyof typeof contents;
export type MediaType = Exclude<ContentType, "text">;

/** A content or a step. Older versions of the API have turns, with a role instead of a type. */
export const inputItem = z.looseObject({ type: z.string().nullish(), role: z.string().nullish() });

export const turn = z.looseObject({
  role: z.enum(["user", "model"]),
  content: z.union([z.string(), inputItem, listOf(inputItem)], { error: "expected a string or contents" }),
});

const message = z.looseObject({ content: listOf(inputItem).nullish() });

/** Steps by type, those that other formats have, too. */
export const steps = {
  user_input: message,
  model_output: message,
  thought: z.looseObject({
    signature: z.string().nullish(),
    summary: listOf(z.looseObject({ type: z.string().nullish(), text: z.string().nullish() })).nullish(),
  }),
  function_call: z.looseObject({
    id: z.string().min(1),
    name: z.string().min(1),
    arguments: struct.nullish(),
    signature: z.string().nullish(),
  }),
  function_result: z.looseObject({
    call_id: z.string().min(1),
    name: z.string().nullish(),
    result: z.union([z.string(), z.array(z.unknown()), struct], {
      error: "expected a string, contents or an object",
    }),
    is_error: z.boolean().nullish(),
  }),
  code_execution_call: z.looseObject({
    arguments: z.looseObject({ code: z.string().nullish(), language: z.string().nullish() }).nullish(),
  }),
  code_execution_result: z.looseObject({ result: z.unknown(), is_error: z.boolean().nullish() }),
};

/** Steps of tools that only Google runs. No other format has a place for them in a conversation. */
export const ownSteps = [
  "google_search_call",
  "google_search_result",
  "url_context_call",
  "url_context_result",
  "google_maps_call",
  "google_maps_result",
  "file_search_call",
  "file_search_result",
  "mcp_server_tool_call",
  "mcp_server_tool_result",
  "retrieval_call",
  "retrieval_result",
  "processing_call",
  "processing_result",
] as const;

const contentTypes = Object.keys(contents) as ContentType[];
const stepTypes = Object.keys(steps) as Array<keyof typeof steps>;

export const inputType = z.looseObject({ type: z.enum([...contentTypes, ...stepTypes, ...ownSteps]) });
export const contentType = z.looseObject({ type: z.enum(contentTypes) });

export const functionTool = z.looseObject({
  name: z.string().min(1),
  description: z.string().nullish(),
  parameters: struct.nullish(),
});

export const serverTools = {
  google_search: z.looseObject({ search_types: listOf(z.string()).nullish() }),
  code_execution: z.looseObject({}),
  url_context: z.looseObject({}),
  google_maps: z.looseObject({
    latitude: z.number().nullish(),
    longitude: z.number().nullish(),
    enable_widget: z.boolean().nullish(),
  }),
  file_search: z.looseObject({
    file_search_store_names: listOf(z.string()).nullish(),
    metadata_filter: z.string().nullish(),
    top_k: z.int().nullish(),
  }),
  computer_use: z.looseObject({
    environment: z.string().nullish(),
    excluded_predefined_functions: listOf(z.string()).nullish(),
  }),
  mcp_server: z.looseObject({
    name: z.string().nullish(),
    url: z.string().nullish(),
    headers: z.record(z.string(), z.string()).nullish(),
  }),
};

export const toolType = z.looseObject({
  type: z.enum(["function", ...(Object.keys(serverTools) as Array<keyof typeof serverTools>)]),
});

const allowedTools = z.looseObject({
  mode: z.string().nullish(),
  tools: listOf(z.string()).nullish(),
});

const speech = z.looseObject({
  voice: z.string().nullish(),
  language: z.string().nullish(),
  speaker: z.string().nullish(),
});

export type Speech = z.infer<typeof speech>;

const imageConfig = z.looseObject({
  aspect_ratio: z.string().nullish(),
  image_size: z.string().nullish(),
});

export const generationConfig = z.looseObject({
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  max_output_tokens: z.int().positive().nullish(),
  stop_sequences: listOf(z.string()).nullish(),
  seed: seed.nullish(),
  thinking_level: z.string().nullish(),
  thinking_summaries: z.string().nullish(),
  tool_choice: z
    .union([z.string(), z.looseObject({ allowed_tools: allowedTools.nullish() })], {
      error: "expected a string or an object",
    })
    .nullish(),
  speech_config: z
    .union([listOf(speech), z.looseObject({ speakers: listOf(speech).nullish() })], {
      error: "expected a list or an object",
    })
    .nullish(),
  image_config: imageConfig.nullish(),
});

export type InteractionGenerationConfig = z.infer<typeof generationConfig>;

/** Formats by type. An object with any other type is a JSON Schema. */
export const formats = {
  text: z.looseObject({ mime_type: z.string().nullish(), schema: struct.nullish() }),
  image: imageConfig,
  audio: z.looseObject({ mime_type: z.string().nullish() }),
};

export const interactionRequest = z.looseObject({
  model: z.string().min(1).nullish(),
  input: z.union([z.string().min(1), inputItem, listOf(inputItem, { least: 1 })], {
    error: "expected a string, a content, or a list of contents or steps",
  }),
  stream: z.boolean().nullish(),
  system_instruction: z.string().nullish(),
  tools: listOf(z.looseObject({ type: z.string() })).nullish(),
  generation_config: generationConfig.nullish(),
  response_format: z.union([struct, listOf(struct)], { error: "expected an object or a list" }).nullish(),
  response_mime_type: z.string().nullish(),
  response_modalities: listOf(z.string()).nullish(),
  safety_settings: listOf(
    z.looseObject({ type: z.string(), threshold: z.string().nullish(), method: z.string().nullish() }),
  ).nullish(),
  service_tier: z.string().nullish(),
  cached_content: z.string().nullish(),
  labels: z.record(z.string(), z.string()).nullish(),
  previous_interaction_id: z.string().max(128).nullish(),
  store: z.boolean().nullish(),
});

export type InteractionRequest = z.infer<typeof interactionRequest>;
