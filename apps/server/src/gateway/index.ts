import type { FastifyError, FastifyInstance } from "fastify";
import type { Dialect } from "#dialects/dialect.ts";
import { dialects } from "#dialects/index.ts";
import { GatewayError } from "#errors.ts";
import { accountRoutes } from "./account.ts";
import { chatDialects, chatRoutes } from "./chat.ts";
import { compactRoutes } from "./compact.ts";
import { conversationRoutes } from "./conversations.ts";
import { creditRoutes } from "./credit.ts";
import { acceptJson, BODY_LIMIT } from "./json-body.ts";
import { midjourneyErrors, midjourneyPrefixes, midjourneyRoutes } from "./midjourney.ts";
import { modelRoutes, ownModelRoutes } from "./models.ts";
import { isOurFault, nameError } from "./name-error.ts";
import { guardDoor } from "./native-door.ts";
import { plainRoutes } from "./plain.ts";
import { realtimeRoutes } from "./realtime.ts";
import { responseRoutes } from "./responses.ts";
import type { GatewayServices } from "./services.ts";
import { taskErrors, taskRoutes } from "./tasks.ts";

/**
 * The door for AI clients: one scope per dialect, each with its own way to say what went wrong. Knows nothing of the
 * console.
 */

const prefixes = ["/v1", "/v1beta", "/claude", "/gemini", "/dashboard", "/recraftAI"];
const taskPrefixes = ["/suno", "/kling"];

export function gatewayRoutes(app: FastifyInstance, services: GatewayServices): void {
  allowBrowsers(app);
  for (const dialect of chatDialects) {
    void app.register(async (scope) => {
      spellErrors(scope, dialect);
      acceptJson(scope);
      guardDoor(scope, services, dialect.id);
      chatRoutes(scope, services, dialect);
      ownModelRoutes(scope, services, dialect.id);
    });
  }
  void app.register(async (scope) => {
    spellErrors(scope, dialects["openai-chat"]);
    await realtimeRoutes(scope, services);
  });
  void app.register(async (scope) => {
    spellErrors(scope, dialects["openai-chat"]);
    accountRoutes(scope, services);
  });
  void app.register(async (scope) => {
    spellErrors(scope, dialects["openai-chat"]);
    acceptJson(scope);
    plainRoutes(scope, services);
    responseRoutes(scope, services);
    compactRoutes(scope, services);
    conversationRoutes(scope, services);
    modelRoutes(scope, services);
    creditRoutes(scope, services);
    nothingElse(scope, prefixes);
  });
  void app.register(async (scope) => {
    spellErrors(scope, taskErrors);
    acceptJson(scope);
    taskRoutes(scope, services);
    nothingElse(scope, taskPrefixes);
  });
  void app.register(async (scope) => {
    spellErrors(scope, midjourneyErrors);
    acceptJson(scope);
    midjourneyRoutes(scope, services);
    nothingElse(scope, midjourneyPrefixes);
  });
}

/** What is not there is said in the words of those who look for it. */
function nothingElse(scope: FastifyInstance, below: readonly string[]): void {
  for (const prefix of below) {
    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"] as const) {
      scope.route({
        method,
        url: `${prefix}/*`,
        handler: async (request) => {
          const address = `${request.method} ${request.url.split("?")[0]}`;
          throw new GatewayError("not_found", `This gateway does not serve ${address}.`);
        },
      });
    }
  }
}

export const gatewayBodyLimit = BODY_LIMIT;

/** Chat apps in a browser call from anywhere; they bring a key, never a cookie. */
function allowBrowsers(app: FastifyInstance): void {
  app.addHook("onRequest", async (_request, reply) => {
    reply.raw.setHeader("access-control-allow-origin", "*");
    reply.raw.setHeader("access-control-expose-headers", "*");
  });
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

function spellErrors(scope: FastifyInstance, dialect: Pick<Dialect, "encodeError">): void {
  scope.setErrorHandler((error: FastifyError | GatewayError, request, reply) => {
    const named = nameError(error);
    if (isOurFault(named)) request.log.error({ err: error }, "call failed");
    else request.log.debug({ code: named.code, message: named.message }, "call refused");
    const { status, body } = dialect.encodeError(named, request.id);
    if (named.headers !== undefined) void reply.headers(named.headers);
    if (named.retryAfter !== undefined) void reply.header("retry-after", String(Math.ceil(named.retryAfter)));
    return reply.code(status).send(body);
  });
}
