import { createHash } from "node:crypto";
import type { Upstream } from "#dialects/dialect.ts";
import { dialects } from "#dialects/index.ts";
import type { ChatRequest, ClientDialectId, DialectId } from "#dialects/ir.ts";
import type { ActiveChannel, ActiveKey } from "#domain/channels/selection/active-channel.ts";
import { decompressResponse } from "#platform/body/content-coding.ts";
import { now } from "#platform/clock.ts";
import type { CancelSignal } from "#platform/http/cancellation.ts";
import type { RequestProgress, StreamedBody, UpstreamResponse } from "#platform/http/exchange.ts";
import type { UpstreamClient } from "#platform/http/http.ts";
import { mapBody } from "#platform/http/response-body.ts";
import { TransportError } from "#platform/http/transport-error.ts";
import { type WebSocketAnswer, openWebSocket } from "#platform/http/web-socket.ts";
import { outgoing } from "#providers/outgoing.ts";
import {
  type Io,
  type Outgoing,
  type Provider,
  type RequestFeature,
  type RequestShape,
  dialectsFor,
} from "#providers/provider.ts";
import { type TokenCache, createTokenCache } from "#providers/token-cache.ts";
import type { RelayServices } from "#relay/core/services.ts";

/**
 * Sends requests to a channel's provider: sets address, credential, the operator's headers, proxy and
 * timeouts.
 */
export interface ToProvider {
  method: Outgoing["method"];
  /** Standard path below the channel's address: the dialect's, or OpenAI's for endpoints other than chat. */
  path: string;
  /** The path is already the provider's own. */
  ownPath?: boolean;
  /** A provider's own path may depend on the model and on streaming. */
  model?: string;
  stream?: boolean;
  /** Dialect of the body, for chat. */
  dialect?: DialectId;
  /** Headers of the call. The operator's and the credential's take precedence. */
  headers: Record<string, string>;
  body: string | Buffer | StreamedBody | null;
  signal: CancelSignal;
  /** Maximum response size in bytes. Default: no limit. */
  maxBytes?: number;
  /** Receives the progress of the request. */
  progress?: RequestProgress;
  /** Timeout in milliseconds, for a request that must be faster than the settings allow. */
  timeoutMs?: number;
  /** Another way to send the request. Returns undefined when it must be sent over HTTP. */
  carrier?: (request: ToProvider) => Promise<UpstreamResponse | undefined>;
  /** Passes the response to the client with the provider's compression, which the client accepts. */
  asCompressed?: boolean;
}

/**
 * Sends a request. Throws TransportError, CredentialError when the channel's key does not fit this provider, or
 * KeyUnavailableError when it is stored elsewhere and cannot be read.
 */
export async function send(
  services: ProviderServices,
  account: ChannelAccount,
  request: ToProvider,
): Promise<UpstreamResponse> {
  const { body, progress } = request;
  const carried = request.carrier === undefined ? undefined : await request.carrier(request);
  if (carried !== undefined) return carried;
  const isWhole = hasWholeBody(request);
  const limits = limitsOf(services, account, request);
  // Forms are not rewritten, and no provider that takes forms requires a signed body.
  const sent = await signRequest(services, account, isWhole ? request : { ...request, body: null }, limits);
  const response = await services.upstream.send({
    url: sent.url,
    method: sent.method,
    headers: sent.headers,
    body: isWhole ? sent.body : body,
    proxy: limits.proxy,
    connectTimeoutMs: limits.connectTimeoutMs,
    firstByteTimeoutMs: limits.firstByteTimeoutMs,
    idleTimeoutMs: limits.idleTimeoutMs,
    signal: limits.signal,
    limits: limits.limits,
    progress,
  });
  if (request.asCompressed === true) return response;
  return asEvents(account.channel.provider, decompressResponse(response, limits.limits?.maxBytes));
}

/** Opens a WebSocket at the provider, or returns its rejection. Throws as `send` does. */
export async function openSocket(
  services: ProviderServices,
  account: ChannelAccount,
  request: ToProvider,
  maxMessage: number,
): Promise<WebSocketAnswer> {
  const limits = limitsOf(services, account, request);
  const { url, headers } = await signRequest(services, account, { ...request, body: null }, limits);
  return openWebSocket({ url, headers, ...limits, maxMessage });
}

/**
 * Returns the upgrade request to the address of a call that is sent as a message, and the limits of that
 * call.
 */
export async function socketRequest(
  services: ProviderServices,
  account: ChannelAccount,
  request: ToProvider,
  upgradeMs: number,
) {
  const known = limitsOf(services, account, request);
  const { limits, proxy, connectTimeoutMs, firstByteTimeoutMs, idleTimeoutMs, signal } = known;
  const { "content-type": _type, accept: _accept, ...forward } = request.headers;
  const upgrade = { ...request, method: "GET", headers: forward, body: null } as const;
  const { url, headers } = await signRequest(services, account, upgrade, known);
  return {
    url,
    headers,
    proxy,
    connectTimeoutMs,
    firstByteTimeoutMs: Math.min(upgradeMs, firstByteTimeoutMs),
    signal,
    limits: { ...limits, firstByteTimeoutMs, idleTimeoutMs },
  };
}

type WholeBody = ToProvider & { body: Outgoing["body"] };

function hasWholeBody(request: ToProvider): request is WholeBody {
  const { body } = request;
  return body === null || typeof body === "string" || Buffer.isBuffer(body);
}

export type ProviderServices = Pick<RelayServices, "settings" | "upstream">;
export type ChannelAccount = { channel: ActiveChannel; key: ActiveKey | undefined };

function limitsOf(services: ProviderServices, { channel, key }: ChannelAccount, request: ToProvider) {
  const settings = services.settings.current();
  return {
    proxy: proxyFor(channel.proxy, key?.key ?? ""),
    connectTimeoutMs: channel.connectTimeoutMs || settings.ConnectTimeoutMs,
    firstByteTimeoutMs: request.timeoutMs ?? (channel.firstByteTimeoutMs || settings.FirstByteTimeoutMs),
    idleTimeoutMs: request.timeoutMs ?? (channel.idleTimeoutMs || settings.IdleTimeoutMs),
    signal: request.signal,
    limits: {
      maxBytes: request.maxBytes ?? Infinity,
      maxDurationMs: settings.MaxAnswerSeconds === 0 ? Infinity : settings.MaxAnswerSeconds * 1_000,
    },
  };
}

/** Returns the request in the provider's form, signed. */
function signRequest(
  services: ProviderServices,
  { channel, key }: ChannelAccount,
  request: WholeBody,
  limits: ReturnType<typeof limitsOf>,
): Promise<Outgoing> {
  const io = () => ioOf(services, limits);
  const shape = shapeOf(channel, request);
  if (key?.referenced === undefined) return outgoing(channel, key?.key ?? "", shape, request, io);
  return key.referenced.read().then((text) => outgoing(channel, text, shape, request, io));
}

function ioOf({ upstream }: ProviderServices, limits: ReturnType<typeof limitsOf>): Io {
  return {
    async fetch(what) {
      const response = decompressResponse(await upstream.send({ ...what, ...limits }));
      return { status: response.status, text: await response.text(MAX_TOKEN_BYTES) };
    },
    now,
    tokens: tokenCacheOf(upstream),
  };
}

/** Returns the facts about a call that a provider's code may use. */
export function shapeOf(
  channel: Pick<ActiveChannel, "other" | "plugin">,
  {
    model = "",
    stream = false,
    dialect,
    needs,
    betas,
  }: {
    model?: string;
    stream?: boolean;
    dialect?: DialectId;
    needs?: RequestShape["needs"] | undefined;
    betas?: RequestShape["betas"];
  },
): RequestShape {
  const shape: RequestShape = { model, stream, other: channel.other, plugin: channel.plugin };
  if (dialect !== undefined) shape.dialect = dialect;
  if (needs !== undefined) shape.needs = needs;
  if (betas !== undefined && betas.length > 0) shape.betas = betas;
  return shape;
}

/**
 * Replaces `%s` in a proxy address with a hash of the key, so that each key always has the same address of
 * its own.
 */
function proxyFor(proxy: string, key: string): string {
  if (!proxy.includes("%s")) return proxy;
  return proxy.replaceAll("%s", createHash("md5").update(key).digest("hex"));
}

const MAX_TOKEN_BYTES = 64 * 1024;

/** Token caches, by the client that fetched the tokens. */
const caches = new WeakMap<UpstreamClient, TokenCache>();

function tokenCacheOf(upstream: UpstreamClient): TokenCache {
  let cache = caches.get(upstream);
  if (cache === undefined) caches.set(upstream, (cache = createTokenCache(now)));
  return cache;
}

/** Returns the response with the provider's own framing converted to server-sent events. */
function asEvents({ unframe }: Provider, response: UpstreamResponse): UpstreamResponse {
  const type = String(response.headers["content-type"] ?? "");
  if (unframe === undefined || !type.startsWith(unframe.contentType)) return response;
  const read = unframe.open();
  const body = mapBody(response, (chunk) => {
    try {
      return read(chunk);
    } catch (error) {
      throw new TransportError("network", "The upstream's stream is damaged.", error);
    }
  });
  return { ...response, headers: { ...response.headers, "content-type": "text/event-stream" }, ...body };
}

/** Returns the upstream wire for a client's call through this channel. */
export function upstreamFor(
  channel: ActiveChannel,
  client: ClientDialectId,
  model: string,
  request?: ChatRequest,
): Upstream {
  const own = channel.provider.wire?.(shapeOf(channel, { model }));
  return own ?? dialects[dialectFor(channel, client, model, request)];
}

/**
 * Returns the dialect for the provider: the client's own if the provider speaks it and the operator allows
 * it, else the provider's first. Interactions are closest to Gemini. Some providers speak another one depending on the request.
 */
export function dialectFor(
  channel: ActiveChannel,
  client: ClientDialectId,
  model: string,
  request?: ChatRequest,
): DialectId {
  const needs = channel.provider.speaks === undefined || request === undefined ? undefined : needsOf(request);
  const spoken = dialectsFor(channel.provider, shapeOf(channel, { model, needs }));
  if (client === "openai-responses" && channel.compatibleResponse) return spoken[0];
  const own = client === "interactions" ? "gemini" : client;
  return spoken.includes(own) ? own : spoken[0];
}

/** Returns the features of a request that may decide a provider's dialect. */
function needsOf({ tools, serverTools, reasoning }: ChatRequest): ReadonlySet<RequestFeature> | undefined {
  if (tools === undefined && serverTools === undefined) return undefined;
  const needs = new Set<RequestFeature>();
  if (tools !== undefined && tools.length > 0) needs.add("tools");
  for (const { kind, extra } of serverTools ?? [])
    if (kind !== "other" && extra.dialect !== "openai-chat") needs.add(kind);
  const { effort, budgetTokens, adaptive } = reasoning ?? {};
  if (effort === "none" || budgetTokens === 0) needs.add("no-thinking");
  else if (effort !== undefined || budgetTokens !== undefined || adaptive === true) needs.add("thinking");
  return needs;
}
