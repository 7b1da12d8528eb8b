/**
 * Routes for data that a provider keeps for one account: files, batches, assistants and the like, at OpenAI's
 * paths. Only the provider that has the data can serve it, so the caller must name the channel. Bodies are
 * neither read nor stored.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { forbidden, notFound } from "#errors.ts";
import { accessOf } from "#gateway/access/access.ts";
import { admit } from "#gateway/access/admit.ts";
import { sendAnswer } from "#gateway/http/reply.ts";
import { queryWithoutKey } from "#gateway/http/request-url.ts";
import type { GatewayServices } from "#gateway/services.ts";
import { piecesInTime, SLOWEST_FORM } from "#platform/body/sender-pace.ts";
import { withoutTimeLimit } from "#platform/body/time-limit.ts";
import { type CancelSignal, createCancellation } from "#platform/http/cancellation.ts";
import type { StreamedBody } from "#platform/http/exchange.ts";
import { requireModel } from "#relay/core/routing/plan.ts";
import { type PassedCall, passThrough } from "#relay/pass-through/pass-through.ts";

const families = [
  "/v1/files",
  "/v1/fine_tuning",
  "/v1/assistants",
  "/v1/threads",
  "/v1/batches",
  "/v1/vector_stores",
];
const MODELS = "/v1/models/";

export function accountRoutes(app: FastifyInstance, services: GatewayServices): void {
  // Bodies pass through unchanged, whatever their type.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_request, payload, done) => done(null, payload));
  for (const family of families)
    for (const url of [family, `${family}/*`])
      app.route({
        method: ["GET", "POST", "PUT", "PATCH", "DELETE"],
        url,
        handler: (request, reply) => serve(services, app.prefix, family, request, reply),
      });
  app.delete(`${MODELS}*`, (request, reply) => serve(services, app.prefix, "/v1/models", request, reply));
}

async function serve(
  services: GatewayServices,
  prefix: string,
  endpoint: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const access = accessOf(request);
  const { pin } = access;
  const channelId = pin?.only ?? pin?.account;
  if (channelId === undefined) throw forbidden({ reason: "pin_required" });
  const address = addressOf(request.url.slice(prefix.length));
  const { signal } = access;
  const upload = request.body === request.raw ? uploadOf(request, signal) : undefined;
  try {
    const { headers, call } = await admit<PassedCall>(services, {
      ...access,
      ...address,
      endpoint,
      needs: "account",
      stream: false,
      tools: false,
      estimate: { input: 0, output: 0 },
      calls: 0,
      signal: upload?.signal ?? signal,
      method: methodOf(request),
      channelId,
      forward: selectHeaders(request),
      body: upload?.body ?? null,
    });
    if (call.model !== "") requireModel(call);
    const answer = await passThrough(services.relay, call);
    const { streams } = services.relay.metrics;
    await sendAnswer(reply, answer, { heartbeat: "", heartbeatMs: 0, headers, signal, streams });
  } catch (error) {
    throw upload?.fault() ?? error;
  } finally {
    upload?.drop();
  }
  return reply;
}

/**
 * Returns path and query as received, without our own key. Rejects paths that could lead to another, billed
 * path at the provider: URL parsers resolve `..` in any spelling.
 */
function addressOf(url: string): Pick<PassedCall, "path" | "query" | "model"> {
  const [path = ""] = url.split("?");
  const steps = path.slice(1).split("/").map(decodeStep);
  const last = steps.length - 1;
  const stray = steps.some((step, index) => (step === "" ? index < last : /^\.\.?$|[\\/?#]/.test(step)));
  if (stray || steps[0] !== "v1") throw notFound({ reason: "gateway_address_not_found" });
  return {
    path,
    query: queryWithoutKey(url),
    model: path.startsWith(MODELS) ? steps.slice(2).join("/") : "",
  };
}

function decodeStep(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    throw notFound({ reason: "gateway_address_not_found" });
  }
}

function methodOf({ method }: FastifyRequest): PassedCall["method"] {
  switch (method) {
    case "GET":
    case "HEAD":
    case "POST":
    case "PUT":
    case "PATCH":
    case "DELETE":
      return method;
    default:
      throw notFound({ reason: "method_not_served_here", method });
  }
}

/**
 * Headers about the body and the request. Credentials, cookies and headers that proxies added about the
 * caller are not forwarded.
 */
const known =
  /^(?:accept(?:-.*)?|content-(?!length$).*|range|if-.*|user-agent|idempotency-key|openai-.*|x-client-request-id|x-stainless-.*)$/;

function selectHeaders({ headers }: FastifyRequest): Record<string, string> {
  const forward: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers))
    if (typeof value === "string" && known.test(name)) forward[name] = value;
  return forward;
}

interface Upload {
  body: StreamedBody;
  /** Aborts when the client leaves, or sends too slowly. */
  signal: CancelSignal;
  /** Returns the fault of a client that stopped sending. */
  fault(): unknown;
  /** Drops the rest of the body. Called when the response is complete. */
  drop(): void;
}

function uploadOf({ raw, server: app }: FastifyRequest, signal: CancelSignal): Upload {
  const ended = createCancellation();
  if (signal.aborted) ended.cancel();
  else signal.addEventListener("abort", () => ended.cancel(), { once: true });
  let fault: unknown;
  async function* receive(): AsyncGenerator<Buffer, void, undefined> {
    try {
      // Only administrators send files here.
      yield* withoutTimeLimit(app.server, piecesInTime(raw, SLOWEST_FORM));
    } catch (error) {
      fault = error;
      ended.cancel();
      throw error;
    }
  }
  const pieces = receive();
  const length = Number(raw.headers["content-length"] ?? Number.NaN);
  return {
    body: { length: Number.isSafeInteger(length) ? length : undefined, open: () => pieces },
    signal: ended,
    fault: () => fault,
    drop() {
      // Discards what the provider did not read, because the connection's next request follows it.
      void pieces.return().finally(() => setImmediate(() => raw.resume()));
    },
  };
}
