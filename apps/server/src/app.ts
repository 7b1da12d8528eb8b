import { randomUUIDv7 } from "node:crypto";
import compress from "@fastify/compress";
import helmet from "@fastify/helmet";
import { mayEnter } from "@gateway/shared/accounts/roles";
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from "fastify";
import { consoleRoutes } from "#console/index.ts";
import type { Services as ConsoleServices } from "#console/services.ts";
import { findByAccessToken, permissionsOf } from "#domain/accounts/users.ts";
import { answerUnroutable } from "#gateway/answer-error.ts";
import { answerMalformed } from "#gateway/client-errors.ts";
import { gatewayRoutes } from "#gateway/index.ts";
import type { GatewayServices } from "#gateway/services.ts";
import { wantsSocket } from "#gateway/sockets.ts";
import { standardUrl } from "#gateway/standard-url.ts";
import type { Metrics } from "#platform/metrics.ts";
import { serveWeb } from "./web.ts";

/** The table of contents of the server: every plugin, in order, by hand. */
export interface AppOptions {
  logger: FastifyBaseLogger;
  /** Without slashes at the ends. */
  basePath: string;
  /** "" = no one; else what Fastify's trustProxy takes. */
  trustProxy: string;
  console: ConsoleServices;
  gateway: GatewayServices;
  metrics: Metrics;
}

export async function buildApp(options: AppOptions): Promise<FastifyInstance> {
  const { metrics } = options;
  const app = fastify({
    loggerInstance: options.logger,
    logController: new LogController({ disableRequestLogging: true }),
    // In the order of time, so that the index of the log grows at its end and costs the same however large it is.
    genReqId: () => randomUUIDv7(),
    trustProxy: options.trustProxy === "" ? false : proxies(options.trustProxy),
    // Some HTTP libraries offer another protocol with every request; theirs are requests like any other.
    http: { shouldUpgradeCallback: wantsSocket },
    clientErrorHandler: answerMalformed,
    frameworkErrors: answerUnroutable,
    rewriteUrl: ({ url = "/" }) => standardUrl(url, options.basePath),
    // Slow senders are cut; long answers are not, they have time-outs of their own.
    requestTimeout: 300_000,
    keepAliveTimeout: 75_000,
    forceCloseConnections: "idle",
    // A client whose address ends in "/" asks for "//v1/…".
    routerOptions: { ignoreTrailingSlash: true, ignoreDuplicateSlashes: true, maxParamLength: 300 },
  });
  app.addHook("onRequest", (request, reply, done) => {
    reply.raw.setHeader("x-request-id", request.id);
    // The name it has for tools that know other gateways of this kind.
    reply.raw.setHeader("x-oneapi-request-id", request.id);
    done();
  });
  leaveTogether(app);
  // No body is read unless a scope says how: an address without a handler costs no more than its headers.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_request, _payload, done) => done(null));

  // Below the base path, where the console sends people's apps, and at the root for proxies that pass /v1 on as it is.
  for (const prefix of new Set(["", options.basePath && `/${options.basePath}`]))
    await app.register(async (scope) => gatewayRoutes(scope, options.gateway), { prefix });
  await app.register(async (scope) => {
    await scope.register(helmet, {
      contentSecurityPolicy: contentPolicy(options.console),
      crossOriginEmbedderPolicy: false,
      // Whether this host is on https for good is for the proxy in front to say.
      strictTransportSecurity: false,
    });
    await scope.register(compress, { threshold: 1_024 });
    scope.addHook("onResponse", async (request, reply) => {
      // Callers of the compatibility mode are mostly sent 200; what counts is the status that names the outcome.
      const status = Number(reply.getHeader("api-status") ?? reply.statusCode);
      if (!request.url.includes("/api/")) return;
      metrics.consoleAnswer(request.method, status);
      request.log.debug(
        { method: request.method, route: request.routeOptions.url, status },
        "a console answer",
      );
    });
    await consoleRoutes(scope, { services: options.console, basePath: options.basePath });
    metricsRoute(scope, options);
    await serveWeb(scope, options.basePath, options.console.settings);
  });
  return app;
}

/**
 * Lets calls finish when the server closes, and nothing else: a connection that a client opened ahead of its next
 * request would hold the process until the header time-out.
 */
function leaveTogether(app: FastifyInstance): void {
  let inFlight = 0;
  let closing = false;
  const leave = () => {
    if (closing && inFlight === 0) app.server.closeAllConnections();
  };
  app.addHook("onRequest", (_request, reply, done) => {
    inFlight += 1;
    reply.raw.once("close", () => {
      inFlight -= 1;
      leave();
    });
    done();
  });
  app.addHook("preClose", async () => {
    closing = true;
    leave();
  });
}

/** For Prometheus, with the access token of an administrator: as a bearer, or as the password of basic auth. */
function metricsRoute(app: FastifyInstance, { console: services, metrics, basePath }: AppOptions): void {
  const answer = async (request: FastifyRequest, reply: FastifyReply) => {
    const token = accessTokenIn(request.headers.authorization ?? "");
    const user = await findByAccessToken(services.db, services.secrets, token);
    if (user === null || !mayEnter({ role: user.role, permissions: permissionsOf(user) }, "analytics"))
      return reply
        .code(401)
        .header("www-authenticate", "Bearer")
        .send("An administrator's access token is needed.\n");
    return reply.type(metrics.contentType).send(await metrics.text());
  };
  app.get("/metrics", answer);
  // Where other gateways of this kind have it.
  app.get(`${basePath && `/${basePath}`}/api/metrics`, answer);
}

function accessTokenIn(authorization: string): string {
  const basic = /^Basic\s+(\S+)$/i.exec(authorization)?.[1];
  if (basic === undefined) return authorization.replace(/^Bearer\s+/i, "");
  const pair = Buffer.from(basic, "base64").toString();
  return pair.slice(pair.indexOf(":") + 1);
}

/**
 * Everything from here, nothing inline but styles; pictures may come from where an operator's texts say. The check of
 * visitors lives elsewhere, and is let in only while the operator wants it.
 */
function contentPolicy({ settings }: Pick<ConsoleServices, "settings">) {
  const visitorCheck = () =>
    settings.current().TurnstileCheckEnabled ? "https://challenges.cloudflare.com" : "'self'";
  return {
    useDefaults: false,
    directives: {
      defaultSrc: ["'self'"],
      scriptSrc: ["'self'", visitorCheck],
      styleSrc: ["'self'", "'unsafe-inline'"],
      imgSrc: ["'self'", "data:", "blob:", "https:"],
      fontSrc: ["'self'", "data:"],
      connectSrc: ["'self'"],
      // The chat clients and the home page an operator names; both in sandboxed frames.
      frameSrc: ["'self'", "https:", "http:"],
      // Songs and videos stand where their providers keep them.
      mediaSrc: ["'self'", "data:", "blob:", "https:"],
      objectSrc: ["'none'"],
      baseUri: ["'self'"],
      frameAncestors: ["'self'"],
      formAction: ["'self'"],
    },
  };
}

/** "true", a number of hops, or a list of addresses. */
function proxies(text: string): true | string[] | ((address: string, hop: number) => boolean) {
  if (text === "true") return true;
  if (/^\d+$/.test(text)) return (_address, hop) => hop < Number(text);
  return text.split(",").map((entry) => entry.trim());
}
