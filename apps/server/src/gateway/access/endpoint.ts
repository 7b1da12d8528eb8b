import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { resolveModel } from "#domain/settings/model-lists.ts";
import { type Caller, type Pin, requireUsable } from "#domain/tokens/callers.ts";
import { GatewayError, forbidden, insufficientQuota, invalidRequest, modelNotFound } from "#errors.ts";
import { bodyTooLarge } from "#gateway/body/json-body.ts";
import { clientRequestIdOf } from "#gateway/http/answer-headers.ts";
import { requireSingleParameters } from "#gateway/http/request-url.ts";
import type { GatewayServices } from "#gateway/services.ts";
import { isCompressed } from "#platform/body/compressed-body.ts";
import { now } from "#platform/clock.ts";
import { type CancelSignal, createCancellation } from "#platform/http/cancellation.ts";
import type { MemoryAllocation } from "#platform/memory/memory-budget.ts";
import type { ReceivedCall } from "#relay/core/call.ts";
import { noteRefusal } from "#relay/core/exchange.ts";
import { isModelOffered, mayBeFree, mayCallFree } from "#relay/core/routing/free-models.ts";
import { type Access, accessOf, usdHeader } from "./access.ts";
import { isWorthNoting, returnRequest, takeRequest } from "./admit.ts";

/**
 * Checks of every endpoint for AI clients before its body is read, in this order: authentication,
 * permissions, rate limit, balance, size, memory. Nothing of a rejected request is parsed or stored.
 */
export interface EndpointRules {
  /** The dialect of all clients of these endpoints, if they have one. */
  dialect?: string;
  /** Returns the caller of a request with another key than a token; undefined for all others. */
  identify?(request: FastifyRequest): Promise<AuthenticatedCaller | undefined>;
  /** Accepts the key in the query string. Only Gemini's clients send it there. */
  keyInQuery?: boolean;
  /** Whether calls cost money, so that an account without a balance may not send large bodies. */
  isCharged?: boolean;
  /** Maximum size of a body, in bytes; undefined for bodies that pass through unread. */
  maxBytes?: number;
  /** Returns the memory of a request, by the size and type of its body. */
  memoryFor(bodyBytes: number, contentType: string): number;
}

/**
 * Maximum wait for memory. Large bodies of one account are served one by one, and clients wait longer than
 * this for a response.
 */
const MEMORY_WAIT_MS = 30_000;

/** Applies these checks to every route of the scope. */
export function guardEndpoints(
  scope: FastifyInstance,
  services: GatewayServices,
  rules: EndpointRules,
): void {
  scope.addHook("onRequest", async (request, reply) => {
    if (request.routeOptions.config.open !== true) await checkRequest(services, rules, request, reply);
  });
}

async function checkRequest(
  services: GatewayServices,
  rules: EndpointRules,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const startedAt = now();
  requireSingleParameters(request.raw.url ?? "");
  const { caller, pin } =
    (await rules.identify?.(request)) ?? (await authenticate(services, request, rules.keyInQuery === true));
  requirePinRights(request, { caller, pin });
  if (request.headers["x-quote-id"] !== undefined && request.routeOptions.config.takesQuote !== true)
    throw invalidRequest({ reason: "quote_for_chat_only" }, { param: "x-quote-id" });
  const begun = {
    requestId: request.id,
    clientRequestId: clientRequestIdOf(request.headers),
    trace: services.relay.tracing?.begin(request.headers),
    ip: request.ip,
    startedAt,
    caller,
    pin,
    maxPrice: maxPriceOf(services, request),
  };
  await takeRate(services, request, begun, rules.dialect);
  if (rules.isCharged === true && hasLargeBody(request.raw))
    await requireBalance(services, begun, endpointOf(request));
  let memory: MemoryAllocation;
  try {
    memory = await requestMemory(services, request, caller, rules);
  } catch (error) {
    // The client should try again, so this attempt must not count against its rate.
    if (error instanceof GatewayError && error.code === "overloaded")
      returnRequest(services.limiter, services.relay.groups, caller);
    throw error;
  }
  request.access = { ...begun, memory, signal: watchClose(memory, request, reply) };
}

/** Returns the most that the client wants to pay for a call, in points, rounded down. Throws `invalid_request`. */
export function maxPriceOf(
  { relay }: Pick<GatewayServices, "relay">,
  request: FastifyRequest,
): bigint | undefined {
  const usd = usdHeader(request, "x-max-price");
  // The tolerance is that of the multiplication, far below the smallest amount of the header.
  return usd === undefined
    ? undefined
    : BigInt(Math.floor(usd * relay.settings.current().QuotaPerUnit + 1e-6));
}

/**
 * Requires the right to use a pin, which acts on the provider's account. Read requests need only the right to
 * see channels.
 */
export function requirePinRights(
  { method, ws }: FastifyRequest,
  { caller, pin }: { caller: Caller; pin: Pin | undefined },
) {
  const looks = (method === "GET" || method === "HEAD") && !ws;
  if (pin === undefined || looks || caller.mayChangeChannels) return;
  throw forbidden({ reason: "pin_needs_edit_right" });
}

type UnreadRequest = Omit<Access, "memory" | "signal">;

/** Counts the request, and puts its limits into the response's head. Logs a rejection. */
async function takeRate(
  { limiter, relay }: GatewayServices,
  request: FastifyRequest,
  begun: UnreadRequest,
  dialect: string | undefined,
): Promise<void> {
  const { head } = request;
  try {
    Object.assign(head, await takeRequest(limiter, relay.groups, begun.caller, dialect));
  } catch (error) {
    if (isWorthNoting(error)) noteRefusal(relay, unreadCall(begun, endpointOf(request)), error);
    throw error;
  }
}

/** Returns the route's path for the log, without the base path. */
export function endpointOf(request: FastifyRequest): string {
  return (request.routeOptions.url ?? "").slice(request.server.prefix.length);
}

async function requestMemory(
  { relay }: GatewayServices,
  { raw }: FastifyRequest,
  caller: Caller,
  { maxBytes, memoryFor }: EndpointRules,
): Promise<MemoryAllocation> {
  const { "content-length": length, "transfer-encoding": encoding } = raw.headers;
  const type = raw.headers["content-type"] ?? "";
  const bytes = length === undefined ? (encoding === undefined ? 0 : SMALL_BODY) : Number(length);
  if (maxBytes !== undefined && !(bytes <= maxBytes)) throw bodyTooLarge(maxBytes);
  // The rest is counted while it arrives: an announcement costs its sender nothing.
  return relay.memory.acquire(memoryFor(Math.min(bytes, SMALL_BODY), type), {
    owner: `user${caller.userId}`,
    announced: memoryFor(bytes, type),
    timeoutMs: MEMORY_WAIT_MS,
  });
}

/**
 * Releases the memory when the response or the connection closes. Returns a signal that aborts when the client
 * leaves before its response is complete.
 */
function watchClose(
  memory: MemoryAllocation,
  { raw, ws }: FastifyRequest,
  reply: FastifyReply,
): CancelSignal {
  const left = createCancellation();
  // The response of an upgraded connection never closes; the connection does.
  const over = ws ? raw.socket : reply.raw;
  over.on("close", () => {
    memory.release();
    if (!reply.raw.writableFinished) left.cancel();
  });
  if (over.closed || over.destroyed) {
    memory.release();
    throw new GatewayError("client_disconnected", { reason: "client_left" });
  }
  return left;
}

/**
 * Size up to which a body costs no more than its head, in bytes, and up to which its memory is reserved before it is read. Large requests are checked before they are read and
 * parsed: an account without a balance must not cause work, nor a call of a model that does not exist. Small requests
 * are checked where they are reserved.
 */
const SMALL_BODY = 16 * 1024;

type Services = Pick<GatewayServices, "relay" | "balances">;

/** Whether the body may be large: its size is above the limit, or unknown. */
export function hasLargeBody({ method, headers }: FastifyRequest["raw"]): boolean {
  if (method === "GET" || method === "HEAD" || method === "DELETE") return false;
  const { "content-length": length, "transfer-encoding": encoding, "content-encoding": coding } = headers;
  return length === undefined ? encoding !== undefined : Number(length) > SMALL_BODY || isCompressed(coding);
}

/** Throws `insufficient_quota` for an account without a balance for which no model is free. */
export async function requireBalance(
  { relay, balances }: Services,
  begun: UnreadRequest,
  endpoint: string,
): Promise<void> {
  const { caller } = begun;
  if ((await balances.has(caller.userId)) || mayCallFree(relay, caller)) return;
  throw refuse(relay, begun, endpoint, "", insufficientQuota());
}

/**
 * Throws `insufficient_quota` for an account without a balance whose model is not free, and `model_not_found`.
 * Called when the bytes of a large body have arrived, before they are parsed.
 */
export async function requireCallable(
  { relay, balances }: Services,
  request: FastifyRequest,
  endpoint: string,
  named: string,
): Promise<void> {
  const access = accessOf(request);
  const { caller, pin } = access;
  const model = resolveModel(relay.settings, named);
  if (!isModelOffered(relay, caller, pin, model))
    throw refuse(relay, access, endpoint, model, modelNotFound(model));
  if ((await balances.has(caller.userId)) || mayBeFree(relay, caller, model)) return;
  throw refuse(relay, access, endpoint, model, insufficientQuota());
}

/** Logs the refusal, and returns its error. */
function refuse(
  relay: GatewayServices["relay"],
  begun: UnreadRequest,
  endpoint: string,
  model: string,
  error: GatewayError,
): GatewayError {
  noteRefusal(relay, unreadCall(begun, endpoint, model), error);
  return error;
}

/** Returns a call whose body was not read, for the log. */
export function unreadCall(begun: UnreadRequest, endpoint: string, model = ""): ReceivedCall {
  return {
    ...begun,
    endpoint,
    needs: "chat",
    model,
    stream: false,
    tools: false,
    estimate: { input: 0, output: 0 },
    calls: 1,
    signal: AbortSignal.abort(),
  };
}

export interface AuthenticatedCaller {
  caller: Caller;
  pin: Pin | undefined;
}

/**
 * Returns the keys from all places where a dialect's client puts one, `authorization` first. Some clients send a
 * credential of another service in one place and the gateway's in another. A key in the URL ends up in logs and
 * links, so it is accepted only from clients that know no other place.
 */
export function presentedKeys({ headers, query }: FastifyRequest, inQuery: boolean): string[] {
  const { authorization, "x-api-key": anthropic, "x-goog-api-key": google, "api-key": azure } = headers;
  const inUrl = inQuery ? (query as { key?: unknown }).key : undefined;
  const keys: string[] = [];
  for (const given of [authorization, anthropic, google, azure, headers["mj-api-secret"], inUrl])
    if (typeof given === "string" && given !== "" && !keys.includes(given)) keys.push(given);
  // Browsers cannot set headers on a WebSocket. OpenAI's client puts the key into the subprotocols.
  const protocols = headers["sec-websocket-protocol"]?.split(",") ?? [];
  const carried = protocols
    .map((name) => name.trim())
    .find((name) => name.startsWith("openai-insecure-api-key."));
  if (carried !== undefined) keys.push(carried.slice("openai-insecure-api-key.".length));
  return keys;
}

/**
 * Identifies the caller by the first presented key that this gateway knows. Requires an enabled token of an enabled
 * account, and an allowed address.
 */
export async function authenticate(
  services: Pick<GatewayServices, "callers" | "failedKeys">,
  request: FastifyRequest,
  keyInQuery = false,
): Promise<AuthenticatedCaller> {
  const presented = presentedKeys(request, keyInQuery);
  const [first] = presented;
  if (first === undefined) throw new GatewayError("invalid_api_key", { reason: "api_key_missing" });
  const known = services.callers.known(first);
  if (known === undefined) return lookUp(services, request, presented);
  requireUsable(known, request.ip, now());
  return { caller: known, pin: undefined };
}

async function lookUp(
  { callers, failedKeys }: Pick<GatewayServices, "callers" | "failedKeys">,
  request: FastifyRequest,
  presented: readonly string[],
): Promise<AuthenticatedCaller> {
  const refusals: GatewayError[] = [];
  for (const key of presented) {
    try {
      const found = await callers.find(key, () => failedKeys.require(request.ip));
      requireUsable(found.caller, request.ip, now());
      return found;
    } catch (error) {
      if (!isUnknownKey(error)) throw error;
      refusals.push(error);
    }
  }
  // Only when no key is right: a credential of another service beside the right key is no guess.
  for (const { code } of refusals) if (code === "invalid_api_key") failedKeys.note(request.ip);
  throw refusals[0];
}

/** The key is not one of this gateway, or was not looked up because the address has sent too many wrong ones. */
function isUnknownKey(error: unknown): error is GatewayError {
  return (
    error instanceof GatewayError &&
    (error.code === "invalid_api_key" || error.params?.["reason"] === "wrong_keys_from_address")
  );
}
