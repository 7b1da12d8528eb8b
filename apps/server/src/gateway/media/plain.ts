import { plainReason, type Reason, reasonBecause, reasonOf } from "@gateway/shared/reasons";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { inForm, isInForm } from "#dialects/media/vectors.ts";
import { type CostWire, raisesCost, withinCost } from "#dialects/usage/cost-fields.ts";
import {
  type Estimate,
  estimateUsage,
  recordingTokens,
  textTokens,
  tokensPerPartialImage,
} from "#domain/pricing/estimate.ts";
import {
  longestRecordingSeconds,
  mostRecordingSeconds,
  recordingSeconds,
} from "#domain/pricing/input-media.ts";
import { GatewayError, invalidRequest } from "#errors.ts";
import { accessOf, wantsFresh } from "#gateway/access/access.ts";
import { admit } from "#gateway/access/admit.ts";
import { BODY_LIMIT, isJsonBody, jsonBody } from "#gateway/body/json-body.ts";
import { type Form, readForm } from "#gateway/body/multipart.ts";
import { heartbeatMs, sendAnswer } from "#gateway/http/reply.ts";
import type { GatewayServices } from "#gateway/services.ts";
import type { Endpoint } from "#providers/provider.ts";
import type { PlainCall } from "#relay/media/plain-call.ts";
import { relayPlain } from "#relay/media/plain.ts";

/** OpenAI's other endpoints: one wire for all providers. Defines the defaults of omitted fields. */
interface PlainEndpoint {
  path: string;
  /** Second path used by some clients. */
  alias?: string;
  needs: Endpoint;
  form?: boolean;
  /** Default model. */
  model?: string;
  /** Set instead of a model for endpoints that are one specific tool of a provider, with its path there. */
  tool?: { name: string; path: string };
  /** Tokens of one output when the request sets no limit. Undefined for endpoints that generate no tokens. */
  output?: number;
  /** Returns the requested format of the response. */
  responseFormat?(requested: Record<string, unknown>): NonNullable<PlainCall["responseFormat"]>;
}

/**
 * Default image model. OpenAI has required a model since it retired its unnamed default, and names this one
 * instead.
 */
const PAINTER = "gpt-image-2.5-sunburst";

const endpoints: readonly PlainEndpoint[] = [
  { path: "/v1/completions", needs: "completions", output: 4_096 },
  {
    path: "/v1/embeddings",
    needs: "embeddings",
    responseFormat(requested) {
      const form = requested["encoding_format"] === "base64" ? "base64" : "float";
      return { matches: (head) => isInForm(head, form), convert: (answer) => inForm(answer, form) };
    },
  },
  { path: "/v1/moderations", needs: "moderations", model: "omni-moderation-latest" },
  { path: "/v1/rerank", needs: "rerank" },
  {
    path: "/v1/images/generations",
    alias: "/recraftAI/v1/images/generations",
    needs: "images",
    model: PAINTER,
    output: 6_240,
  },
  { path: "/v1/images/edits", needs: "images", form: true, model: PAINTER, output: 6_240 },
  { path: "/v1/images/variations", needs: "images", form: true, output: 6_240 },
  { path: "/v1/audio/speech", needs: "audio", output: 0 },
  { path: "/v1/audio/transcriptions", needs: "audio", form: true, output: 4_096 },
  { path: "/v1/audio/translations", needs: "audio", form: true, output: 4_096 },
  // Recraft's tools. Two of them were renamed, and clients use either name.
  ...[
    "images/vectorize",
    "images/removeBackground",
    "images/crispUpscale",
    "images/clarityUpscale",
    "images/creativeUpscale",
    "images/generativeUpscale",
    "styles",
  ].map((name): PlainEndpoint => ({
    path: `/recraftAI/v1/${name}`,
    needs: "images",
    tool: { name: `recraft_${name.slice(name.indexOf("/") + 1)}`, path: `/v1/${name}` },
  })),
];

/** A number as JSON or a form writes it. Other parsers differ on what else `Number` accepts. */
function numeric(number: z.ZodNumber) {
  return z
    .union([
      number,
      z
        .string()
        .regex(/^-?\d{1,15}(?:\.\d{1,9})?$/)
        .transform(Number)
        .pipe(number),
    ])
    .nullish();
}

/** The fields that we read. All others pass unchanged. */
const PlainFields = z.object({
  model: z.string().min(1).max(160),
  n: numeric(z.number().int().min(1).max(128)),
  best_of: numeric(z.number().int().min(1).max(128)),
  max_tokens: numeric(z.number().int().min(1)),
  partial_images: numeric(z.number().int().min(0).max(10)),
  speed: numeric(z.number().min(0.1).max(10)),
  stream: z.union([z.boolean(), z.stringbool()]).nullish(),
});
type PlainFields = z.infer<typeof PlainFields>;

export function plainRoutes(app: FastifyInstance, services: GatewayServices): void {
  // The endpoint parses the form once the caller is known.
  app.addContentTypeParser("multipart/form-data", (_request, payload, done) => done(null, payload));
  for (const endpoint of endpoints) {
    const serve = async (request: FastifyRequest, reply: FastifyReply) => {
      const isForm = endpoint.tool === undefined ? endpoint.form === true : !isJsonBody(request.body);
      if (!isForm) {
        await answerPlain(services, endpoint, request, reply, jsonOf(endpoint, request));
        return reply;
      }
      const form = await formIn(services, request);
      try {
        await answerPlain(services, endpoint, request, reply, bodyOf(endpoint, request, form));
      } finally {
        await form.close();
      }
      return reply;
    };
    app.post(endpoint.path, serve);
    if (endpoint.alias !== undefined) app.post(endpoint.alias, serve);
  }
}

async function answerPlain(
  services: GatewayServices,
  endpoint: PlainEndpoint,
  request: FastifyRequest,
  reply: FastifyReply,
  body: Body,
): Promise<void> {
  const access = accessOf(request);
  const { signal } = access;
  const { read, prompts: _prompts, ...rest } = body;
  const { headers, call } = await admit(services, {
    ...access,
    endpoint: endpoint.path,
    path: endpoint.tool?.path ?? endpoint.path,
    needs: endpoint.needs,
    model: read.model,
    stream: read.stream === true,
    tools: false,
    calls: answersOf(read) * body.prompts,
    fresh: wantsFresh(request),
    signal,
    ...rest,
    ...(endpoint.responseFormat !== undefined && isJsonBody(request.body)
      ? { responseFormat: endpoint.responseFormat(request.body.body) }
      : {}),
  });
  const answer = await relayPlain(services.relay, call);
  const { HeartbeatSeconds } = services.relay.settings.current();
  await sendAnswer(reply, answer, {
    heartbeat: ": heartbeat\n\n",
    heartbeatMs: heartbeatMs(access.caller.setting.heartbeat, HeartbeatSeconds),
    headers,
    signal,
    streams: services.relay.metrics.streams,
  });
}

type Body = Pick<
  PlainCall,
  "raw" | "contentType" | "bodyFor" | "limitedTo" | "estimate" | "audioSeconds" | "dropped"
> & {
  read: PlainFields;
  /** Number of prompts, each with its own output. */
  prompts: number;
};

function jsonOf(endpoint: PlainEndpoint, request: FastifyRequest): Body {
  const given = jsonBody(request);
  const { body, dropped } = withinCost(wireOf(endpoint), given.body);
  const raw = body === given.body ? given.raw : Buffer.from(JSON.stringify(body));
  const read = readFields(endpoint, body);
  const prompts = endpoint.needs === "completions" ? promptsIn(body["prompt"]) : 1;
  return {
    read,
    prompts,
    raw,
    dropped,
    contentType: "application/json",
    bodyFor: (model) =>
      endpoint.tool !== undefined || body["model"] === model ? raw : JSON.stringify({ ...body, model }),
    ...(endpoint.needs === "completions"
      ? {
          limitedTo: (max_tokens: number) => (model: string) =>
            JSON.stringify({ ...body, model, max_tokens }),
        }
      : {}),
    estimate: estimateOf(endpoint, read, { ...readable(endpoint, body), prompts }),
  };
}

function wireOf({ output }: PlainEndpoint): CostWire {
  return output === undefined ? "openai-vectors" : "openai-plain";
}

/**
 * Returns the number of prompts. A list of texts or of token lists has one per entry; a list of tokens is one
 * prompt.
 */
function promptsIn(prompt: unknown): number {
  const isOne = !Array.isArray(prompt) || prompt.every((token) => typeof token === "number");
  return isOne ? 1 : prompt.length;
}

function answersOf({ n, best_of: candidates }: PlainFields): number {
  return Math.max(n ?? 1, candidates ?? 1);
}

async function formIn({ uploads, storage }: GatewayServices, request: FastifyRequest): Promise<Form> {
  if (request.body !== request.raw) throw invalidRequest({ reason: "form_required" });
  const { caller, memory } = accessOf(request);
  const place = { folder: uploads, account: caller.userId };
  try {
    return await readForm(request.raw, { maxBytes: BODY_LIMIT, place, memory });
  } catch (error) {
    if (error instanceof GatewayError && error.code === "storage_full") storage.refused(reasonFor(error));
    throw error;
  }
}

function reasonFor({ cause }: GatewayError): Reason {
  return cause instanceof Error
    ? reasonBecause("uploadFailed", plainReason(cause.message))
    : reasonOf("uploadRefused");
}

function bodyOf(endpoint: PlainEndpoint, request: FastifyRequest, form: Form): Body {
  const read = readFields(endpoint, Object.fromEntries(form.fields));
  for (const name of form.fields.keys())
    if (raisesCost(wireOf(endpoint), name))
      throw invalidRequest({ reason: "form_field_not_billable", field: name });
  const texts = [...form.fields].filter(([name]) => name !== "model").map(([, text]) => text);
  const images = endpoint.needs === "images" ? Math.max(1, form.files) : 0;
  const usage = estimateOf(endpoint, read, { texts, images, prompts: 1 });
  const { usual: audioSeconds, most } = endpoint.needs === "audio" ? secondsIn(form) : { usual: 0, most: 0 };
  const audio = recordingTokens(audioSeconds);
  const mostAudio = recordingTokens(most);
  return {
    read,
    prompts: 1,
    contentType: request.headers["content-type"] ?? "",
    bodyFor: (model) => (endpoint.tool === undefined ? form.withModel(model) : form.whole()),
    estimate:
      mostAudio === 0
        ? usage
        : {
            ...usage,
            input: usage.input + audio,
            audioInput: audio,
            mostInput: { input: usage.input + mostAudio, image: 0, audio: mostAudio },
          },
    audioSeconds,
  };
}

/** Seconds assumed for a recording behind a URL, which is not measured before the charge. */
const UNSEEN_SECONDS = 600;
const addresses = ["url", "file_url", "audio_url"];

/**
 * Returns the usual and the longest length of a form's recordings, in seconds. With several files, no header is
 * trusted: one may be a decoy.
 */
function secondsIn({ fields, fileHead, fileBytes, files }: Form): { usual: number; most: number } {
  // Some servers accept a file without a file name, which is a field here.
  const bytes = fileBytes + Buffer.byteLength(fields.get("file") ?? "");
  const head = files === 1 ? fileHead : Buffer.alloc(0);
  const unseen = addresses.some((name) => fields.has(name));
  return {
    usual: recordingSeconds(head, bytes) + (unseen ? UNSEEN_SECONDS : 0),
    most: mostRecordingSeconds(head, bytes) + (unseen ? longestRecordingSeconds : 0),
  };
}

function readFields({ model, tool }: PlainEndpoint, fields: Record<string, unknown>): PlainFields {
  // The caller does not choose the billed name of a tool.
  const parsed = PlainFields.safeParse(tool === undefined ? { model, ...fields } : { model: tool.name });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const path = issue?.path.join(".") ?? "";
  throw invalidRequest({
    reason: "form_field_not_valid",
    field: path,
    detail: issue?.message ?? "not valid",
  });
}

/** Content that a provider may process: texts and images. */
interface Readable {
  texts: readonly string[];
  images: number;
  /** Whether there are documents, videos, sound, or files at URLs, whose content does not show in their size. */
  hasFiles?: boolean;
  /** A query, which is processed again with each document that it ranks. */
  again?: { text: string; times: number };
}

/** Tokens of an input image in high fidelity. */
const TOKENS_PER_INPUT_IMAGE = 6_240;
/** Audio tokens per spoken character: 15 characters take a second of at most 32 tokens. */
const TOKENS_PER_CHARACTER_SPOKEN = 2.5;

function estimateOf(
  endpoint: PlainEndpoint,
  read: PlainFields,
  given: Readable & { prompts: number },
): Estimate {
  const isPicture = endpoint.needs === "images";
  const parts = given.texts.map((text) => ({ type: "text" as const, text }));
  const image = given.images * TOKENS_PER_INPUT_IMAGE;
  let one = read.max_tokens ?? endpoint.output ?? 0;
  if (isPicture) one += (read.partial_images ?? 0) * tokensPerPartialImage;
  if (endpoint.path === "/v1/audio/speech") one = spokenTokens(given.texts, read.speed ?? 1);
  const { again } = given;
  const { input, output } = estimateUsage(
    { model: read.model, stream: false, messages: [{ role: "user", parts }] },
    { maxOutputTokens: one * answersOf(read) * given.prompts },
  );
  const query = again === undefined ? 0 : again.times * textTokens(again.text);
  const isLimited = read.max_tokens !== undefined && read.max_tokens !== null;
  return {
    input: input + image + query,
    output,
    ...(image > 0 ? { imageInput: image } : {}),
    ...mostInputOf(given, { input: input + image + query, image }),
    ...(isPicture && output > 0 ? { imageOutput: output } : {}),
    ...(endpoint.path === "/v1/audio/speech" ? { audioOutput: output } : {}),
    // Without a limit, the provider decides the length of a text. Images and speech have a known size.
    ...(!isLimited && output > 0 && !isPicture && endpoint.path !== "/v1/audio/speech"
      ? { isOpen: true, open: { each: one, usual: one, responses: answersOf(read) * given.prompts } }
      : {}),
  };
}

function mostInputOf(
  { hasFiles = false, images }: Readable,
  { input, image }: { input: number; image: number },
): Pick<Estimate, "mostInput"> {
  if (!hasFiles && images === 0) return {};
  return { mostInput: { input, image, audio: 0, ...(hasFiles ? { window: "document" } : {}) } };
}

function spokenTokens(texts: readonly string[], speed: number): number {
  const characters = texts.reduce((sum, text) => sum + text.length, 0);
  return Math.ceil((characters * TOKENS_PER_CHARACTER_SPOKEN) / Math.min(speed, 1));
}

/** Fields whose text no model processes. */
const silent = new Set(["model", "user", "response_format", "encoding_format", "size", "quality", "voice"]);

/**
 * Returns all content that a provider may process: strings anywhere, and lists of tokens. Images are
 * recognized by their data URL.
 */
function readable(endpoint: PlainEndpoint, body: Record<string, unknown>): Readable {
  const found = { texts: [] as string[], images: 0, hasFiles: false };
  for (const [name, value] of Object.entries(body)) if (!silent.has(name)) collect(value, found);
  // These models read text only.
  if (endpoint.needs === "completions" || endpoint.needs === "audio") found.hasFiles = false;
  const { query, documents } = body;
  const ranks = endpoint.needs === "rerank" && typeof query === "string" && Array.isArray(documents);
  return ranks ? { ...found, again: { text: query, times: documents.length } } : found;
}

function collect(value: unknown, into: { texts: string[]; images: number; hasFiles: boolean }): void {
  if (typeof value === "string") {
    if (value.startsWith("data:image/")) into.images += 1;
    else {
      into.texts.push(value);
      // A URL alone is a file for those models that read files; a text that contains one is a text.
      into.hasFiles ||= /^data:\w+\/|^(?:https?|gs|s3):\/\/\S+$/.test(value);
    }
  }
  // A token number, counted as about four characters.
  else if (typeof value === "number") into.texts.push("    ");
  else if (Array.isArray(value)) for (const entry of value) collect(entry, into);
  else if (typeof value === "object" && value !== null)
    for (const entry of Object.values(value)) collect(entry, into);
}
