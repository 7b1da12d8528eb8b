import type { FastifyInstance, FastifyRequest } from "fastify";
import type { WebSocket } from "ws";
import { GatewayError } from "#errors.ts";
import { accessOf } from "#gateway/access/access.ts";
import { isWorthNoting, takeRequest } from "#gateway/access/admit.ts";
import { authenticate, requireBalance, unreadCall } from "#gateway/access/endpoint.ts";
import { MAX_MESSAGE } from "#gateway/access/socket-limits.ts";
import { countArriving } from "#gateway/access/socket-memory.ts";
import { keepUntilUpgrade } from "#gateway/access/until-upgrade.ts";
import { bodyTooLarge } from "#gateway/body/json-body.ts";
import { needsFinalStatus, failedResponse } from "#gateway/http/codex-errors.ts";
import { toGatewayError } from "#gateway/http/to-gateway-error.ts";
import type { GatewayServices } from "#gateway/services.ts";
import { now } from "#platform/clock.ts";
import { messageSocket } from "#platform/http/web-socket.ts";
import { noteRefusal } from "#relay/core/exchange.ts";
import { openResponseSockets } from "#relay/core/upstream/response-sockets.ts";
import { openConnection } from "./connection.ts";
import { errorEvent } from "./error-event.ts";
import { createHistorySpace, openHistory } from "./history.ts";
import { respond } from "./respond.ts";

/**
 * Responses over WebSocket: https://developers.openai.com/api/docs/guides/websocket-mode, read 2026-11-23.
 */
export const RESPONSES_PATH = "/v1/responses";
/** OpenAI's limit. */
const MAX_AGE_MS = 60 * 60_000;
/** Connections of one account at this node. Each runs one response at a time. */
const MAX_CONNECTIONS = 64;

/** @param running connections to end before the node stops */
export function responseSocketRoutes(
  app: FastifyInstance,
  services: GatewayServices,
  running: Set<{ finish(): Promise<void> }>,
): void {
  const places = createPlaces();
  const entered = keepUntilUpgrade<() => void>((leave) => leave());
  const { relay } = services;
  const space = createHistorySpace(() => relay.memory.capacity);
  const preHandler = async (request: FastifyRequest) => {
    if (!relay.settings.current().ResponsesWebSocketEnabled)
      throw new GatewayError("upgrade_required", { reason: "responses_websocket_off" });
    if (!request.ws) throw new GatewayError("upgrade_required", { reason: "responses_need_upgrade" });
    entered.keep(request, places.enter(accessOf(request).caller.userId));
  };
  app.get(RESPONSES_PATH, { websocket: true, preHandler }, async (socket, request) => {
    const leave = entered.take(request);
    if (leave === undefined) return;
    const { caller, memory, requestId } = accessOf(request);
    sayWhatIsTooLarge(socket, requestId);
    const messages = messageSocket(socket);
    const idleMs = relay.settings.current().RealtimeIdleSeconds * 1_000;
    const sockets = openResponseSockets(relay, idleMs);
    const history = openHistory({ space, owner: caller.userId, memory });
    const from = { services, request, socket: messages, endpoint: RESPONSES_PATH, sockets };
    const connection = openConnection({
      socket: messages,
      history,
      encode(error) {
        const named = toGatewayError(error);
        return needsFinalStatus(request, named)
          ? failedResponse(named, requestId)
          : errorEvent(error, requestId);
      },
      idleMs,
      maxAgeMs: MAX_AGE_MS,
      watch: (onRevoked) => relay.revocations.watch(caller, onRevoked),
      admit: () => admitEvent(services, request),
      arrived: countArriving(request.raw.socket, socket, memory, (error) => errorEvent(error, requestId)),
      respond: (created) => respond(from, created),
    });
    running.add(connection);
    relay.metrics.streams.inc();
    try {
      await connection.run();
    } finally {
      sockets.close();
      running.delete(connection);
      relay.metrics.streams.dec();
      history.close();
      leave();
    }
  });
}

interface Places {
  /** Takes a place of the account. Throws `rate_limit_exceeded`. Returns a function that gives it back. */
  enter(userId: number): () => void;
}

/** Counts connections when they are checked: many may be checked before the first one is open. */
function createPlaces(): Places {
  const taken = new Map<number, number>();
  return {
    enter(userId) {
      const others = taken.get(userId) ?? 0;
      if (others >= MAX_CONNECTIONS)
        throw new GatewayError("rate_limit_exceeded", { reason: "sockets_at_once", limit: MAX_CONNECTIONS });
      taken.set(userId, others + 1);
      return () => {
        const left = (taken.get(userId) ?? 1) - 1;
        if (left > 0) taken.set(userId, left);
        else taken.delete(userId);
      };
    },
  };
}

/**
 * Checks the key, its rate and the balance, for an event of any kind. The key may have been disabled, or expired,
 * since the connection was opened.
 */
async function admitEvent(services: GatewayServices, request: FastifyRequest): Promise<void> {
  const { relay, limiter } = services;
  const known = await authenticate(services, request);
  const begun = {
    requestId: request.id,
    ip: request.ip,
    startedAt: now(),
    ...known,
  };
  try {
    await takeRequest(limiter, relay.groups, known.caller);
  } catch (error) {
    if (isWorthNoting(error)) noteRefusal(relay, unreadCall(begun, RESPONSES_PATH), error);
    throw error;
  }
  await requireBalance(services, begun, RESPONSES_PATH);
}

/** Sends an error before the library closes the connection of a message that is too large. */
function sayWhatIsTooLarge(socket: WebSocket, requestId: string): void {
  const close = socket.close.bind(socket);
  socket.close = (code, reason) => {
    if (code === 1009 && socket.readyState === socket.OPEN)
      socket.send(errorEvent(bodyTooLarge(MAX_MESSAGE), requestId));
    close(code, reason);
  };
}
