/**
 * Schemas of chat completions. Requests: strict for the fields we use, loose for the rest.
 * Responses: minimal.
 */
import { z } from "zod";
import { cacheControl } from "#dialects/cache-control.ts";
import { listOf } from "#dialects/list-of.ts";
import { seed } from "#dialects/seed.ts";

/** Content parts by type; a type that is not listed travels as a foreign part. */
export const chatParts = {
  text: z.looseObject({ text: z.string(), cache_control: cacheControl.nullish() }),
  refusal: z.looseObject({ refusal: z.string() }),
  image_url: z.looseObject({
    // Mistral and OpenAI's first vision models use the bare URL.
    image_url: z.preprocess(
      (value) => (typeof value === "string" ? { url: value } : value),
      z.looseObject({ url: z.string().min(1), detail: z.string().nullish() }),
    ),
    cache_control: cacheControl.nullish(),
  }),
  input_audio: z.looseObject({
    input_audio: z.looseObject({ data: z.string().min(1), format: z.string().min(1) }),
  }),
  file: z.looseObject({
    file: z.looseObject({
      file_id: z.string().nullish(),
      file_data: z.string().nullish(),
      filename: z.string().nullish(),
    }),
    cache_control: cacheControl.nullish(),
  }),
};

export const chatPart = z.looseObject({ type: z.string() });

const content = z.union([z.string(), listOf(chatPart)], {
  error: "expected a string or an array of content parts",
});

/** Clients of some providers send the arguments back as an object, or omit them. */
const callArguments = z
  .union([z.string(), z.record(z.string(), z.unknown())], { error: "expected a string or an object" })
  .nullish()
  .transform((value) => (typeof value === "string" ? value : value ? JSON.stringify(value) : ""));

export const chatFunctionCall = z.looseObject({ name: z.string().min(1), arguments: callArguments });

export const chatToolCall = z.looseObject({
  id: z.string().min(1),
  type: z.string().nullish(),
  function: chatFunctionCall.nullish(),
  extra_content: z.unknown().optional(),
});

/** Reasoning with its proof, in the form that OpenRouter documents and chat clients send back. */
export const chatReasoningDetail = z.looseObject({
  type: z.string(),
  text: z.string().nullish(),
  summary: z.string().nullish(),
  data: z.string().nullish(),
  signature: z.string().nullish(),
  id: z.string().nullish(),
  format: z.string().nullish().catch(undefined),
});

const spoken = z.looseObject({ content, name: z.string().nullish() });

export const chatMessages = {
  system: spoken,
  developer: spoken,
  user: spoken,
  assistant: z.looseObject({
    content: content.nullish(),
    name: z.string().nullish(),
    refusal: z.string().nullish(),
    reasoning_content: z.string().nullish(),
    reasoning: z.string().nullish(),
    reasoning_details: listOf(chatReasoningDetail).nullish(),
    audio: z.looseObject({ id: z.string() }).nullish(),
    tool_calls: listOf(chatToolCall).nullish(),
    function_call: chatFunctionCall.nullish(),
  }),
  tool: z.looseObject({
    content: content.nullish(),
    tool_call_id: z.string().min(1),
    name: z.string().nullish(),
  }),
  function: z.looseObject({ content: content.nullish(), name: z.string().min(1) }),
};

export const chatMessage = z.looseObject({
  role: z.enum(["system", "developer", "user", "assistant", "tool", "function"]),
});

const schemaObject = z.record(z.string(), z.unknown());

export const chatFunction = z.looseObject({
  name: z.string().min(1),
  description: z.string().nullish(),
  parameters: schemaObject.nullish(),
  strict: z.boolean().nullish(),
});

const chatTool = z.looseObject({
  // Mistral's clients omit it; then the call is a function call.
  type: z.string().nullish(),
  function: chatFunction.nullish(),
  cache_control: cacheControl.nullish(),
});

export const chatRequest = z.looseObject({
  model: z.string().min(1).nullish(),
  messages: listOf(chatMessage, { least: 1 }),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  max_tokens: z.int().positive().nullish(),
  max_completion_tokens: z.int().positive().nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  /** Not an OpenAI field. Providers that have it switch it off with 0 or -1. */
  top_k: z.int().min(-1).nullish(),
  n: z.int().min(1).max(128).nullish(),
  stop: z
    .union([z.string(), listOf(z.string())], { error: "expected a string or an array of strings" })
    .nullish(),
  seed: seed.nullish(),
  presence_penalty: z.number().min(-2).max(2).nullish(),
  frequency_penalty: z.number().min(-2).max(2).nullish(),
  logprobs: z.boolean().nullish(),
  top_logprobs: z.int().min(0).max(20).nullish(),
  tools: listOf(chatTool).nullish(),
  functions: listOf(chatFunction).nullish(),
  tool_choice: z
    .union([z.enum(["none", "auto", "required", "any"]), z.looseObject({ type: z.string().nullish() })], {
      error: 'expected "none", "auto", "required" or an object that names a tool',
    })
    .nullish(),
  function_call: z.union([z.enum(["none", "auto"]), z.looseObject({ name: z.string().min(1) })]).nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  response_format: z
    .looseObject({
      type: z.string(),
      json_schema: z
        .looseObject({
          name: z.string().nullish(),
          description: z.string().nullish(),
          schema: schemaObject.nullish(),
          strict: z.boolean().nullish(),
        })
        .nullish(),
    })
    .nullish(),
  reasoning_effort: z.string().nullish(),
  reasoning: z
    .looseObject({
      effort: z.string().nullish(),
      max_tokens: z.int().min(0).nullish(),
      summary: z.string().nullish(),
      enabled: z.boolean().nullish(),
    })
    .nullish(),
  service_tier: z.string().nullish(),
  user: z.string().nullish(),
  web_search_options: z.record(z.string(), z.unknown()).nullish(),
});

export type ChatWireRequest = z.infer<typeof chatRequest>;

const usageDetails = z
  .looseObject({
    cached_tokens: z.number().nullish(),
    cache_write_tokens: z.number().nullish(),
    cache_creation_input_tokens: z.number().nullish(),
    cache_creation: z.looseObject({ ephemeral_1h_input_tokens: z.number().nullish() }).nullish(),
    audio_tokens: z.number().nullish(),
    image_tokens: z.number().nullish(),
    reasoning_tokens: z.number().nullish(),
  })
  .nullish();

const serverTools = z.looseObject({ web_search_requests: z.number().nullish() }).nullish();

export const chatUsage = z.looseObject({
  prompt_tokens: z.number().nullish(),
  completion_tokens: z.number().nullish(),
  total_tokens: z.number().nullish(),
  prompt_tokens_details: usageDetails,
  completion_tokens_details: usageDetails,
  prompt_cache_hit_tokens: z.number().nullish(),
  cached_tokens: z.number().nullish(),
  reasoning_tokens: z.number().nullish(),
  // Calls of OpenRouter's own tools, under the current name and the former one.
  server_tool_use_details: serverTools,
  server_tool_use: serverTools,
  // Searches of Xiaomi and Baichuan.
  web_search_usage: z.looseObject({ tool_usage: z.number().nullish() }).nullish(),
  search_count: z.number().nullish(),
});

/** A field of an unexpected type is ignored, so that the rest of the response stays readable. */
const maybeText = z.string().nullish().catch(undefined);

const wireToolCall = z.looseObject({
  index: z.number().nullish().catch(undefined),
  id: maybeText,
  type: maybeText,
  function: z.looseObject({ name: z.string().nullish(), arguments: z.unknown().optional() }).nullish(),
  extra_content: z.unknown().optional(),
});

/** A string at most providers, a list of parts at some. */
export const chatContent = z.union([z.string(), z.array(z.unknown())]).nullish();

/** Fields that a complete message and a streamed delta share. */
const chatAnswerMessage = z.looseObject({
  content: chatContent,
  refusal: maybeText,
  reasoning_content: maybeText,
  reasoning: maybeText,
  reasoning_details: z.array(chatReasoningDetail).nullish().catch(undefined),
  tool_calls: z.array(wireToolCall).nullish(),
  function_call: z.looseObject({ name: z.string().nullish(), arguments: z.unknown().optional() }).nullish(),
  annotations: z.array(z.unknown()).nullish().catch(undefined),
  audio: z
    .looseObject({ id: z.string().nullish(), data: z.string().nullish(), transcript: z.string().nullish() })
    .nullish(),
  images: z.array(z.unknown()).nullish().catch(undefined),
});

export type ChatAnswerMessage = z.infer<typeof chatAnswerMessage>;

export const chatAnswer = z.looseObject({
  id: maybeText,
  model: maybeText,
  created: z.number().nullish().catch(undefined),
  service_tier: maybeText,
  usage: z.unknown().optional(),
  choices: z.array(
    z.looseObject({
      index: z.number().nullish(),
      message: chatAnswerMessage.nullish(),
      finish_reason: maybeText,
      logprobs: z.unknown().optional(),
    }),
  ),
});

export const chatChunk = z.looseObject({
  id: maybeText,
  model: maybeText,
  created: z.number().nullish().catch(undefined),
  service_tier: maybeText,
  usage: z.unknown().optional(),
  // Groq's usage for clients that did not request it.
  x_groq: z.looseObject({ usage: z.unknown().optional() }).nullish(),
  error: z.unknown().optional(),
  choices: z
    .array(
      z.looseObject({
        index: z.number().nullish(),
        delta: chatAnswerMessage.nullish(),
        // Some providers send a response as one chunk with the whole message.
        message: chatAnswerMessage.nullish().catch(undefined),
        finish_reason: maybeText,
        logprobs: z.unknown().optional(),
        // Some providers report the usage beside the finish reason.
        usage: z.unknown().optional(),
      }),
    )
    .nullish(),
});
