import type { IncomingMessage } from "node:http";
import websocket from "@fastify/websocket";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { GatewayError, invalidRequest } from "#errors.ts";
import { messageSocket } from "#platform/web-socket.ts";
import { realtimeEstimate } from "#relay/realtime/realtime-bill.ts";
import type { RealtimeSession } from "#relay/realtime/realtime-session.ts";
import { relayRealtime } from "#relay/realtime/realtime.ts";
import { accessOf } from "./access.ts";
import { admit, admitUnannounced } from "./admit.ts";
import { authenticate } from "./authenticate.ts";
import { readJson } from "./body/json-body.ts";
import { foldName } from "./body/one-reading.ts";
import { realtimeReading } from "./body/readings.ts";
import { guardEndpoints } from "./endpoint.ts";
import { queryWithoutKey } from "./query.ts";
import type { GatewayServices } from "./services.ts";

/** The endpoint for realtime sessions: every refusal comes before the upgrade, as an ordinary answer. */
const PATH = "/v1/realtime";
/** A client may append fifteen megabytes of sound at once. */
const MAX_MESSAGE = 16 * 1024 * 1024;
const foreignTargets = new Set(["deployment", "deployment_id", "deployment-id", "call_id", "session_id"]);
const KEY_PROTOCOL = "openai-insecure-api-key.";
const BETA_PROTOCOL = "openai-beta.";

/** Whether a request that offers an upgrade shall have it. */
export function wantsRealtime({ method, url = "", headers }: IncomingMessage): boolean {
  const [path = ""] = url.split("?");
  return (
    method === "GET" &&
    path.replace(/\/$/, "").endsWith(PATH) &&
    headers.upgrade?.toLowerCase() === "websocket"
  );
}

export async function realtimeRoutes(app: FastifyInstance, services: GatewayServices): Promise<void> {
  const waiting = new WeakMap<FastifyRequest, RealtimeSession>();
  const running = new Set<RealtimeSession>();
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
  const preHandler = async (request: FastifyRequest) => {
    const session = await open(services, request);
    const { socket } = request.raw;
    // Between here and the upgrade it may still leave: then no one else looks after the session.
    const abandon = () => {
      if (waiting.delete(request)) session.abandon().catch(services.relay.onError);
    };
    waiting.set(request, session);
    socket.once("close", abandon);
    if (socket.destroyed) abandon();
  };
  app.get(PATH, { websocket: true, preHandler }, async (socket, request) => {
    const session = waiting.get(request);
    waiting.delete(request);
    if (session === undefined) return;
    running.add(session);
    services.relay.metrics.streams.inc();
    try {
      await session.run(messageSocket(socket));
    } finally {
      running.delete(session);
      services.relay.metrics.streams.dec();
    }
  });
}

async function open(services: GatewayServices, request: FastifyRequest): Promise<RealtimeSession> {
  if (!request.ws) throw new GatewayError("upgrade_required");
  const left = new AbortController();
  request.raw.socket.once("close", () => left.abort());
  // A key in the address is for us, although it is not accepted there.
  const query = new URLSearchParams(queryWithoutKey(request.url));
  // They name another model than the one that is billed, or a session that another account may have opened.
  for (const name of Array.from(query.keys())) if (foreignTargets.has(foldName(name))) query.delete(name);
  const model = query.get("model") ?? "";
  if (model === "" || model.length > 160)
    throw invalidRequest({ reason: "realtime_model_in_address" }, { param: "model" });
  const { call } = await admit(services, {
    ...accessOf(request),
    endpoint: PATH,
    needs: "realtime" as const,
    model,
    stream: true,
    tools: false,
    estimate: realtimeEstimate(),
    calls: 1,
    signal: left.signal,
  });
  return relayRealtime(services.relay, {
    ...call,
    query,
    forward: forwardable(request),
    readEvent: (data) => readJson(data, realtimeReading),
    maxMessage: MAX_MESSAGE,
    idleMs: services.relay.settings.current().RealtimeIdleSeconds * 1_000,
    async admit(turn) {
      // The key may have been closed, or have lapsed, since the session was opened.
      await authenticate(services, request);
      return admitUnannounced(services, turn);
    },
  });
}

/** What tells the provider which version of the events the client speaks, and who its person is. */
function forwardable({ headers }: FastifyRequest): Record<string, string> {
  const beta = headers["openai-beta"] ?? (offered(headers).some(isBeta) ? "realtime=v1" : undefined);
  const safety = headers["openai-safety-identifier"];
  return {
    ...(typeof beta === "string" ? { "openai-beta": beta } : {}),
    ...(typeof safety === "string" ? { "openai-safety-identifier": safety } : {}),
  };
}

function isBeta(protocol: string): boolean {
  return protocol.startsWith(BETA_PROTOCOL);
}

function offered(headers: FastifyRequest["headers"]): string[] {
  return (headers["sec-websocket-protocol"] ?? "").split(",").map((protocol) => protocol.trim());
}

/** A browser that offers protocols wants one of them back; its key is not for repeating. */
function chooseProtocol(protocols: Set<string>): string | false {
  if (protocols.has("realtime")) return "realtime";
  const plain = [...protocols].find((protocol) => !protocol.startsWith(KEY_PROTOCOL) && !isBeta(protocol));
  return plain ?? [...protocols][0] ?? false;
}
