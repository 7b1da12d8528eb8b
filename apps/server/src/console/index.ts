import cookie from "@fastify/cookie";
import rateLimit from "@fastify/rate-limit";
import swagger from "@fastify/swagger";
import type { FastifyInstance } from "fastify";
import { serializerCompiler, type ZodTypeProvider } from "fastify-type-provider-zod";
import { accountRoutes } from "./accounts.ts";
import { analyticsRoutes } from "./analytics.ts";
import { auditLogRoutes } from "./audit-log.ts";
import { catalogRoutes } from "./catalog.ts";
import { channelBatchRoutes } from "./channel-batch.ts";
import { channelHealthRoutes } from "./channel-health.ts";
import { channelRunRoutes } from "./channel-runs.ts";
import { channelTagRoutes } from "./channel-tags.ts";
import { channelRoutes } from "./channels.ts";
import { speakOneHub } from "./compat/index.ts";
import { olderPaths } from "./compat/older-paths.ts";
import { describeCompat, describeVersion2 } from "./compat/openapi.ts";
import { emailRoutes } from "./email.ts";
import { explainRoutes } from "./explain.ts";
import { answerFailure, answerNotFound } from "./failures.ts";
import { groupRoutes } from "./groups.ts";
import { guardRoute } from "./guards.ts";
import { iconRoutes } from "./icons.ts";
import { logBodyRoutes } from "./log-bodies.ts";
import { logRoutes } from "./logs.ts";
import { modelInfoRoutes } from "./model-info.ts";
import { moneyAuditRoutes } from "./money-audit.ts";
import { noticeRoutes } from "./notices.ts";
import { orderRoutes } from "./orders.ts";
import { ownerRoutes } from "./owners.ts";
import { passkeyRoutes } from "./passkeys.ts";
import { passwordResetRoutes } from "./password-reset.ts";
import { paymentNoticeRoutes } from "./payment-notices.ts";
import { paymentRoutes } from "./payments.ts";
import { priceRoutes } from "./prices.ts";
import { profileRoutes } from "./profile.ts";
import { rateLimits } from "./rate-limits.ts";
import { redemptionRoutes } from "./redemptions.ts";
import { registrationRoutes } from "./registration.ts";
import { readJsonBodies } from "./request-body.ts";
import { secondFactorRoutes } from "./second-factor.ts";
import type { Services } from "./services.ts";
import { createSessions } from "./session.ts";
import { settingTransferRoutes } from "./settings-transfer.ts";
import { settingRoutes } from "./settings.ts";
import { signInRoutes } from "./sign-in.ts";
import { siteRoutes } from "./site.ts";
import { statementRoutes } from "./statements.ts";
import { taskRoutes } from "./tasks.ts";
import { telegramRoutes } from "./telegram.ts";
import { tokenAdministrationRoutes } from "./token-administration.ts";
import { tokenRoutes } from "./tokens.ts";
import { userSessionRoutes } from "./user-sessions.ts";
import { userRoutes } from "./users.ts";
import { validator } from "./validation.ts";

/**
 * Door 2: the management API under `<base path>/api`, for our console and for scripts. It knows sessions, envelopes
 * and roles; what a route does is decided in the domain. It must never know the gateway's dialects.
 */
export interface ConsoleOptions {
  services: Services;
  /** Without slashes at the ends: "" or "gateway". */
  basePath?: string;
}

export async function consoleRoutes(app: FastifyInstance, options: ConsoleOptions): Promise<void> {
  const root = options.basePath === undefined || options.basePath === "" ? "" : `/${options.basePath}`;
  await app.register((scope) => openConsole(scope, options.services, root), { prefix: `${root}/api` });
}

async function openConsole(scope: FastifyInstance, services: Services, root: string): Promise<void> {
  const app = scope.withTypeProvider<ZodTypeProvider>();
  const sessions = createSessions(services, root === "" ? "/" : root);
  app.setValidatorCompiler(validator);
  app.setSerializerCompiler(serializerCompiler);
  app.setErrorHandler(answerFailure);
  app.decorateRequest("viewer", null);
  speakOneHub(app, services);
  readJsonBodies(app);

  await app.register(cookie);
  await app.register(rateLimit, rateLimits(services, sessions));
  const document = (title: string, description: string) => ({
    openapi: { openapi: "3.1.0", info: { title, description, version: services.version } },
  });
  await app.register(swagger, {
    ...document(
      "Management API, version 2",
      "For callers that send `Api-Version: 2`. Without it, see /api/openapi-compat.json.",
    ),
    transform: describeVersion2,
  });
  await app.register(swagger, {
    ...document(
      "Management API, compatibility mode",
      "For callers that do not send `Api-Version: 2`: One Hub's formats. Refusals are sent with status 200; the true status is in the `Api-Status` header.",
    ),
    transform: describeCompat(app.prefix),
    decorator: "swaggerCompat",
  });
  // Answers hold balances, keys and codes; routes whose answer may be kept say so themselves.
  app.addHook("onRequest", async (_request, reply) => {
    void reply.header("cache-control", "no-store");
  });
  // After the rate limiter, so that a flood is refused before the database is asked who it is.
  app.addHook("onRoute", (route) => guardRoute(route, services, sessions));
  // Who has just changed something can use it on this node as soon as the answer is there.
  app.addHook("preSerialization", async (request, reply, payload) => {
    if (request.method !== "GET" && reply.statusCode < 400) await services.caughtUp();
    return payload;
  });
  app.setNotFoundHandler({ preHandler: app.rateLimit() }, answerNotFound);

  siteRoutes(app, services);
  accountRoutes(app, services, sessions);
  registrationRoutes(app, services, sessions);
  emailRoutes(app, services);
  passwordResetRoutes(app, services, root);
  signInRoutes(app, services, sessions, root);
  passkeyRoutes(app, services, sessions);
  profileRoutes(app, services);
  secondFactorRoutes(app, services);
  catalogRoutes(app, services);
  priceRoutes(app, services);
  moneyAuditRoutes(app, services);
  ownerRoutes(app, services);
  iconRoutes(app, services);
  modelInfoRoutes(app, services);
  groupRoutes(app, services);
  redemptionRoutes(app, services);
  paymentRoutes(app, services, root);
  orderRoutes(app, services, root);
  await paymentNoticeRoutes(app, services, root);
  tokenRoutes(app, services);
  tokenAdministrationRoutes(app, services);
  logRoutes(app, services);
  logBodyRoutes(app, services);
  taskRoutes(app, services);
  explainRoutes(app, services);
  analyticsRoutes(app, services);
  statementRoutes(app, services);
  channelRoutes(app, services);
  channelHealthRoutes(app, services);
  channelBatchRoutes(app, services);
  channelRunRoutes(app, services);
  channelTagRoutes(app, services);
  userRoutes(app, services);
  userSessionRoutes(app, services);
  settingRoutes(app, services);
  settingTransferRoutes(app, services);
  noticeRoutes(app, services);
  telegramRoutes(app, services);
  auditLogRoutes(app, services);
  olderPaths(app, services);
}
