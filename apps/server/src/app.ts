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

/** Builds the server: registers every plugin explicitly, in order. */
export interface AppOptions {
  logger: FastifyBaseLogger;
  /** Without leading and trailing slashes. */
  basePath: string;
  /** "" = trust no proxy; else as documented at `proxies`. */
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
    // Time-ordered ids, so that the log's index grows only at its end and inserts stay equally fast.
    genReqId: () => randomUUIDv7(),
    trustProxy: options.trustProxy === "" ? false : proxies(options.trustProxy),
    // Some HTTP libraries offer another protocol with every request. Those are normal requests.
    http: { shouldUpgradeCallback: wantsSocket },
    clientErrorHandler: answerMalformed,
    frameworkErrors: answerUnroutable,
    rewriteUrl: ({ url = "/" }) => standardUrl(url, options.basePath),
    // Cuts slow senders. Long responses have their own timeouts.
    requestTimeout: 300_000,
    keepAliveTimeout: 75_000,
    forceCloseConnections: "idle",
    // A client whose base URL ends in "/" requests "//v1/…".
    routerOptions: { ignoreTrailingSlash: true, ignoreDuplicateSlashes: true, maxParamLength: 300 },
  });
  app.addHook("onRequest", (request, reply, done) => {
    reply.raw.setHeader("x-request-id", request.id);
    // Header name that tools for other gateways of this kind use.
    reply.raw.setHeader("x-oneapi-request-id", request.id);
    done();
  });
  leaveTogether(app);
  // Bodies are read only if a scope defines how, so a path without a handler costs no more than its headers.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_request, _payload, done) => done(null));

  // Below the base path, where the console points apps, and at the root for proxies that pass /v1 unchanged.
  for (const prefix of new Set(["", options.basePath && `/${options.basePath}`]))
    await app.register(async (scope) => gatewayRoutes(scope, options.gateway), { prefix });
  await app.register(async (scope) => {
    await scope.register(helmet, {
      contentSecurityPolicy: contentPolicy(options.console),
      crossOriginEmbedderPolicy: false,
      // The proxy in front decides whether this host is permanently on https.
      strictTransportSecurity: false,
    });
    await scope.register(compress, { threshold: 1_024 });
    scope.addHook("onResponse", async (request, reply) => {
      // Callers of the compatibility mode mostly get status 200. The `api-status` header contains the actual
      // status.
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
 * Closes idle connections at shutdown once all calls have ended. Connections that clients open ahead of their
 * next request would keep the process alive until the header timeout.
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

/**
 * Serves metrics to Prometheus, with an administrator's access token as bearer or as the password of basic
 * auth.
 */
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
  // Path that other gateways of this kind use.
  app.get(`${basePath && `/${basePath}`}/api/metrics`, answer);
}

function accessTokenIn(authorization: string): string {
  const basic = /^Basic\s+(\S+)$/i.exec(authorization)?.[1];
  if (basic === undefined) return authorization.replace(/^Bearer\s+/i, "");
  const pair = Buffer.from(basic, "base64").toString();
  return pair.slice(pair.indexOf(":") + 1);
}

/**
 * Allows only resources of this origin, and no inline content except styles. Images may come from URLs in the
 * operator's texts. The visitor check is on another host, which is allowed only while the operator enables
 * it.
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
      // The operator's chat clients and home page, both in sandboxed frames.
      frameSrc: ["'self'", "https:", "http:"],
      // Songs and videos stay on their providers' hosts.
      mediaSrc: ["'self'", "data:", "blob:", "https:"],
      objectSrc: ["'none'"],
      baseUri: ["'self'"],
      frameAncestors: ["'self'"],
      formAction: ["'self'"],
    },
  };
}

/** Accepts "true", a number of hops, or a list of addresses. */
function proxies(text: string): true | string[] | ((address: string, hop: number) => boolean) {
  if (text === "true") return true;
  if (/^\d+$/.test(text)) return (_address, hop) => hop < Number(text);
  return text.split(",").map((entry) => entry.trim());
}
