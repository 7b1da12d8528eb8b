import type { IncomingMessage } from "node:http";
import websocket from "@fastify/websocket";
import type { FastifyInstance } from "fastify";
import { shuttingDown } from "#errors.ts";
import { endpointOf, guardEndpoints } from "#gateway/access/endpoint.ts";
import { chooseProtocol, MAX_MESSAGE } from "#gateway/access/socket-limits.ts";
import { identifyBySecret } from "#gateway/media/realtime-secrets.ts";
import { REALTIME_PATH, realtimeRoutes } from "#gateway/media/realtime.ts";
import { RESPONSES_PATH, responseSocketRoutes } from "#gateway/response-socket/routes.ts";
import type { GatewayServices } from "#gateway/services.ts";
import { socketLimits } from "#platform/http/web-socket.ts";

/** The WebSocket endpoints. Every rejection precedes the upgrade, as a normal response. */
const paths = [REALTIME_PATH, RESPONSES_PATH];

/** Whether to upgrade a request that offers it. */
export function wantsSocket({ method, url = "", headers }: IncomingMessage): boolean {
  const path = url.split("?")[0]?.replace(/\/$/, "") ?? "";
  return (
    method === "GET" &&
    headers.upgrade?.toLowerCase() === "websocket" &&
    paths.some((socketPath) => path.endsWith(socketPath))
  );
}

export async function socketRoutes(app: FastifyInstance, services: GatewayServices): Promise<void> {
  const running = new Set<{ finish(): Promise<void> }>();
  let isClosing = false;
  await app.register(websocket, {
    options: {
      maxPayload: MAX_MESSAGE,
      ...socketLimits,
      perMessageDeflate: false,
      handleProtocols: chooseProtocol,
    },
    // Errors of a socket are reported by its close code.
    errorHandler: (_error, socket) => socket.terminate(),
    preClose: async () => {
      isClosing = true;
      await Promise.all([...running].map((session) => session.finish()));
    },
  });
  // A connection that begins after the others ended would keep the node from stopping.
  app.addHook("onRequest", (_request, _reply, done) => done(isClosing ? shuttingDown() : undefined));
  // Registered after the plugin, whose hook marks upgrades: rejected ones must be closed too.
  guardEndpoints(app, services, {
    memoryFor: () => 0,
    identify: async (request) =>
      endpointOf(request) === REALTIME_PATH ? identifyBySecret(services, request) : undefined,
  });
  realtimeRoutes(app, services, running);
  responseSocketRoutes(app, services, running);
}
