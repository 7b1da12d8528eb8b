/**
 * Schemas of the Responses API. Requests: strict for the fields we use, loose for the rest.
 * Responses: minimal.
 */
import { z } from "zod";
import { listOf } from "#dialects/list-of.ts";

export const contentPart = z.looseObject({ type: z.string() });

const content = z.union([z.string(), listOf(contentPart)], {
  error: "expected a string or an array of content parts",
});

/** Content parts by type; a type that is not listed travels as a foreign part. */
export const contentParts = {
  text: z.looseObject({ text: z.string(), annotations: z.array(z.unknown()).nullish() }),
  refusal: z.looseObject({ refusal: z.string() }),
  input_image: z.looseObject({
    image_url: z.string().nullish(),
    file_id: z.string().nullish(),
    detail: z.string().nullish(),
  }),
  input_file: z.looseObject({
    file_data: z.string().nullish(),
    file_id: z.string().nullish(),
    file_url: z.string().nullish(),
    filename: z.string().nullish(),
  }),
  input_audio: z.looseObject({
    input_audio: z.looseObject({ data: z.string().min(1), format: z.string().min(1) }),
  }),
};

/** A few providers send the arguments as an object, and their clients send it back. */
const callArguments = z
  .union([z.string(), z.record(z.string(), z.unknown())], { error: "expected a string or an object" })
  .transform((value) => (typeof value === "string" ? value : JSON.stringify(value)));

const textList = listOf(z.looseObject({ text: z.string() }));

/** Input items by type; a type that is not listed travels as a foreign part. */
export const items = {
  message: z.looseObject({ role: z.enum(["user", "assistant", "system", "developer"]), content }),
  function_call: z.looseObject({
    call_id: z.string().min(1),
    name: z.string().min(1),
    namespace: z.string().nullish(),
    arguments: callArguments,
  }),
  custom_tool_call: z.looseObject({
    call_id: z.string().min(1),
    name: z.string().min(1),
    namespace: z.string().nullish(),
    input: z.string(),
  }),
  additional_tools: z.looseObject({ tools: z.array(z.unknown()) }),
  /** Without `call_id` it belongs to no call of the input. */
  function_call_output: z.looseObject({ call_id: z.string().min(1).nullish(), output: content }),
  custom_tool_call_output: z.looseObject({ call_id: z.string().min(1), output: content }),
  reasoning: z.looseObject({
    id: z.string().nullish(),
    summary: textList.nullish(),
    content: textList.nullish(),
    encrypted_content: z.string().nullish(),
  }),
};

export const item = z.looseObject({ type: z.string().nullish(), role: z.string().nullish() });

export const wireTool = z.looseObject({
  type: z.string().default("function"),
  name: z.string().nullish(),
  description: z.string().nullish(),
  parameters: z.record(z.string(), z.unknown()).nullish(),
  strict: z.boolean().nullish(),
});

export const responsesRequest = z.looseObject({
  model: z.string().min(1).nullish(),
  input: z.union([z.string(), listOf(item)], { error: "expected a string or an array of items" }),
  instructions: z.string().nullish(),
  stream: z.boolean().nullish(),
  max_output_tokens: z.int().positive().nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  top_logprobs: z.int().min(0).max(20).nullish(),
  include: listOf(z.string()).nullish(),
  tools: listOf(wireTool).nullish(),
  tool_choice: z
    .union([z.enum(["none", "auto", "required"]), z.looseObject({ type: z.string() })], {
      error: 'expected "none", "auto", "required" or an object that names a tool',
    })
    .nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  text: z
    .looseObject({
      format: z
        .looseObject({
          type: z.string(),
          name: z.string().nullish(),
          description: z.string().nullish(),
          schema: z.record(z.string(), z.unknown()).nullish(),
          strict: z.boolean().nullish(),
        })
        .nullish(),
    })
    .nullish(),
  reasoning: z
    .looseObject({
      effort: z.string().nullish(),
      summary: z.string().nullish(),
    })
    .nullish(),
  service_tier: z.string().nullish(),
  user: z.string().nullish(),
});

export type ResponsesRequest = z.infer<typeof responsesRequest>;

export const wireUsage = z.looseObject({
  input_tokens: z.number().nullish(),
  output_tokens: z.number().nullish(),
  total_tokens: z.number().nullish(),
  input_tokens_details: z
    .looseObject({
      cached_tokens: z.number().nullish(),
      cache_write_tokens: z.number().nullish(),
      cache_creation_input_tokens: z.number().nullish(),
    })
    .nullish(),
  output_tokens_details: z.looseObject({ reasoning_tokens: z.number().nullish() }).nullish(),
  /** Calls of the provider's own tools by its names, from providers that count them in the usage. */
  tool_calls_details: z.record(z.string(), z.looseObject({ invocation: z.number().nullish() })).nullish(),
  server_side_tool_usage_details: z.record(z.string(), z.unknown()).nullish(),
});

export type ResponsesUsage = z.infer<typeof wireUsage>;

const maybeTexts = z
  .array(z.looseObject({ type: z.string().nullish(), text: z.string().nullish() }))
  .nullish()
  .catch(undefined);

/** A field of an unexpected type is ignored, so that the rest of the response stays readable. */
const maybeText = z.string().nullish().catch(undefined);

const outputItem = z.looseObject({
  type: z.string(),
  id: maybeText,
  status: maybeText,
  call_id: maybeText,
  name: maybeText,
  // Text for functions; an object for some tools, such as tool search.
  arguments: z.unknown().optional(),
  input: z.unknown().optional(),
  encrypted_content: maybeText,
  result: maybeText,
  output_format: maybeText,
  summary: maybeTexts,
  content: z
    .array(
      z.looseObject({
        type: maybeText,
        text: maybeText,
        refusal: maybeText,
        annotations: z.array(z.unknown()).nullish().catch(undefined),
        logprobs: z.array(z.unknown()).nullish().catch(undefined),
      }),
    )
    .nullish()
    .catch(undefined),
});

export type OutputItem = z.infer<typeof outputItem>;

export const wireResponse = z.looseObject({
  id: z.string().nullish(),
  model: z.string().nullish(),
  created_at: z.number().nullish(),
  status: z.string().nullish(),
  error: z.unknown().optional(),
  incomplete_details: z.looseObject({ reason: z.string().nullish() }).nullish(),
  output: z.array(outputItem).nullish(),
  service_tier: z.string().nullish(),
  usage: z.unknown().optional(),
});

export type WireResponse = z.infer<typeof wireResponse>;

/** All events of a stream in one loose schema; `type` decides which fields to expect. */
export const streamEvent = z.looseObject({
  type: z.string(),
  response: wireResponse.nullish(),
  item: outputItem.nullish(),
  output_index: z.number().nullish(),
  content_index: z.number().nullish(),
  summary_index: z.number().nullish(),
  delta: z.string().nullish(),
  logprobs: z.array(z.unknown()).nullish(),
  annotation: z.unknown().optional(),
});

export type StreamEvent = z.infer<typeof streamEvent>;
