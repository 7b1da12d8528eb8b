/**
 * Schemas of the Messages API. Requests: strict for the fields we use, loose for the rest.
 * Responses: minimal.
 */
import { z } from "zod";
import { cacheControl } from "#dialects/cache-control.ts";
import { listOf } from "#dialects/list-of.ts";

const cached = { cache_control: cacheControl.nullish() };

export const block = z.looseObject({ type: z.string() });
export const blocks = z.union([z.string(), listOf(block)], {
  error: "expected a string or an array of content blocks",
});

const imageSource = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("base64"), media_type: z.string().min(1), data: z.string().min(1) }),
  z.looseObject({ type: z.literal("url"), url: z.string().min(1) }),
  z.looseObject({ type: z.literal("file"), file_id: z.string().min(1) }),
]);

const documentSource = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("base64"), media_type: z.string().min(1), data: z.string().min(1) }),
  z.looseObject({ type: z.literal("url"), url: z.string().min(1) }),
  z.looseObject({ type: z.literal("file"), file_id: z.string().min(1) }),
  z.looseObject({ type: z.literal("text"), media_type: z.string().nullish(), data: z.string() }),
  z.looseObject({ type: z.literal("content"), content: blocks }),
]);

/** Content blocks by type; a type that is not listed travels as a foreign part. */
export const requestBlocks = {
  text: z.looseObject({ text: z.string(), citations: z.array(z.unknown()).nullish(), ...cached }),
  image: z.looseObject({ source: imageSource, ...cached }),
  document: z.looseObject({ source: documentSource, title: z.string().nullish(), ...cached }),
  search_result: z.looseObject({
    title: z.string().nullish(),
    source: z.string().nullish(),
    content: listOf(block).nullish(),
    ...cached,
  }),
  tool_reference: z.looseObject({ tool_name: z.string(), ...cached }),
  thinking: z.looseObject({ thinking: z.string(), signature: z.string().nullish() }),
  redacted_thinking: z.looseObject({ data: z.string() }),
  tool_use: z.looseObject({
    id: z.string().min(1),
    name: z.string().min(1),
    input: z.record(z.string(), z.unknown()),
    ...cached,
  }),
  tool_result: z.looseObject({
    tool_use_id: z.string().min(1),
    content: blocks.nullish(),
    is_error: z.boolean().nullish(),
    ...cached,
  }),
};

export const message = z.looseObject({ role: z.enum(["user", "assistant", "system"]), content: blocks });

export const tool = z.looseObject({
  type: z.string().nullish(),
  name: z.string().min(1).nullish(),
  description: z.string().nullish(),
  input_schema: z.record(z.string(), z.unknown()).nullish(),
  strict: z.boolean().nullish(),
  ...cached,
});

export const messagesRequest = z.looseObject({
  model: z.string().min(1).nullish(),
  messages: listOf(message, { least: 1 }),
  system: z
    .union([z.string(), listOf(block)], { error: "expected a string or an array of text blocks" })
    .nullish(),
  /** 0 fills the prompt cache without generating a response. */
  max_tokens: z.int().min(0).nullish(),
  stream: z.boolean().nullish(),
  temperature: z.number().min(0).max(1).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  top_k: z.int().min(0).nullish(),
  stop_sequences: listOf(z.string()).nullish(),
  tools: listOf(tool).nullish(),
  tool_choice: z
    .discriminatedUnion("type", [
      z.looseObject({ type: z.literal("auto"), disable_parallel_tool_use: z.boolean().nullish() }),
      z.looseObject({ type: z.literal("any"), disable_parallel_tool_use: z.boolean().nullish() }),
      z.looseObject({ type: z.literal("none") }),
      z.looseObject({
        type: z.literal("tool"),
        name: z.string().min(1),
        disable_parallel_tool_use: z.boolean().nullish(),
      }),
    ])
    .nullish(),
  thinking: z
    .looseObject({ type: z.string(), budget_tokens: z.int().min(0).nullish(), display: z.string().nullish() })
    .nullish(),
  output_config: z
    .looseObject({
      effort: z.string().nullish(),
      format: z
        .looseObject({ type: z.string(), schema: z.record(z.string(), z.unknown()).nullish() })
        .nullish(),
    })
    .nullish(),
  service_tier: z.string().nullish(),
  metadata: z.looseObject({ user_id: z.string().nullish() }).nullish(),
});

export type MessagesRequest = z.infer<typeof messagesRequest>;

export const wireUsage = z.looseObject({
  input_tokens: z.number().nullish(),
  output_tokens: z.number().nullish(),
  cache_creation_input_tokens: z.number().nullish(),
  cache_read_input_tokens: z.number().nullish(),
  cache_creation: z
    .looseObject({
      ephemeral_5m_input_tokens: z.number().nullish(),
      ephemeral_1h_input_tokens: z.number().nullish(),
    })
    .nullish(),
  output_tokens_details: z.looseObject({ thinking_tokens: z.number().nullish() }).nullish(),
  server_tool_use: z.record(z.string(), z.unknown()).nullish(),
  service_tier: z.string().nullish(),
  /** "fast" has its own price, like a service tier. */
  speed: z.string().nullish(),
  /** Usage of each sampling iteration, for requests with several. */
  iterations: z.array(z.unknown()).nullish().catch(undefined),
});

export type AnthropicUsage = z.infer<typeof wireUsage>;

/** A field of an unexpected type is ignored, so that the rest of the response stays readable. */
const maybeText = z.string().nullish().catch(undefined);

const answerBlock = z.looseObject({
  type: z.string(),
  text: maybeText,
  citations: z.array(z.unknown()).nullish().catch(undefined),
  thinking: maybeText,
  signature: maybeText,
  data: maybeText,
  id: maybeText,
  name: maybeText,
  input: z.unknown().optional(),
});

export type AnswerBlock = z.infer<typeof answerBlock>;

const stopDetails = z.looseObject({ explanation: maybeText }).nullish().catch(undefined);

export type StopDetails = z.infer<typeof stopDetails>;

export const answer = z.looseObject({
  id: z.string().nullish(),
  model: z.string().nullish(),
  content: z.array(answerBlock),
  stop_reason: z.string().nullish(),
  stop_details: stopDetails,
  usage: z.unknown().optional(),
});

/** All events of a stream in one loose schema; `type` decides which fields to expect. */
export const streamEvent = z.looseObject({
  type: z.string(),
  index: z.number().nullish(),
  message: z
    .looseObject({ id: z.string().nullish(), model: z.string().nullish(), usage: z.unknown().optional() })
    .nullish(),
  content_block: answerBlock.nullish(),
  delta: z
    .looseObject({
      type: z.string().nullish(),
      text: z.string().nullish(),
      thinking: z.string().nullish(),
      signature: z.string().nullish(),
      partial_json: z.string().nullish(),
      citation: z.unknown().optional(),
      stop_reason: z.string().nullish(),
      stop_details: stopDetails,
    })
    .nullish(),
  usage: z.unknown().optional(),
});
