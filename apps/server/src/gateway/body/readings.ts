/**
 * Fields of a body that must be unambiguous, per dialect: all fields of our schemas, and those that providers
 * bill by.
 */
import type { ZodType } from "zod";
import { messagesRequest, requestBlocks } from "#dialects/anthropic/schema.ts";
import { embedBatch, embedOne, geminiRequest, newCachedContent } from "#dialects/gemini/schema.ts";
import {
  contents,
  formats,
  functionTool,
  interactionRequest,
  serverTools,
  steps,
  turn,
} from "#dialects/interactions/schema.ts";
import type { ClientDialectId } from "#dialects/ir.ts";
import { chatMessages, chatParts, chatRequest } from "#dialects/openai-chat/schema.ts";
import { contentParts, items, responsesRequest, wireTool } from "#dialects/openai-responses/schema.ts";
import { foldName, foldProtoName, type FieldSpellings } from "./one-reading.ts";

/**
 * Fields of OpenAI's endpoints and their extensions. Some affect the provider although we do not read them.
 */
const more = words(`
  model models fallbacks provider route n best_of stream stream_options echo
  max_tokens max_completion_tokens max_output_tokens max_new_tokens max_length n_predict num_predict min_tokens
  max_tool_calls modalities audio prediction store background previous_response_id conversation metadata
  prompt input query documents top_n voice speed instructions response_format size quality image images mask file
  partial_images duration seconds num_images batch_size dimensions encoding_format suffix language temperature user
  thinking enable_thinking thinking_budget options extra_body items reasoning service_tier web_search_options
  type role content text url image_url input_audio data format tools tool_choice messages
  mv mode model_name model_type tags title task_id taskId action index ids continue_clip_id make_instrumental
  notify_hook notifyHook callback_url botType base64`);

/** Fields of any dialect that contain the caller's own objects. */
const free = words(`
  metadata parameters schema input_schema parametersJsonSchema parameters_json_schema responseSchema response_schema
  responseJsonSchema response_json_schema args arguments response logit_bias headers properties variables labels
  extra_content env user_location chat_template_kwargs outputs accountFilter`);

const ofGemini = words(`
  cachedContent safetySettings speechConfig responseModalities imageConfig mediaResolution generateContentRequest
  labels store`);

function words(list: string): string[] {
  return list.trim().split(/\s+/);
}

function readingOf(
  schemas: readonly ZodType[],
  ownFree: readonly string[],
  names: readonly string[],
): FieldSpellings {
  const known = new Set(names);
  for (const schema of schemas) collectNames(schema, known);
  return {
    known,
    folded: new Map([...known].map((name) => [foldName(name), name])),
    freeForm: new Set([...free, ...ownFree]),
    fold: foldName,
  };
}

/** Collects every key of every object in a schema. A record has keys of the caller's own. */
function collectNames(schema: unknown, names: Set<string>): void {
  if (typeof schema !== "object" || schema === null || !("def" in schema)) return;
  const def = schema.def as Record<string, unknown>;
  if (typeof def["shape"] === "object" && def["shape"] !== null)
    for (const [name, inner] of Object.entries(def["shape"])) {
      names.add(name);
      collectNames(inner, names);
    }
  for (const part of ["innerType", "element", "in", "out"]) collectNames(def[part], names);
  if (Array.isArray(def["options"])) for (const option of def["options"]) collectNames(option, names);
}

const chatSchemas = [chatRequest, ...Object.values(chatMessages), ...Object.values(chatParts)];
const responsesSchemas = [
  responsesRequest,
  wireTool,
  ...Object.values(items),
  ...Object.values(contentParts),
];
const openai = readingOf([...chatSchemas, ...responsesSchemas], [], more);
const anthropic = readingOf([messagesRequest, ...Object.values(requestBlocks)], ["input"], more);

function geminiReading(): FieldSpellings {
  const { known, freeForm } = readingOf(
    [geminiRequest, embedOne, embedBatch, newCachedContent],
    [],
    ofGemini,
  );
  const snake = [...known].map((name) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
  return {
    known: new Set([...known, ...snake]),
    folded: new Map([...known].map((name) => [foldProtoName(name), name])),
    freeForm,
    fold: foldProtoName,
  };
}

const ofRealtime = words(`
  event_id session item response max_response_output_tokens turn_detection transcription input_audio_transcription
  input_audio_format output_audio_format output_modalities conversation include tracing truncation`);

/**
 * Rules for the events of a realtime session, whose `response` contains settings, not the result of a
 * function.
 */
export const realtimeReading: FieldSpellings = (() => {
  const reading = readingOf([...chatSchemas, ...responsesSchemas], [], [...more, ...ofRealtime]);
  return { ...reading, freeForm: new Set([...reading.freeForm].filter((name) => name !== "response")) };
})();

const interactionSchemas = [
  interactionRequest,
  functionTool,
  turn,
  ...[contents, steps, serverTools, formats].flatMap((schemas) => Object.values(schemas)),
];
const ofInteractions = words("agent agent_config background environment webhook_config continuation_token");

export const readings: Readonly<Record<ClientDialectId, FieldSpellings>> = {
  "openai-chat": openai,
  "openai-responses": openai,
  anthropic,
  gemini: geminiReading(),
  interactions: readingOf(interactionSchemas, ["result"], ofInteractions),
};
