/**
 * Endpoints for AI clients: one scope per dialect, each with its own error format. endpoint.ts checks every
 * request. Independent of the console.
 */
import type { FastifyError, FastifyInstance } from "fastify";
import type { Dialect } from "#dialects/dialect.ts";
import { dialects } from "#dialects/index.ts";
import { GatewayError, notFound } from "#errors.ts";
import { endpointOf, guardEndpoints, requireCallable } from "#gateway/access/endpoint.ts";
import { accountRoutes } from "#gateway/account/account.ts";
import { creditRoutes } from "#gateway/account/credit.ts";
import { guardEndpoint } from "#gateway/account/native-endpoint.ts";
import { usageRoutes } from "#gateway/account/usage.ts";
import { BODY_LIMIT, type BeforeParsing, acceptJson, bodyMemory } from "#gateway/body/json-body.ts";
import { readings } from "#gateway/body/readings.ts";
import { cachedContentRoutes } from "#gateway/caches/cached-contents.ts";
import { withCachedContent } from "#gateway/caches/in-cached-content.ts";
import { type ChatActions, type ReadTurn, chatDialects, chatRoutes, readTurn } from "#gateway/chat/chat.ts";
import { answerCount, countRoutes } from "#gateway/chat/count-tokens.ts";
import { quoteRoutes } from "#gateway/chat/quotes.ts";
import { readMessagesTurn } from "#gateway/compaction/messages.ts";
import { conversationRoutes } from "#gateway/conversation/conversations.ts";
import { answerError } from "#gateway/http/answer-error.ts";
import { collectHeads } from "#gateway/http/answer-headers.ts";
import {
  type ErrorShape,
  midjourneyErrors,
  shapeFor,
  shapeOf,
  sharedShape,
  taskErrors,
} from "#gateway/http/error-shape.ts";
import { helloRoutes } from "#gateway/http/hello.ts";
import { socketRoutes } from "#gateway/http/sockets.ts";
import { toGatewayError } from "#gateway/http/to-gateway-error.ts";
import { interactionRoutes } from "#gateway/interactions/routes.ts";
import { readInteractionTurn } from "#gateway/interactions/turn.ts";
import { mcpRoutes } from "#gateway/mcp/routes.ts";
import { answerEmbed } from "#gateway/media/gemini-embeddings.ts";
import { plainRoutes } from "#gateway/media/plain.ts";
import { realtimeSecretRoutes } from "#gateway/media/realtime-secrets.ts";
import { modelRoutes, ownModelRoutes } from "#gateway/models/models.ts";
import { compactRoutes } from "#gateway/responses/compact.ts";
import { readResponseTurn } from "#gateway/responses/response-turn.ts";
import { responseRoutes } from "#gateway/responses/responses.ts";
import { webSearchRoutes } from "#gateway/responses/web-search.ts";
import { midjourneyPrefixes, midjourneyRoutes } from "#gateway/tasks/midjourney.ts";
import { taskRoutes } from "#gateway/tasks/tasks.ts";
import type { GatewayServices } from "./services.ts";

const prefixes = [
  "/v1",
  "/v1alpha",
  "/v1beta",
  "/v1beta1",
  "/upload",
  "/claude",
  "/gemini",
  "/dashboard",
  "/recraftAI",
  "/openai",
];
const taskPrefixes = ["/suno", "/kling"];
const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

const json = { maxBytes: BODY_LIMIT, memoryFor: bodyMemory, isCharged: true };

export function gatewayRoutes(app: FastifyInstance, services: GatewayServices): void {
  app.decorateRequest("access", null);
  collectHeads(app);
  countErrors(app, services);
  allowBrowsers(app);
  const served = rememberRoutes(app);
  const before: BeforeParsing = async (request, model) => {
    const endpoint = endpointOf(request);
    // The address of a tool names its model.
    if (!endpoint.startsWith("/recraftAI")) await requireCallable(services, request, endpoint, model);
  };
  for (const dialect of chatDialects) {
    void app.register(async (scope) => {
      encodeErrors(scope, services, dialect);
      if (dialect.id === "anthropic") nameRequestId(scope);
      acceptJson(scope, readings[dialect.id], before);
      guardEndpoint(scope, services, dialect.id);
      const keyInQuery = dialect.id === "gemini" || dialect.id === "interactions";
      guardEndpoints(scope, services, { ...json, keyInQuery, dialect: dialect.id });
      if (dialect.id === "interactions") {
        const read = withCachedContent(services, readInteractionTurn(services, dialect));
        chatRoutes(scope, services, dialect, { read });
        interactionRoutes(scope, services);
      } else nativeRoutes(scope, services, dialects[dialect.id]);
    });
  }
  void app.register(async (scope) => helloRoutes(scope));
  void app.register(async (scope) => {
    encodeErrors(scope, services, dialects["openai-chat"]);
    await socketRoutes(scope, services);
  });
  void app.register(async (scope) => {
    encodeSharedErrors(scope, services);
    guardEndpoints(scope, services, { memoryFor: () => 0 });
    accountRoutes(scope, services);
  });
  void app.register(async (scope) => {
    encodeSharedErrors(scope, services);
    acceptJson(scope, readings["openai-chat"], before);
    guardEndpoints(scope, services, json);
    plainRoutes(scope, services);
    responseRoutes(scope, services);
    compactRoutes(scope, services);
    webSearchRoutes(scope, services);
    realtimeSecretRoutes(scope, services);
    conversationRoutes(scope, services);
    modelRoutes(scope, services);
    creditRoutes(scope, services);
    usageRoutes(scope, services);
    quoteRoutes(scope);
  });
  const tasks: [ErrorShape, typeof taskRoutes][] = [
    [taskErrors, taskRoutes],
    [midjourneyErrors, midjourneyRoutes],
  ];
  for (const [shape, routes] of tasks) {
    void app.register(async (scope) => {
      encodeErrors(scope, services, shape);
      acceptJson(scope, readings["openai-chat"]);
      guardEndpoints(scope, services, json);
      routes(scope, services);
    });
  }
  mcpRoutes(app, services);
  nothingElse(app, served);
}

/** Registers the routes of a dialect that providers speak, too. */
function nativeRoutes(scope: FastifyInstance, services: GatewayServices, dialect: Dialect): void {
  const read = readerOf(services, dialect);
  const actions: ChatActions = new Map([
    ["countTokens", (request, reply) => answerCount(services, dialect, read, request, reply)],
    ["embedContent", (request, reply) => answerEmbed(services, false, request, reply)],
    ["batchEmbedContents", (request, reply) => answerEmbed(services, true, request, reply)],
  ]);
  chatRoutes(scope, services, dialect, { read, actions });
  countRoutes(scope, services, dialect, read);
  ownModelRoutes(scope, services, dialect.id);
  if (dialect.id === "gemini") cachedContentRoutes(scope, services, dialect);
}

/** Returns the reader of a dialect's chat calls. */
function readerOf(services: GatewayServices, dialect: Dialect): ReadTurn {
  if (dialect.id === "openai-responses") return readResponseTurn(services, dialect);
  if (dialect.id === "anthropic") return readMessagesTurn(services, dialect);
  return dialect.id === "gemini" ? withCachedContent(services, readTurn(dialect)) : readTurn(dialect);
}

/** Records paths without parameters, and their methods. */
function rememberRoutes(app: FastifyInstance): Map<string, Set<string>> {
  const served = new Map<string, Set<string>>();
  app.addHook("onRoute", ({ url, method }) => {
    if (/[:*]/.test(url)) return;
    const known = served.get(url) ?? new Set();
    for (const name of [method].flat()) known.add(name);
    served.set(url, known);
  });
  return served;
}

/** Registers the responses for unknown paths, in the client's dialect. */
function nothingElse(app: FastifyInstance, served: ReadonlyMap<string, ReadonlySet<string>>): void {
  void app.register(async (scope) => {
    scope.setErrorHandler((error: FastifyError | GatewayError, request, reply) =>
      answerError(shapeFor(request, shapeOf(request.url) ?? dialects["openai-chat"]), error, request, reply),
    );
    for (const prefix of [...prefixes, ...taskPrefixes, ...midjourneyPrefixes]) {
      scope.route({
        method: [...methods],
        url: `${prefix}/*`,
        config: { open: true },
        handler: async (request, reply) => {
          const path = request.url.split("?")[0] ?? "";
          const { method } = request;
          const others = served.get(path.replace(/\/$/, ""));
          if (others === undefined) throw notFound({ reason: "route_not_served", method, path });
          void reply.header("allow", [...others].join(", "));
          throw new GatewayError("method_not_allowed", { method, path });
        },
      });
    }
    // Anthropic's batches would belong to one provider's account. The error tells clients that they are not
    // offered.
    for (const url of ["/v1/messages/batches", "/v1/messages/batches/*"])
      scope.route({
        method: [...methods],
        url,
        config: { open: true },
        handler: async () => {
          throw notFound({ reason: "batches_not_served" });
        },
      });
  });
}

/** Answers the question that browsers ask before a cross-origin call. */
function allowBrowsers(app: FastifyInstance): void {
  for (const prefix of [...prefixes, ...taskPrefixes, ...midjourneyPrefixes]) {
    app.options(`${prefix}/*`, (_request, reply) =>
      reply
        .code(204)
        .headers({
          "access-control-allow-methods": "GET, POST, PUT, PATCH, DELETE, OPTIONS",
          "access-control-allow-headers": "*, Authorization",
          "access-control-max-age": "86400",
        })
        .send(),
    );
  }
}

/** Counts error responses, also to requests that never became calls. */
function countErrors(app: FastifyInstance, services: GatewayServices): void {
  app.addHook("onError", (_request, _reply, error, done) => {
    const { code, params } = toGatewayError(error);
    const { reason } = params as { reason?: unknown };
    services.relay.metrics.errorResponse(code, typeof reason === "string" ? reason : "");
    done();
  });
}

/** Sets the header in which Anthropic's clients look for the request id. */
function nameRequestId(scope: FastifyInstance): void {
  scope.addHook("onRequest", (request, _reply, done) => {
    request.head["request-id"] = request.id;
    done();
  });
}

/** Some of the scope's paths belong to several dialects; the others are OpenAI's. */
function encodeSharedErrors(scope: FastifyInstance, services: GatewayServices): void {
  scope.setErrorHandler((error: FastifyError | GatewayError, request, reply) =>
    answerError(sharedShape(request, dialects["openai-chat"]), error, request, reply, services),
  );
}

function encodeErrors(scope: FastifyInstance, services: GatewayServices, shape: ErrorShape): void {
  scope.setErrorHandler((error: FastifyError | GatewayError, request, reply) =>
    answerError(shape, error, request, reply, services),
  );
}
