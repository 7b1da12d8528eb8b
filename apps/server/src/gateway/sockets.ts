import type { IncomingMessage } from "node:http";
import websocket from "@fastify/websocket";
import type { FastifyInstance } from "fastify";
import { guardEndpoints } from "./endpoint.ts";
import { REALTIME_PATH, realtimeRoutes } from "./realtime.ts";
import { RESPONSES_PATH, responseSocketRoutes } from "./response-socket/routes.ts";
import type { GatewayServices } from "./services.ts";
import { chooseProtocol, MAX_MESSAGE } from "./socket-limits.ts";

/** The endpoints that are opened as WebSockets: every refusal comes before the upgrade, as an ordinary answer. */
const paths = [REALTIME_PATH, RESPONSES_PATH];

/** Whether a request that offers an upgrade shall have it. */
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
  await app.register(websocket, {
    options: { maxPayload: MAX_MESSAGE, perMessageDeflate: false, handleProtocols: chooseProtocol },
    // What goes wrong on a socket is told by its close code.
    errorHandler: (_error, socket) => socket.terminate(),
    preClose: async () => {
      await Promise.all([...running].map((session) => session.finish()));
    },
  });
  // After the plugin, whose hook marks upgrades: a refused one must be closed, too.
  guardEndpoints(app, services, { memoryFor: () => 0 });
  realtimeRoutes(app, services, running);
  responseSocketRoutes(app, services, running);
}
