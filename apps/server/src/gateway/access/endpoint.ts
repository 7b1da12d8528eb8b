import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Caller, Pin } from "#domain/tokens/callers.ts";
import { forbidden, GatewayError } from "#errors.ts";
import { bodyTooLarge } from "#gateway/body/json-body.ts";
import { requireSingleParameters } from "#gateway/http/query.ts";
import type { GatewayServices } from "#gateway/services.ts";
import { now } from "#platform/clock.ts";
import { type CancelSignal, createCancellation } from "#platform/http/cancellation.ts";
import type { MemoryAllocation } from "#platform/memory/memory-budget.ts";
import { noteRefusal } from "#relay/core/exchange.ts";
import type { Access } from "./access.ts";
import { isWorthNoting, returnRequest, takeRequest } from "./admit.ts";
import { type AuthenticatedCaller, authenticate } from "./authenticate.ts";
import { hasLargeBody, requireBalance, unreadCall } from "./before-body.ts";

/**
 * Checks of every endpoint for AI clients before its body is read, in this order: authentication,
 * permissions, rate limit, balance, size, memory. Nothing of a rejected request is parsed or stored.
 */
export interface EndpointRules {
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
/** Initial estimate for a body without a length, in bytes. */
const UNKNOWN_LENGTH = 64 * 1024;

/** Applies these checks to every route of the scope. */
export function guardEndpoints(
  scope: FastifyInstance,
  services: GatewayServices,
  rules: EndpointRules,
): void {
  // Not an async function: with a known key, nothing here has to wait.
  scope.addHook("onRequest", (request, reply, done) => {
    if (request.routeOptions.config.open === true) return done();
    let checked: void | Promise<void>;
    try {
      checked = check(services, rules, request, reply);
    } catch (error) {
      return done(error as Error);
    }
    if (checked === undefined) done();
    else checked.then(() => done(), done);
  });
}

function check(
  services: GatewayServices,
  rules: EndpointRules,
  request: FastifyRequest,
  reply: FastifyReply,
): void | Promise<void> {
  const startedAt = now();
  requireSingleParameters(request.raw.url ?? "");
  const found = authenticate(services, request, rules.keyInQuery === true);
  const enter = (known: AuthenticatedCaller) =>
    admitKnown(services, rules, { request, reply, startedAt, known });
  return found instanceof Promise ? found.then(enter) : enter(found);
}

interface AdmissionInput {
  request: FastifyRequest;
  reply: FastifyReply;
  startedAt: number;
  known: AuthenticatedCaller;
}

/** Checks what depends on the caller. A promise only where the request has to wait. */
function admitKnown(
  services: GatewayServices,
  rules: EndpointRules,
  { request, reply, startedAt, known }: AdmissionInput,
): void | Promise<void> {
  requirePinRights(request, known);
  const { caller, pin } = known;
  const begun = { requestId: request.id, ip: request.ip, startedAt, caller, pin };
  const enter = (memory: MemoryAllocation) => {
    request.access = { ...begun, memory, signal: watchClose(memory, request, reply) };
  };
  const refuse = (error: unknown) => {
    // The client should try again, so this attempt must not count against its rate.
    if (error instanceof GatewayError && error.code === "overloaded")
      returnRequest(services.limiter, services.relay.groups, caller);
    throw error;
  };
  const acquire = () => {
    let memory: MemoryAllocation | Promise<MemoryAllocation>;
    try {
      memory = requestMemory(services, request, caller, rules);
    } catch (error) {
      return refuse(error);
    }
    return memory instanceof Promise ? memory.then(enter, refuse) : enter(memory);
  };
  const proceed = () => {
    const checked =
      rules.isCharged === true && hasLargeBody(request.raw)
        ? requireBalance(services, begun, endpointOf(request))
        : undefined;
    return checked === undefined ? acquire() : checked.then(acquire);
  };
  const taken = takeRate(services, request, begun);
  return taken instanceof Promise ? taken.then(proceed) : proceed();
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

function takeRate(
  { limiter, relay }: GatewayServices,
  request: FastifyRequest,
  begun: UnreadRequest,
): void | Promise<void> {
  const { head } = request;
  try {
    const requested = takeRequest(limiter, relay.groups, begun.caller);
    if (!(requested instanceof Promise)) {
      Object.assign(head, requested);
      return;
    }
    return requested.then(
      (headers) => void Object.assign(head, headers),
      (error: unknown) => {
        noteRate(relay, request, begun, error);
        throw error;
      },
    );
  } catch (error) {
    noteRate(relay, request, begun, error);
    throw error;
  }
}

function noteRate(
  relay: GatewayServices["relay"],
  request: FastifyRequest,
  begun: UnreadRequest,
  error: unknown,
): void {
  if (isWorthNoting(error)) noteRefusal(relay, unreadCall(begun, endpointOf(request)), error);
}

/** Returns the route's path for the log, without the base path. */
export function endpointOf(request: FastifyRequest): string {
  return (request.routeOptions.url ?? "").slice(request.server.prefix.length);
}

/** A promise only where the request has to wait. */
function requestMemory(
  { relay }: GatewayServices,
  { raw }: FastifyRequest,
  caller: Caller,
  { maxBytes, memoryFor }: EndpointRules,
): MemoryAllocation | Promise<MemoryAllocation> {
  const { "content-length": length, "transfer-encoding": encoding } = raw.headers;
  const type = raw.headers["content-type"] ?? "";
  // A form keeps as much in memory as it may, because its fields are not counted one by one.
  const unknown = type.startsWith("multipart/") ? (maxBytes ?? UNKNOWN_LENGTH) : UNKNOWN_LENGTH;
  const bytes = length === undefined ? (encoding === undefined ? 0 : unknown) : Number(length);
  if (maxBytes !== undefined && !(bytes <= maxBytes)) throw bodyTooLarge(maxBytes);
  return relay.memory.acquire(memoryFor(bytes, type), {
    owner: `user${caller.userId}`,
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
