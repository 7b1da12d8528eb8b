import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Caller, Pin } from "#domain/tokens/callers.ts";
import { forbidden, GatewayError } from "#errors.ts";
import { now } from "#platform/clock.ts";
import type { MemoryAllocation } from "#platform/memory-budget.ts";
import { noteRefusal } from "#relay/core/exchange.ts";
import type { Access } from "./access.ts";
import { isWorthNoting, takeRequest } from "./admit.ts";
import { authenticate } from "./authenticate.ts";
import { bodyTooLarge } from "./body/json-body.ts";
import { requireSingleParameters } from "./query.ts";
import type { GatewayServices } from "./services.ts";

/**
 * Checks of every endpoint for AI clients before its body is read, in this order: authentication,
 * permissions, rate limit, size, memory. Nothing of a rejected request is parsed or stored.
 */
export interface EndpointRules {
  /** Accepts the key in the query string. Only Gemini's clients send it there. */
  keyInQuery?: boolean;
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
    if (request.routeOptions.config.open === true) return;
    const startedAt = now();
    requireSingleParameters(request.raw.url ?? "");
    const known = await authenticate(services, request, rules.keyInQuery === true);
    requirePinRights(request, known);
    const { caller, pin } = known;
    const begun = { requestId: request.id, ip: request.ip, startedAt, caller, pin };
    await takeRate(services, request, reply, begun);
    const requested = requestMemory(services, request, caller, rules);
    const memory = requested instanceof Promise ? await requested : requested;
    releaseAtEnd(memory, request, reply);
    request.access = { ...begun, memory };
  });
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

async function takeRate(
  { limiter, relay }: GatewayServices,
  request: FastifyRequest,
  reply: FastifyReply,
  begun: Omit<Access, "memory">,
): Promise<void> {
  try {
    const requested = takeRequest(limiter, relay.groups, begun.caller);
    const headers = requested instanceof Promise ? await requested : requested;
    for (const name in headers) reply.raw.setHeader(name, headers[name] ?? "");
  } catch (error) {
    if (isWorthNoting(error)) {
      const call = {
        ...begun,
        endpoint: endpointOf(request),
        needs: "chat" as const,
        // The body is not read.
        model: "",
        stream: false,
        tools: false,
        estimate: { input: 0, output: 0 },
        calls: 1,
        signal: AbortSignal.abort(),
      };
      noteRefusal(relay, call, error);
    }
    throw error;
  }
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
  const bytes = length === undefined ? (encoding === undefined ? 0 : UNKNOWN_LENGTH) : Number(length);
  if (maxBytes !== undefined && !(bytes <= maxBytes)) throw bodyTooLarge(maxBytes);
  return relay.memory.acquire(memoryFor(bytes, raw.headers["content-type"] ?? ""), {
    owner: `user${caller.userId}`,
    timeoutMs: MEMORY_WAIT_MS,
  });
}

function releaseAtEnd(memory: MemoryAllocation, { raw, ws }: FastifyRequest, reply: FastifyReply): void {
  // The response of an upgraded connection never closes; the connection does.
  const over = ws ? raw.socket : reply.raw;
  over.once("close", () => memory.release());
  if (over.closed || over.destroyed) {
    memory.release();
    throw new GatewayError("client_disconnected", { reason: "client_left" });
  }
}
