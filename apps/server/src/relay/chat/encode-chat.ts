import type { Settings } from "@gateway/shared/site/settings";
import { combineRepairs } from "#dialects/answer-repair.ts";
import { withObjectSchema } from "#dialects/answer-schema.ts";
import type { AnswerRepair, Upstream, Wire } from "#dialects/dialect.ts";
import { addInstructions, withInstructions } from "#dialects/instructions.ts";
import type { ChatRequest, DialectId } from "#dialects/ir.ts";
import { replaceLoneSurrogates } from "#dialects/json/lone-surrogates.ts";
import { markProofs } from "#dialects/reasoning/proof.ts";
import { toolNames, withToolNames } from "#dialects/tools/tool-names.ts";
import { listUnsupportedFields } from "#dialects/unsupported-fields.ts";
import { unpricedTiers } from "#dialects/usage/service-tier.ts";
import type { KnownPrompt } from "#domain/channels/selection/known-prompts.ts";
import { type ActivePrice, tierPrefix } from "#domain/pricing/pricing.ts";
import { longTextsOf, stringifyLong, withPlaceholders } from "#platform/memory/long-texts.ts";
import { betasIn, selectForwardedHeaders } from "#providers/models/messages-hosts.ts";
import { type RequestShape as Shape, isOwnAddress, proofOrigin } from "#providers/provider.ts";
import type { PricedTarget } from "#relay/core/call.ts";
import { answerBytes } from "#relay/core/routing/excess.ts";
import type { EncodedRequest, Target } from "#relay/core/upstream/ask.ts";
import { type ToProvider, shapeOf, upstreamFor } from "#relay/core/upstream/send.ts";
import { withoutAttribution } from "./attribution.ts";
import { markPrompt, type Marking } from "./cache-marks/mark-prompt.ts";
import { requestsThinking, changedFields } from "./changed-fields.ts";
import type { ChatCall } from "./chat-call.ts";
import { fitRequest } from "./fit-request.ts";
import { type OperatorDefaults, withDefaults, withoutFields, withParameters } from "./operator-fields.ts";
import { withChanges } from "./received-bytes.ts";

/** A chat call, encoded for one target. */
export interface EncodedChat extends EncodedRequest {
  upstream: Upstream;
  /** Set only where the provider may deviate from the dialect, or its proofs of thinking need a mark. */
  repair: AnswerRepair | undefined;
  /** Origin of the proofs of thinking in the response. */
  origin: string | undefined;
  /** Fields of the request that the target's format cannot express. */
  dropped: string[];
  /** What is known of the session's prompt once this request was sent; undefined where the gateway adds no marks. */
  prompt: KnownPrompt | undefined;
  /** Marks for the provider's prompt cache that the gateway added. */
  marks: number;
}

/** A chat call as it is sent. */
export interface SentChatCall extends ChatCall {
  /** The response is decoded and encoded, also where client and provider share a dialect. */
  readonly isDecoded?: boolean;
  /** The limit that was added, because the balance or a budget does not cover the longest response. */
  readonly outputLimit?: number;
  /** Set where the gateway may add marks for the provider's prompt cache. */
  readonly marking?: Marking | undefined;
}

/** Input of the encoding. A channel test has no more fields than these. */
export type EncodableChat = Pick<
  ChatCall,
  "client" | "body" | "raw" | "request" | "forward" | "rewritten" | "fetched"
> &
  Partial<
    Pick<
      SentChatCall,
      | "estimate"
      | "sockets"
      | "continued"
      | "outputLimit"
      | "session"
      | "isDecoded"
      | "helpsPromptCache"
      | "marking"
    >
  >;

/** Encodes a call for a target. Pure. */
export function encodeChat(call: EncodableChat, target: Target, settings: Settings): EncodedChat {
  const { channel, upstreamModel: model } = target;
  const upstream = upstreamFor(channel, call.client.id, model, call.request);
  const { stream } = call.request;
  const dialect = upstream.id === "own" ? {} : { dialect: upstream.id };
  const requested = { model, stream, ...dialect };
  const forward =
    call.forward !== undefined && upstream.id === call.client.id
      ? selectForwardedHeaders(channel.provider, call.forward)
      : undefined;
  const betas = forward === undefined ? undefined : betasIn(forward);
  const shape = shapeOf(channel, { ...requested, betas });
  const cacheKey = cacheKeyOf(call, channel, upstream);
  const { body, dropped, prompt, marks } = encodeBody(
    { ...call, ...(cacheKey !== undefined && "field" in cacheKey && { added: cacheKey.field }) },
    target,
    upstream,
    shape,
    settings,
  );
  const origin = proofOrigin(channel.provider, model);
  return {
    request: {
      method: "POST",
      path: upstream.path(requested),
      ...requested,
      headers: {
        "content-type": "application/json",
        accept: stream ? "text/event-stream" : "application/json",
        ...forward,
        ...(cacheKey !== undefined && "header" in cacheKey && cacheKey.header),
      },
      body,
      ...carrierOf(call, target, upstream),
      ...(call.estimate === undefined ? {} : { maxBytes: answerBytes({ ...call, estimate: call.estimate }) }),
    },
    decodeError: upstream.decodeError,
    upstream,
    repair: repairFor(call, upstream, channel, origin),
    origin,
    dropped,
    prompt,
    marks,
  };
}

type CacheKey = { readonly field: Wire } | { readonly header: Record<string, string> };

/**
 * Returns the name of the session for the provider's cache: the client's own, also in another dialect, else that of the
 * session.
 */
function cacheKeyOf(
  { client, body, session, helpsPromptCache }: EncodableChat,
  { provider, baseUrl, cacheMarks }: Target["channel"],
  upstream: Upstream,
): CacheKey | undefined {
  if (upstream.id === "own" || !isOwnAddress(provider, baseUrl)) return undefined;
  const place = provider.cacheKey?.[upstream.id];
  if (place === undefined) return undefined;
  const { prompt_cache_key: own } = body;
  const isOwn = typeof own === "string";
  // In the provider's own dialect the client's name is in its field already.
  if (isOwn && upstream.id === client.id && "field" in place) return undefined;
  if (!isOwn && (helpsPromptCache !== true || !cacheMarks)) return undefined;
  const name = isOwn ? own : session?.();
  if (name === undefined) return undefined;
  return "field" in place ? { field: { [place.field]: name } } : { header: { [place.header]: name } };
}

function repairFor(
  { client, isDecoded }: EncodableChat,
  upstream: Upstream,
  { provider, baseUrl }: Target["channel"],
  origin: string | undefined,
): AnswerRepair | undefined {
  if (upstream.id === "own") return undefined;
  const { id } = upstream;
  const isExact = provider.exact === true && isOwnAddress(provider, baseUrl);
  const repair = isExact ? undefined : upstream.repair?.();
  // A response that is encoded gets its marks then.
  if (origin === undefined || id !== client.id || isDecoded === true) return repair;
  const marks = markProofs(id, origin);
  return marks === undefined ? repair : combineRepairs(repair, marks);
}

/** Returns the WebSocket to use for a call that arrived over one, where the provider supports it. */
function carrierOf(
  { sockets, continued, request }: EncodableChat,
  target: Target,
  upstream: Upstream,
): Pick<ToProvider, "carrier"> {
  const { channel } = target;
  const isSupported = channel.provider.responsesWebSocket === true && channel.responsesWebSocket;
  if (sockets === undefined || !isSupported || !request.stream || upstream.id !== "openai-responses")
    return {};
  return { carrier: (sent) => sockets.send(target, sent, continued) };
}

type BodyInput = Pick<ChatCall, "client" | "body" | "raw" | "request" | "rewritten" | "fetched"> & {
  /** Set when a limit was added to the body. */
  readonly outputLimit?: number;
  readonly marking?: Marking | undefined;
  /** Fields of ours for a translated body. The request's and the operator's own come first. */
  readonly added?: Wire;
};

interface EncodedBody extends Pick<EncodedChat, "dropped" | "prompt" | "marks"> {
  readonly body: string | Buffer;
}

export function encodeBody(
  given: BodyInput,
  chosen: ChosenFor,
  upstream: Upstream,
  shape: Shape,
  settings: OperatorDefaults,
): EncodedBody {
  const passes = upstream.id === given.client.id && given.rewritten !== true && given.fetched === undefined;
  const long = passes ? longTextsOf(given.raw) : undefined;
  if (long === undefined) return encode(given, chosen, upstream, shape, settings, JSON.stringify);
  // Within one dialect the texts are not read, so long ones stay the received bytes.
  const serialize = (value: unknown) => stringifyLong(value, long);
  return withPlaceholders(() => encode(given, chosen, upstream, shape, settings, serialize));
}

type ChosenFor = Pick<PricedTarget, "channel" | "upstreamModel"> & Partial<PricedTarget>;

function encode(
  given: BodyInput,
  chosen: ChosenFor,
  upstream: Upstream,
  shape: Shape,
  settings: OperatorDefaults,
  serialize: (value: unknown) => string | Buffer,
): EncodedBody {
  const { channel, upstreamModel: model, price } = chosen;
  const { parameters } = channel;
  const plain = given.client.id === "anthropic" ? withoutAttribution(given, channel) : given;
  const early = parameters?.["pre_add"] === true && given.rewritten !== true;
  const call = early ? withEarlyParameters(plain, parameters, model) : plain;
  const request = hasOnlyTexts(call.request) ? call.request : fitRequest(call, channel, upstream, model);
  const passes =
    upstream.id !== "own" &&
    upstream.id === call.client.id &&
    call.rewritten !== true &&
    request === call.request;
  // The only place where client and upstream share a dialect: the body passes unchanged, or only with another model.
  const encoded = passes
    ? { body: upstream.adjust(call.body, model), dropped: [] }
    : encodeRequest(call, request, chosen, upstream, settings);
  const wire = given.added === undefined ? encoded.body : { ...given.added, ...encoded.body };
  // The operator's own fields stay.
  const unpriced = unpricedFields(wire, price).filter((name) => !early || !(name in parameters));
  const priced = unpriced.length === 0 ? wire : withoutFields(wire, unpriced);
  const own = early || parameters === undefined ? priced : withParameters(priced, parameters, model);
  const whole = withChannelPrompt(own, channel, upstream, call.client.id);
  const { reasoning } = request;
  const described =
    upstream.id === call.client.id
      ? shape
      : { ...shape, translated: true, ...(reasoning !== undefined && { reasoning }) };
  const adjusted = adjustForProvider(whole, [...encoded.dropped, ...unpriced], channel, described);
  const { dropped } = adjusted;
  const { marking } = given;
  const { marked, prompt, marks } =
    marking === undefined
      ? { marked: adjusted.body, prompt: undefined, marks: 0 }
      : markPrompt(adjusted.body, chosen, upstream.id, {
          ...marking,
          isAgent: (given.request.tools?.length ?? 0) > 0,
        });
  return { body: replaceLoneSurrogates(bytesOf(given, marked, serialize)), dropped, prompt, marks };
}

/** Returns whether every receiver understands the parts of a conversation as they are. */
export function hasOnlyTexts({ messages, extra }: ChatRequest): boolean {
  const isEdited = extra?.fields["context_management"] !== undefined;
  return (
    !isEdited &&
    messages.every(
      (message) => message.extra === undefined && message.parts.every(({ type }) => type === "text"),
    )
  );
}

interface EncodedWire {
  readonly body: Wire;
  readonly dropped: string[];
}

/**
 * Encodes the decoded request, with the names that the provider knows.
 * @param request that of the call, fitted to the provider
 */
function encodeRequest(
  call: BodyInput,
  request: ChatRequest,
  { channel, upstreamModel: model }: ChosenFor,
  upstream: Upstream,
  settings: OperatorDefaults,
): EncodedWire {
  const { systemPrompt, systemPromptPlace, allowExtraBody } = channel;
  const wrapped = withObjectSchema(request, upstream.id);
  const named = withToolNames(wrapped, toolNames(wrapped, upstream.id));
  // A provider's own format has no place where instructions could be added later.
  const hasPrompt = upstream.id === "own" && systemPrompt !== "";
  const whole = hasPrompt ? withInstructions(named, systemPrompt, systemPromptPlace) : named;
  const encoded = upstream.encodeRequest(withDefaults({ ...whole, model }, upstream.id, settings));
  let { body, dropped } = encoded;
  if (upstream.id !== call.client.id)
    dropped = [...new Set([...dropped, ...listUnsupportedFields(call, upstream.id)])];
  else if (call.rewritten !== true)
    body = withConversation(upstream.id, upstream.adjust(call.body, model), body);
  const { extra } = request;
  if (!allowExtraBody || extra === undefined || extra.dialect === upstream.id) return { body, dropped };
  return {
    body: { ...extra.fields, ...body },
    dropped: dropped.filter((name) => !(name in extra.fields)),
  };
}

/** Returns the fields with a service tier that has no price: it would cost us more than is billed. */
function unpricedFields(wire: Wire, price: ActivePrice | undefined): string[] {
  return unpricedTiers(wire, (tier) => price === undefined || price.extras[tierPrefix + tier] !== undefined);
}

function withChannelPrompt(
  wire: Wire,
  { systemPrompt, systemPromptPlace }: ChosenFor["channel"],
  { id }: Upstream,
  client: ChatCall["client"]["id"],
): Wire {
  if (systemPrompt === "" || id === "own") return wire;
  return addInstructions(id, wire, systemPrompt, systemPromptPlace, id === client);
}

/** Applies what this provider needs beyond its format, and adds the fields that it changed to those dropped. */
function adjustForProvider(
  wire: Wire,
  dropped: string[],
  { provider }: ChosenFor["channel"],
  shape: Shape,
): EncodedWire {
  const body = provider.adjustRequest?.(wire, shape) ?? wire;
  if (body === wire) return { body, dropped };
  const translated = shape.translated === true;
  // The format alone could not express this setting, but the model's own form can.
  const hasThinking = translated && requestsThinking(body);
  const lost = hasThinking ? dropped.filter((name) => name !== "reasoning") : dropped;
  return { body, dropped: [...new Set([...lost, ...changedFields(wire, body, translated)])] };
}

/** Returns the received bytes where nothing was changed, or only marks and fields of ours were added. */
function bytesOf(
  { raw, body, added, outputLimit }: BodyInput,
  wire: Wire,
  serialize: (value: unknown) => string | Buffer,
): string | Buffer {
  if (outputLimit !== undefined) return serialize(wire);
  if (wire === body) return raw;
  return withChanges(raw, body, wire, { added, serialize }) ?? serialize(wire);
}

/** Fields that contain the conversation, and what depends on it, by dialect. */
const conversationFields: Record<DialectId, readonly string[]> = {
  "openai-chat": ["messages"],
  "openai-responses": ["input", "instructions"],
  anthropic: ["messages", "system", "thinking", "max_tokens", "output_config", "context_management"],
  gemini: ["contents", "systemInstruction", "system_instruction"],
};

/** Returns a body of the client's own dialect with another conversation. All other fields stay as they came. */
function withConversation(dialect: DialectId, body: Wire, encoded: Wire): Wire {
  const next = { ...body };
  for (const field of conversationFields[dialect]) {
    delete next[field];
    if (encoded[field] !== undefined) next[field] = encoded[field];
  }
  return next;
}

/**
 * Adds the operator's fields before the translation, as `pre_add` requires, so that they are translated too.
 */
function withEarlyParameters(
  given: BodyInput,
  parameters: Readonly<Record<string, unknown>>,
  model: string,
): BodyInput {
  const body = withParameters(given.body, parameters, model);
  if (body === given.body) return given;
  const { model: requested, stream, jsonArrayStream } = given.request;
  const request: ChatRequest = given.client.decodeRequest(body, {
    model: requested,
    stream,
    sse: jsonArrayStream !== true,
  });
  return { ...given, body, request };
}
