/**
 * Schemas of generateContent. It is JSON of protocol buffers, whose readers accept both `snake_case` and
 * `camelCase`. Keys are converted to one spelling before validation; schemas and arguments within stay
 * unchanged.
 */
import { z } from "zod";
import { exactNumber } from "#dialects/json/parse-json.ts";
import { listOf } from "#dialects/list-of.ts";
import { seed } from "#dialects/seed.ts";
import { asRecord } from "#dialects/wire.ts";

function camelKeys(value: unknown): unknown {
  const wire = asRecord(value);
  if (wire === undefined || !Object.keys(wire).some((key) => key.includes("_"))) return value;
  const inCamelCase: Record<string, unknown> = {};
  for (const [key, each] of Object.entries(wire)) {
    inCamelCase[key.replaceAll(/_(?<letter>[a-z])/g, (_, letter: string) => letter.toUpperCase())] = each;
  }
  return inCamelCase;
}

function message<T extends z.ZodRawShape>(shape: T) {
  return z.preprocess(camelKeys, z.looseObject(shape));
}

/** Accepts a single object as a list of one, as JSON of protocol buffers does. */
function list<T extends z.ZodType>(each: T) {
  return z.preprocess((value) => (asRecord(value) === undefined ? value : [value]), listOf(each));
}

/** Accepts numbers as text, as JSON of protocol buffers does. */
function numeric<T extends z.ZodType>(number: T) {
  return z.preprocess(
    (value) => (typeof value === "string" && /^-?\d+(?:\.\d+)?$/.test(value) ? exactNumber(value) : value),
    number,
  );
}

const struct = z.record(z.string(), z.unknown());

export const blob = message({ mimeType: z.string().min(1), data: z.string().min(1) });
export const fileData = message({ fileUri: z.string().min(1), mimeType: z.string().nullish() });

export const functionCall = message({
  id: z.string().nullish(),
  name: z.string().min(1),
  args: struct.nullish(),
});
export const functionResponse = message({
  id: z.string().nullish(),
  name: z.string().min(1),
  response: struct.nullish(),
  parts: list(message({ inlineData: blob.nullish(), fileData: fileData.nullish() })).nullish(),
});

export const requestPart = message({
  text: z.string().nullish(),
  thought: z.boolean().nullish(),
  thoughtSignature: z.string().nullish(),
  inlineData: blob.nullish(),
  fileData: fileData.nullish(),
  functionCall: functionCall.nullish(),
  functionResponse: functionResponse.nullish(),
});

export type RequestPart = z.infer<typeof requestPart>;

export const content = message({
  role: z.enum(["user", "model", "function", "system"]).nullish(),
  parts: list(requestPart).nullish(),
});

export type WireContent = z.infer<typeof content>;

export const functionDeclaration = message({
  name: z.string().min(1),
  description: z.string().nullish(),
  parameters: struct.nullish(),
  parametersJsonSchema: struct.nullish(),
});

export const wireTool = message({ functionDeclarations: list(functionDeclaration).nullish() });

export const generationConfig = message({
  temperature: numeric(z.number().min(0).max(2).nullish()),
  topP: numeric(z.number().min(0).max(1).nullish()),
  topK: numeric(z.number().min(0).nullish()),
  candidateCount: numeric(z.int().min(1).max(128).nullish()),
  maxOutputTokens: numeric(z.int().positive().nullish()),
  stopSequences: listOf(z.string()).nullish(),
  presencePenalty: numeric(z.number().nullish()),
  frequencyPenalty: numeric(z.number().nullish()),
  seed: numeric(seed.nullish()),
  responseLogprobs: z.boolean().nullish(),
  logprobs: numeric(z.int().min(0).nullish()),
  responseMimeType: z.string().nullish(),
  responseSchema: struct.nullish(),
  responseJsonSchema: struct.nullish(),
  thinkingConfig: message({
    includeThoughts: z.boolean().nullish(),
    thinkingBudget: numeric(z.int().min(-1).nullish()),
    thinkingLevel: z.string().nullish(),
  }).nullish(),
});

export type GeminiGenerationConfig = z.infer<typeof generationConfig>;

export const geminiRequest = message({
  model: z.string().nullish(),
  contents: list(content).check(z.minLength(1)),
  systemInstruction: content.nullish(),
  tools: list(wireTool).nullish(),
  toolConfig: message({
    functionCallingConfig: message({
      mode: z.string().nullish(),
      allowedFunctionNames: listOf(z.string()).nullish(),
    }).nullish(),
  }).nullish(),
  generationConfig: generationConfig.nullish(),
  serviceTier: z.string().nullish(),
});

export type GeminiRequest = z.infer<typeof geminiRequest>;

const duration = z.string().regex(/^\d{1,9}(?:\.\d{1,9})?s$/);
const expiry = { ttl: duration.nullish(), expireTime: z.iso.datetime({ offset: true }).nullish() };

/** https://ai.google.dev/api/caching, read 2026-11-29. */
export const newCachedContent = message({
  model: z.string().min(1).max(160),
  displayName: z.string().max(128).nullish(),
  contents: list(content).nullish(),
  systemInstruction: content.nullish(),
  tools: list(wireTool).nullish(),
  toolConfig: message({}).nullish(),
  ...expiry,
});
export type NewCachedContent = z.infer<typeof newCachedContent>;

export const changedCachedContent = message(expiry);

const embedSettings = {
  taskType: z.string().nullish(),
  title: z.string().nullish(),
  autoTruncate: z.boolean().nullish(),
  outputDimensionality: z.int().positive().nullish(),
};

export const embedOne = message({
  model: z.string().nullish(),
  content: message({ parts: list(requestPart) }),
  embedContentConfig: message(embedSettings).nullish(),
  ...embedSettings,
});

export const embedBatch = message({ requests: listOf(embedOne, { least: 1, most: 2_048 }) });

const counts = z
  .array(z.looseObject({ modality: z.string().nullish(), tokenCount: z.number().nullish() }))
  .nullish();

export const usageMetadata = z.looseObject({
  promptTokenCount: z.number().nullish(),
  toolUsePromptTokenCount: z.number().nullish(),
  candidatesTokenCount: z.number().nullish(),
  thoughtsTokenCount: z.number().nullish(),
  cachedContentTokenCount: z.number().nullish(),
  promptTokensDetails: counts,
  candidatesTokensDetails: counts,
});

const answerPart = z.looseObject({
  text: z.string().nullish(),
  thought: z.boolean().nullish(),
  thoughtSignature: z.string().nullish(),
  inlineData: z.looseObject({ mimeType: z.string().nullish(), data: z.string().nullish() }).nullish(),
  functionCall: z
    .looseObject({ id: z.string().nullish(), name: z.string().nullish(), args: z.unknown().optional() })
    .nullish(),
});

export type AnswerPart = z.infer<typeof answerPart>;

const web = z.looseObject({ uri: z.string().nullish(), title: z.string().nullish() }).nullish();

export const grounding = z.looseObject({
  webSearchQueries: z.array(z.unknown()).nullish(),
  groundingChunks: z.array(z.looseObject({ web, retrievedContext: web })).nullish(),
  groundingSupports: z
    .array(
      z.looseObject({
        segment: z.looseObject({ text: z.string().nullish() }).nullish(),
        groundingChunkIndices: z.array(z.number()).nullish(),
      }),
    )
    .nullish(),
});

export type Grounding = z.infer<typeof grounding>;

export const candidate = z.looseObject({
  index: z.number().nullish(),
  content: z.looseObject({ parts: z.array(answerPart).nullish() }).nullish(),
  finishReason: z.string().nullish(),
  groundingMetadata: grounding.nullish(),
  logprobsResult: z.unknown().optional(),
});

/** Schema of a complete response and of a stream chunk, which are the same object. */
export const geminiAnswer = z.looseObject({
  candidates: z.array(candidate).nullish(),
  promptFeedback: z.looseObject({ blockReason: z.string().nullish() }).nullish(),
  usageMetadata: z.unknown().optional(),
  modelVersion: z.string().nullish(),
  responseId: z.string().nullish(),
});

export type GeminiAnswer = z.infer<typeof geminiAnswer>;
