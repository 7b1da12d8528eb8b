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
import { authenticate } from "./authenticate.ts";
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
  const { caller, pin } = await authenticate(services, request, rules.keyInQuery === true);
  requirePinRights(request, { caller, pin });
  const begun = { requestId: request.id, ip: request.ip, startedAt, caller, pin };
  await takeRate(services, request, begun);
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
): Promise<void> {
  const { head } = request;
  try {
    Object.assign(head, await takeRequest(limiter, relay.groups, begun.caller));
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
