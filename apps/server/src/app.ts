import { randomUUIDv7 } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { mayEnter } from "@gateway/shared/accounts/roles";
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
  LogController,
  type onRequestHookHandler,
} from "fastify";
import { answerFailure } from "#console/failures.ts";
import { stateRoutes } from "#console/site/state.ts";
import { findByAccessToken, permissionsOf } from "#domain/accounts/users.ts";
import { GatewayError, shuttingDown } from "#errors.ts";
import { answerSeveralHosts, answerUnroutable } from "#gateway/http/answer-error.ts";
import { requestIdHeaders, securityHeaders } from "#gateway/http/answer-headers.ts";
import { answerMalformedRequest } from "#gateway/http/client-errors.ts";
import { LazyLogger } from "#gateway/http/lazy-logger.ts";
import { hasSeveralHosts, standardUrl } from "#gateway/http/request-url.ts";
import { wantsSocket } from "#gateway/http/sockets.ts";
import { gatewayRoutes } from "#gateway/index.ts";
import type { GatewayServices } from "#gateway/services.ts";
import type { Activity } from "#platform/activity.ts";
import type { Database } from "#platform/database/db.ts";
import type { OpenResponses } from "#platform/http/open-responses.ts";
import type { Metrics } from "#platform/metrics/metrics.ts";
import type { Readiness } from "#platform/readiness.ts";
import type { Secrets } from "#platform/secrets.ts";

/** Builds the server: registers every plugin explicitly, in order. */
export interface AppOptions {
  logger: FastifyBaseLogger;
  /** Without leading and trailing slashes. */
  basePath: string;
  /** "" = trust no proxy; else as documented at `proxies`. */
  trustProxy: string;
  database: Database;
  secrets: Secrets;
  readiness: Readiness;
  responses: OpenResponses;
  gateway: GatewayServices;
  metrics: Metrics;
  activity: Pick<Activity, "touch">;
  /** Loads the console and the site. Called with the first request for them. */
  openSite(basics: SiteBasics): Promise<FastifyInstance>;
}

/** Options that the app of the site shares with the server that hands its requests over. */
export interface SiteBasics extends Pick<
  FastifyServerOptions,
  "loggerInstance" | "logController" | "genReqId" | "trustProxy" | "frameworkErrors" | "routerOptions"
> {}

export async function buildApp(options: AppOptions): Promise<FastifyInstance> {
  const { metrics } = options;
  const basics = {
    loggerInstance: options.logger,
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: options.trustProxy === "" ? false : proxies(options.trustProxy),
    frameworkErrors: answerUnroutable,
    // A client whose base URL ends in "/" requests "//v1/…".
    routerOptions: { ignoreTrailingSlash: true, ignoreDuplicateSlashes: true, maxParamLength: 300 },
  };
  const app = fastify({
    ...basics,
    childLoggerFactory: (logger, bindings, given) => new LazyLogger(logger, bindings, given),
    // Time-ordered ids, so that the log's index grows only at its end and inserts stay equally fast.
    genReqId: () => randomUUIDv7(),
    // Some HTTP libraries offer another protocol with every request. Those are normal requests.
    http: { shouldUpgradeCallback: wantsSocket, ServerResponse: options.responses.Response },
    clientErrorHandler: answerMalformedRequest,
    rewriteUrl: (request) => standardUrl(request, options.basePath),
    // Cuts slow senders. Long responses have their own timeouts.
    requestTimeout: 300_000,
    keepAliveTimeout: 75_000,
    forceCloseConnections: "idle",
    // A request that comes on an open connection after the node began to stop is served like any other.
    return503OnClosing: false,
  });
  trackResponses(app, options.responses);
  app.addHook("onRequest", (request, reply, done) => {
    if (hasSeveralHosts(request.raw)) answerSeveralHosts(request, reply);
    else done();
  });
  // Bodies are read only if a scope defines how, so a path without a handler costs no more than its headers.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_request, _payload, done) => done(null));

  const touch: onRequestHookHandler = (_request, _reply, done) => {
    options.activity.touch();
    done();
  };
  const root = options.basePath === "" ? "" : `/${options.basePath}`;
  // Below the base path, where the console points apps, and at the root for proxies that pass /v1 unchanged.
  for (const prefix of new Set(["", root]))
    await app.register(
      async (scope) => {
        scope.addHook("onRequest", touch);
        gatewayRoutes(scope, options.gateway);
      },
      { prefix },
    );
  // What monitoring requests is answered without loading the console, and does not end the rest of a node.
  await app.register(async (scope) => {
    scope.addHook("onRequest", (request, reply, done) => {
      nameRequest(request, reply);
      for (const [name, value] of Object.entries(securityHeaders)) reply.raw.setHeader(name, value);
      done();
    });
    countAnswers(scope, metrics);
    await scope.register(async (state) => stateRoutes(state, options), { prefix: `${root}/api` });
    metricsRoute(scope, options, root);
  });
  await app.register(async (scope) => {
    scope.addHook("onRequest", touch);
    handOver(scope, (basicsOfSite) => options.openSite(basicsOfSite), basics);
  });
  // The last of these hooks: the port is closed right after it.
  await app.register(async (scope) =>
    scope.addHook("preClose", () => options.responses.beforePortCloses(app.server)),
  );
  return app;
}

/** Sets the headers with the request's id. The gateway's scopes write theirs with the head of the response. */
function nameRequest(request: FastifyRequest, reply: FastifyReply): void {
  for (const [name, value] of Object.entries(requestIdHeaders(request))) reply.raw.setHeader(name, value);
}

/** Counts the answers of the management API in the metrics. */
export function countAnswers(scope: FastifyInstance, metrics: Pick<Metrics, "consoleAnswer">): void {
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
}

/**
 * Hands every request that no other scope serves over to the app of the console and the site. That app is
 * loaded with the first of them: it is most of the program, and a node may serve calls only.
 */
function handOver(scope: FastifyInstance, open: AppOptions["openSite"], basics: SiteBasics): void {
  const ids = new WeakMap<IncomingMessage, string>();
  let isClosed = false;
  let site: Promise<FastifyInstance> | undefined;
  const load = () =>
    (site ??= open({ ...basics, genReqId: (raw) => ids.get(raw) ?? randomUUIDv7() }).catch(
      (error: unknown) => {
        site = undefined;
        throw error;
      },
    ));
  scope.addHook("onRequest", (request, reply) => {
    ids.set(request.raw, request.id);
    nameRequest(request, reply);
    if (isClosed) {
      void answerFailure(shuttingDown(), request, reply).then((failure) => reply.send(failure));
      return;
    }
    // Before anything reads the body.
    reply.hijack();
    load().then(
      (opened) => opened.routing(request.raw, reply.raw),
      (error: unknown) => {
        request.log.error({ err: error }, "the console could not be loaded");
        reply.raw.writeHead(503, { "retry-after": "5", connection: "close" }).end();
      },
    );
  });
  scope.setNotFoundHandler(() => undefined);
  // Before the server waits for its connections: streams of the console end first.
  scope.addHook("preClose", async () => {
    isClosed = true;
    await (await site?.catch(() => undefined))?.close();
  });
}

/**
 * Tracks requests that are being answered. Once the node stops and all are over, closes the other connections:
 * those that clients open ahead of their next request would keep the process alive until the header timeout.
 */
function trackResponses(app: FastifyInstance, responses: OpenResponses): void {
  app.addHook("onRequest", ({ raw }, reply, done) => {
    // The response of an upgraded connection never closes.
    responses.add(raw.headers.upgrade !== undefined && wantsSocket(raw) ? raw.socket : reply.raw);
    const pending = responses.pending();
    if (pending === undefined) done();
    else void pending.then(() => done());
  });
  app.addHook("preClose", async () => {
    responses.closeConnections();
    responses.onIdle(() => app.server.closeAllConnections());
  });
}

/**
 * Serves metrics to Prometheus, with an administrator's access token as bearer or as the password of basic
 * auth.
 */
function metricsRoute(
  app: FastifyInstance,
  { database, secrets, metrics, gateway }: Pick<AppOptions, "database" | "secrets" | "metrics" | "gateway">,
  root: string,
): void {
  /** Hash of the last token that was accepted, which a wrong one from the same address must not lock out. */
  let accepted: string | undefined;
  const answer = async (request: FastifyRequest, reply: FastifyReply) => {
    const token = accessTokenIn(request.headers.authorization ?? "");
    const hash = Buffer.from(secrets.hash(token)).toString("hex");
    try {
      // A wrong token costs a query of the database.
      if (hash !== accepted) gateway.failedKeys.require(request.ip);
    } catch (error) {
      const seconds = error instanceof GatewayError ? (error.retryAfter ?? 1) : 1;
      return reply.code(429).header("retry-after", String(seconds)).send("Too many wrong access tokens.\n");
    }
    const user = await findByAccessToken(database.db, secrets, token);
    if (user === null || !mayEnter({ role: user.role, permissions: permissionsOf(user) }, "analytics")) {
      if (token !== "") gateway.failedKeys.note(request.ip);
      return reply
        .code(401)
        .header("www-authenticate", "Bearer")
        .send("An administrator's access token is needed.\n");
    }
    accepted = hash;
    return reply.type(metrics.contentType).send(await metrics.text());
  };
  app.get("/metrics", answer);
  // Path that other gateways of this kind use.
  app.get(`${root}/api/metrics`, answer);
}

function accessTokenIn(authorization: string): string {
  const basic = /^Basic\s+(\S+)$/i.exec(authorization)?.[1];
  if (basic === undefined) return authorization.replace(/^Bearer\s+/i, "");
  const pair = Buffer.from(basic, "base64").toString();
  return pair.slice(pair.indexOf(":") + 1);
}

/** Accepts "true", a number of hops, or a list of addresses. */
function proxies(text: string): true | string[] | ((address: string, hop: number) => boolean) {
  if (text === "true") return true;
  if (/^\d+$/.test(text)) return (_address, hop) => hop < Number(text);
  return text.split(",").map((entry) => entry.trim());
}
