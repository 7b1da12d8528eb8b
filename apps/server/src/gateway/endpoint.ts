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
 * The order of every endpoint for AI clients, before its body is read: authenticate, permissions, rate limit, size,
 * memory. Nothing of a request that is refused here is parsed or kept.
 */
export interface EndpointRules {
  /** Only Gemini's clients send the key in the query string. */
  keyInQuery?: boolean;
  /** Bytes of a body; undefined for bodies that pass through unread. */
  maxBytes?: number;
  /** Memory that a request uses, given the bytes of its body and what it is. */
  memoryFor(bodyBytes: number, contentType: string): number;
}

/** Large bodies of one account are served one after the other; clients wait longer than this for an answer. */
const MEMORY_WAIT_MS = 30_000;
/** How much of a body without a length is expected at first. */
const UNKNOWN_LENGTH = 64 * 1024;

/** Every route of this scope is served in the order above. */
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
    const begun = { requestId: request.id, ip: request.ip, startedAt, ...known };
    await takeRate(services, request, reply, begun);
    request.access = {
      ...begun,
      memory: await takeMemory(services, request, reply, known, rules),
    };
  });
}

/** With a pin an administrator acts on the provider's account; the right to see channels is enough to look only. */
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
        // Its body is not read.
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

/** The route's address as the log names it, without the base path. */
export function endpointOf(request: FastifyRequest): string {
  return (request.routeOptions.url ?? "").slice(request.server.prefix.length);
}

async function takeMemory(
  { relay }: GatewayServices,
  { raw, ws }: FastifyRequest,
  reply: FastifyReply,
  { caller }: { caller: Caller },
  { maxBytes, memoryFor }: EndpointRules,
): Promise<MemoryAllocation> {
  const { "content-length": length, "transfer-encoding": encoding } = raw.headers;
  const bytes = length === undefined ? (encoding === undefined ? 0 : UNKNOWN_LENGTH) : Number(length);
  if (maxBytes !== undefined && !(bytes <= maxBytes)) throw bodyTooLarge(maxBytes);
  const requested = relay.memory.acquire(memoryFor(bytes, raw.headers["content-type"] ?? ""), {
    owner: `user${caller.userId}`,
    timeoutMs: MEMORY_WAIT_MS,
  });
  const memory = requested instanceof Promise ? await requested : requested;
  // The answer of an upgraded connection never closes; the connection does.
  const over = ws ? raw.socket : reply.raw;
  over.once("close", () => memory.release());
  if (over.closed || over.destroyed) {
    memory.release();
    throw new GatewayError("client_disconnected", { reason: "client_left" });
  }
  return memory;
}
