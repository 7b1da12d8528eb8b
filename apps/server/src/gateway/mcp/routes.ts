/**
 * The Model Context Protocol over Streamable HTTP: `/mcp/<bundle>` has the tools of the servers of a bundle. The gateway
 * begins no messages of its own, so GET has no stream, as the protocol allows.
 */
import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { GatewayError, invalidRequest } from "#errors.ts";
import { type Access, accessOf } from "#gateway/access/access.ts";
import { guardEndpoints, presentedKeys } from "#gateway/access/endpoint.ts";
import { bodyMemory, bodyTooLarge } from "#gateway/body/json-body.ts";
import { answerError } from "#gateway/http/answer-error.ts";
import { mcpErrors } from "#gateway/http/error-shape.ts";
import type { GatewayServices } from "#gateway/services.ts";
import { addPiece } from "#platform/body/add-piece.ts";
import { createJsonScan } from "#platform/body/json-scan.ts";
import { piecesInTime, SLOWEST } from "#platform/body/sender-pace.ts";
import type { BundleRequest } from "./bundle-tools.ts";
import { type ClientSessions, createClientSessions } from "./client-sessions.ts";
import { serveMessage } from "./serve-message.ts";

const PATH = "/mcp/:bundle";
/** Maximum size of a message, with the arguments of a tool. */
const MOST_BODY_BYTES = 1024 * 1024;
const SESSION = "mcp-session-id";

type BundleRoute = { Params: { bundle: string } };

export function mcpRoutes(app: FastifyInstance, services: GatewayServices): void {
  void app.register(async (scope) => {
    scope.setErrorHandler((error: FastifyError | GatewayError, request, reply) =>
      answerError(mcpErrors, error, request, reply),
    );
    scope.removeAllContentTypeParsers();
    const parseJson = scope.getDefaultJsonParser("error", "error");
    scope.addContentTypeParser("application/json", (request, payload: IncomingMessage, done) => {
      void readMessage(payload, accessOf(request)).then((text) => parseJson(request, text, done), done);
    });
    guardEndpoints(scope, services, { maxBytes: MOST_BODY_BYTES, memoryFor: bodyMemory });
    const sessions = createClientSessions(services.secrets);
    scope.post<BundleRoute>(PATH, (request, reply) => answerMessage(services, sessions, request, reply));
    scope.delete<BundleRoute>(PATH, async (request, reply) => {
      const found = await readRequest(services, sessions, request);
      if (found.session !== "") {
        sessions.end(found.session);
        await services.mcp.sessions.end(found.access.caller.tokenId, found.session);
      }
      return reply.code(204).send();
    });
    scope.route<BundleRoute>({
      method: ["GET", "PUT", "PATCH"],
      url: PATH,
      exposeHeadRoute: false,
      handler: async ({ method, params }, reply) => {
        void reply.header("allow", "POST, DELETE");
        throw new GatewayError("method_not_allowed", { method, path: `/mcp/${params.bundle}` });
      },
    });
  });
}

/** Returns the text of a message. Throws for one that takes long to parse: many values need little space. */
async function readMessage(payload: IncomingMessage, { memory }: Access): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  const scan = createJsonScan();
  for await (const piece of piecesInTime(payload, SLOWEST)) {
    size += piece.length;
    if (size > MOST_BODY_BYTES) throw bodyTooLarge(MOST_BODY_BYTES);
    scan.push(piece);
    addPiece(pieces, piece);
    await memory.add(bodyMemory(size) - memory.bytes);
  }
  return Buffer.concat(pieces).toString("utf8");
}

async function answerMessage(
  services: GatewayServices,
  sessions: ClientSessions,
  request: FastifyRequest<BundleRoute>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const message = messageOf(request.body);
  const found = await readRequest(services, sessions, request);
  const headers: Record<string, string> = { "content-type": "application/json" };
  for (const name of ["accept", "mcp-protocol-version"]) {
    const value = request.headers[name];
    if (typeof value === "string") headers[name] = value;
  }
  const response = await serveMessage(services, { request: found, message, headers });
  if (message["method"] === "initialize" && response.ok)
    void reply.header(SESSION, sessions.open(found.access.caller, found.bundle));
  for (const name of ["content-type", "cache-control", "x-accel-buffering"]) {
    const value = response.headers.get(name);
    if (value !== null) void reply.header(name, value);
  }
  void reply.code(response.status);
  if (response.body === null) return reply.send();
  return reply.send(Readable.fromWeb(response.body));
}

/** Returns one message. Throws `invalid_request` for several: each must count against the rate limits. */
function messageOf(body: unknown): Record<string, unknown> {
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw invalidRequest({ reason: "mcp_message" });
  return body as Record<string, unknown>;
}

/** Throws `not_found` for a bundle or session that the caller may not use. */
async function readRequest(
  { mcp }: GatewayServices,
  sessions: ClientSessions,
  request: FastifyRequest<BundleRoute>,
): Promise<BundleRequest> {
  const access = accessOf(request);
  const { headers, params } = request;
  const bundle = await mcp.directory.find(params.bundle, access.caller);
  const presented = headers[SESSION];
  const session = typeof presented === "string" ? sessions.read(presented, access.caller, bundle) : "";
  return { access, bundle, session, headers, keys: keysIn(request) };
}

const SHORTEST_KEY = 16;

/** Returns the keys of a request without prefixes and pins. Texts that are too short for a key are left out. */
function keysIn(request: FastifyRequest<BundleRoute>): string[] {
  return presentedKeys(request, false).flatMap((presented) => {
    const [, key = ""] = /^(?:Bearer\s+)?(?:sk-)?([\w-]+)/i.exec(presented) ?? [];
    return key.length < SHORTEST_KEY ? [] : key;
  });
}
