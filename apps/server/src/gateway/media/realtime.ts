import type { FastifyInstance, FastifyRequest } from "fastify";
import { GatewayError, invalidRequest } from "#errors.ts";
import { accessOf } from "#gateway/access/access.ts";
import { admit, admitWithoutRequest } from "#gateway/access/admit.ts";
import { authenticate } from "#gateway/access/endpoint.ts";
import { MAX_MESSAGE, isBeta } from "#gateway/access/socket-limits.ts";
import { countArriving, releasingSocket } from "#gateway/access/socket-memory.ts";
import { keepUntilUpgrade } from "#gateway/access/until-upgrade.ts";
import { readJson } from "#gateway/body/json-body.ts";
import { foldName } from "#gateway/body/one-reading.ts";
import { realtimeReading } from "#gateway/body/readings.ts";
import { queryWithoutKey } from "#gateway/http/request-url.ts";
import { callerOfSecret, realtimeSecretOf } from "#gateway/media/realtime-secrets.ts";
import type { GatewayServices } from "#gateway/services.ts";
import { messageSocket } from "#platform/http/web-socket.ts";
import { realtimeEstimate } from "#relay/realtime/realtime-estimate.ts";
import { errorEvent, type RealtimeSession } from "#relay/realtime/realtime-session.ts";
import { relayRealtime } from "#relay/realtime/realtime.ts";

/** The realtime endpoint. Every rejection precedes the upgrade, as a normal response. */
export const REALTIME_PATH = "/v1/realtime";
const foreignTargets = new Set(["deployment", "deployment_id", "deployment-id", "call_id", "session_id"]);

/** @param running sessions to end before the node stops */
export function realtimeRoutes(
  app: FastifyInstance,
  services: GatewayServices,
  running: Set<{ finish(): Promise<void> }>,
): void {
  const waiting = keepUntilUpgrade<RealtimeSession>((session) => {
    session.abandon().catch(services.relay.onError);
  });
  const preHandler = async (request: FastifyRequest) => waiting.keep(request, await open(services, request));
  app.get(REALTIME_PATH, { websocket: true, preHandler }, async (socket, request) => {
    const session = waiting.take(request);
    if (session === undefined) return;
    running.add(session);
    services.relay.metrics.streams.inc();
    const { memory, requestId } = accessOf(request);
    const encode = (error: unknown) => errorEvent(error, requestId);
    const takeArrived = countArriving(request.raw.socket, socket, memory, encode);
    try {
      await session.run(releasingSocket(messageSocket(socket), takeArrived));
    } finally {
      running.delete(session);
      services.relay.metrics.streams.dec();
    }
  });
}

async function open(services: GatewayServices, request: FastifyRequest): Promise<RealtimeSession> {
  if (!request.ws) throw new GatewayError("upgrade_required", { reason: "realtime_needs_upgrade" });
  const left = new AbortController();
  request.raw.socket.once("close", () => left.abort());
  // A key in the query is meant for us, although it is not accepted there.
  const query = new URLSearchParams(queryWithoutKey(request.url));
  // These parameters name a model other than the billed one, or a session that may belong to another account.
  for (const name of Array.from(query.keys())) if (foreignTargets.has(foldName(name))) query.delete(name);
  const secret = realtimeSecretOf(request);
  const model = query.get("model") ?? secret?.model ?? "";
  // A browser may have the key, but it does not choose the model.
  if (secret !== undefined && model !== secret.model)
    throw invalidRequest({ reason: "secret_for_other_model", model: secret.model }, { param: "model" });
  if (model === "" || model.length > 160)
    throw invalidRequest({ reason: "realtime_model_in_address" }, { param: "model" });
  const { call } = await admit(services, {
    ...accessOf(request),
    endpoint: REALTIME_PATH,
    needs: "realtime" as const,
    model,
    stream: true,
    tools: false,
    estimate: realtimeEstimate(model),
    calls: 1,
    signal: left.signal,
  });
  return relayRealtime(services.relay, {
    ...call,
    query,
    forward: forwardable(request),
    readEvent: (data) => readJson(data, realtimeReading),
    maxMessage: MAX_MESSAGE,
    ...(secret !== undefined && { settings: sessionUpdate(secret.session) }),
    idleMs: services.relay.settings.current().RealtimeIdleSeconds * 1_000,
    async admit(turn) {
      // The key may have been disabled, or expired, since the session was opened.
      if (secret === undefined) await authenticate(services, request);
      else await callerOfSecret(services, request, secret);
      return admitWithoutRequest(services, turn);
    },
  });
}

/** Returns the event with which a client sets up a session. */
function sessionUpdate({ model: _model, ...session }: Readonly<Record<string, unknown>>): Buffer {
  return Buffer.from(JSON.stringify({ type: "session.update", session: { type: "realtime", ...session } }));
}

/** Returns the headers with the client's event version and its end user's identifier. */
function forwardable({ headers }: FastifyRequest): Record<string, string> {
  const beta = headers["openai-beta"] ?? (offeredProtocols(headers).some(isBeta) ? "realtime=v1" : undefined);
  const safety = headers["openai-safety-identifier"];
  return {
    ...(typeof beta === "string" ? { "openai-beta": beta } : {}),
    ...(typeof safety === "string" ? { "openai-safety-identifier": safety } : {}),
  };
}

function offeredProtocols(headers: FastifyRequest["headers"]): string[] {
  return (headers["sec-websocket-protocol"] ?? "").split(",").map((protocol) => protocol.trim());
}
