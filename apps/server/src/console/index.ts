import cookie from "@fastify/cookie";
import rateLimit from "@fastify/rate-limit";
import swagger from "@fastify/swagger";
import type { FastifyInstance } from "fastify";
import { serializerCompiler, type ZodTypeProvider } from "fastify-type-provider-zod";
import type { z } from "zod";
import { createModelHealthCache } from "#domain/model-health/model-health.ts";
import { accountRoutes } from "./accounts/accounts.ts";
import { budgetRoutes } from "./accounts/budgets.ts";
import { deviceSignInRoutes } from "./accounts/device-sign-in.ts";
import { deviceRoutes } from "./accounts/devices.ts";
import { emailRoutes } from "./accounts/email.ts";
import { groupRoutes } from "./accounts/groups.ts";
import { passkeyRoutes } from "./accounts/passkeys.ts";
import { passwordResetRoutes } from "./accounts/password-reset.ts";
import { profileRoutes } from "./accounts/profile.ts";
import { registrationRoutes } from "./accounts/registration.ts";
import { secondFactorRoutes } from "./accounts/second-factor.ts";
import { createSessions, type Sessions } from "./accounts/session.ts";
import { signInRoutes } from "./accounts/sign-in.ts";
import { derivedKeyRoutes } from "./accounts/tokens/derived-keys.ts";
import { tokenAdministrationRoutes } from "./accounts/tokens/token-administration.ts";
import { tokenRoutes } from "./accounts/tokens/tokens.ts";
import { userSessionRoutes } from "./accounts/user-sessions.ts";
import { userRoutes } from "./accounts/users.ts";
import type { ConsoleApp } from "./answer.ts";
import { explainRoutes } from "./billing/explain.ts";
import { moneyAuditRoutes } from "./billing/money-audit.ts";
import { orderRoutes } from "./billing/orders.ts";
import { paymentNoticeRoutes } from "./billing/payment-notices.ts";
import { paymentRoutes } from "./billing/payments.ts";
import { priceRoutes } from "./billing/prices.ts";
import { redemptionRoutes } from "./billing/redemptions.ts";
import { statementRoutes } from "./billing/statements.ts";
import { channelBatchRoutes } from "./channels/channel-batch.ts";
import { channelHealthRoutes } from "./channels/channel-health.ts";
import { channelRunRoutes } from "./channels/channel-runs.ts";
import { channelTagRoutes } from "./channels/channel-tags.ts";
import { channelRoutes } from "./channels/channels.ts";
import { disabledModelRoutes } from "./channels/disabled-models.ts";
import { mcpAdministrationRoutes, usableBundleRoutes } from "./channels/mcp.ts";
import { modelChangeRoutes } from "./channels/model-changes.ts";
import { registerCompatibility } from "./compat/index.ts";
import { registerOneHubPaths } from "./compat/one-hub-paths.ts";
import { describeCompat, describeVersion2 } from "./compat/plugin/openapi.ts";
import { answerFailure, answerNotFound, isDatabaseAway } from "./failures.ts";
import { guardRoute } from "./guards.ts";
import { describeRoutes, securitySchemes } from "./openapi.ts";
import { rateLimits } from "./rate-limits.ts";
import { readJsonBodies } from "./request-body.ts";
import { scimRoutes } from "./scim/scim.ts";
import type { Services } from "./services.ts";
import { catalogRoutes } from "./site/catalog.ts";
import { iconRoutes } from "./site/icons.ts";
import { inboxRoutes } from "./site/inbox.ts";
import { installerRoutes } from "./site/installer-routes.ts";
import { modelHealthRoutes } from "./site/model-health.ts";
import { modelInfoRoutes } from "./site/model-info.ts";
import { noticeRoutes } from "./site/notices.ts";
import { ownerRoutes } from "./site/owners.ts";
import { siteRoutes } from "./site/site.ts";
import { telegramRoutes } from "./site/telegram.ts";
import { auditLogRoutes } from "./system/audit-log.ts";
import { backupRoutes } from "./system/backups.ts";
import { comparisonRoutes } from "./system/comparisons.ts";
import { diagnosticRoutes } from "./system/diagnostics.ts";
import { identityProviderRoutes } from "./system/identity-providers.ts";
import { logExportRoutes } from "./system/log-export.ts";
import { migrationRoutes } from "./system/migration.ts";
import { probeRoutes } from "./system/probe.ts";
import { releaseCheckRoutes } from "./system/release-check.ts";
import { settingTransferRoutes } from "./system/settings-transfer.ts";
import { settingRoutes } from "./system/settings.ts";
import { webSearchRoutes } from "./system/web-search.ts";
import { unknownFieldsIn } from "./unknown-fields.ts";
import { agentSessionRoutes } from "./usage/agent-sessions.ts";
import { analyticsRoutes } from "./usage/analytics.ts";
import { callShareRoutes } from "./usage/call-shares.ts";
import { logBodyRoutes } from "./usage/log-bodies.ts";
import { logRoutes } from "./usage/logs.ts";
import { overviewRoutes } from "./usage/overview.ts";
import { taskRoutes } from "./usage/tasks.ts";
import { validator } from "./validation.ts";

/**
 * The management API under `<base path>/api`, for our console and for scripts. It knows sessions, envelopes
 * and roles. What a route does is decided in the domain. It must never know the gateway's dialects.
 */
export interface ConsoleOptions {
  services: Services;
  /** Without slashes at the ends: "" or "gateway". */
  basePath?: string;
}

export async function consoleRoutes(app: FastifyInstance, options: ConsoleOptions): Promise<void> {
  const root = options.basePath === undefined || options.basePath === "" ? "" : `/${options.basePath}`;
  await app.register((scope) => openConsole(scope, options.services, root), { prefix: `${root}/api` });
  await app.register(async (scope) => scimRoutes(scope, options.services, root), {
    prefix: `${root}/scim/v2`,
  });
  await app.register(async (scope) => installerRoutes(scope, options.services, root));
  await app.register(async (scope) => deviceSignInRoutes(scope, options.services, root));
}

async function openConsole(scope: FastifyInstance, services: Services, root: string): Promise<void> {
  const app = scope.withTypeProvider<ZodTypeProvider>();
  const sessions = createSessions(services, root === "" ? "/" : root);
  app.setValidatorCompiler(validator);
  app.setSerializerCompiler(serializerCompiler);
  app.setErrorHandler(answerFailure);
  app.addHook("onError", async (_request, _reply, error) => {
    if (isDatabaseAway(error)) services.onError(error);
  });
  app.decorateRequest("viewer", null);
  app.decorateRequest("isStillAllowed", async () => true);
  registerCompatibility(app, services);
  readJsonBodies(app);

  await app.register(cookie);
  await app.register(rateLimit, rateLimits(services, sessions));
  const document = (title: string, description: string) => ({
    openapi: {
      openapi: "3.1.0",
      info: { title, description, version: services.version },
      components: { securitySchemes },
    },
  });
  await app.register(swagger, {
    ...document(
      "Management API, version 2",
      "For callers that send `Api-Version: 2`. Without it, see /api/openapi-compat.json.",
    ),
    transform: describeRoutes(app.prefix, describeVersion2),
  });
  await app.register(swagger, {
    ...document(
      "Management API, compatibility mode",
      "For callers that do not send `Api-Version: 2`: One Hub's formats. Refusals are sent with status 200; the true status is in the `Api-Status` header.",
    ),
    transform: describeRoutes(app.prefix, describeCompat(app.prefix)),
    decorator: "swaggerCompat",
  });
  // Responses contain balances, keys and codes. Routes with a cacheable response set their own header.
  app.addHook("onRequest", async (_request, reply) => {
    void reply.header("cache-control", "no-store");
  });
  // After the rate limiter, so that a flood is rejected before the database is queried for the caller.
  app.addHook("onRoute", (route) => guardRoute(route, services, sessions));
  // A caller who has changed something can use it on this node as soon as the response arrives.
  app.addHook("preSerialization", async (request, reply, payload) => {
    if (request.method !== "GET" && reply.statusCode < 400)
      await Promise.all([services.caughtUp(), services.reads.caughtUp()]);
    return payload;
  });
  await app.register(async (nothing) => {
    // The body of a request to an unknown address is not read.
    nothing.removeAllContentTypeParsers();
    nothing.addContentTypeParser("*", (_request, _payload, done) => done(null));
    nothing.setNotFoundHandler({ preHandler: app.rateLimit() }, answerNotFound);
  });

  // In version 2, a body may contain only fields that exist, so that a misspelled one is noticed.
  app.addHook("preValidation", async ({ headers, routeOptions, body }) => {
    const { schema } = routeOptions;
    if (headers["api-version"] !== "2" || schema?.body === undefined) return;
    const fault = unknownFieldsIn(schema.body as z.core.$ZodType, body);
    if (fault !== undefined) throw fault;
  });

  await addRoutes(app, services, sessions, root);
}

async function addRoutes(
  app: ConsoleApp,
  services: Services,
  sessions: Sessions,
  root: string,
): Promise<void> {
  siteRoutes(app, services);
  accountRoutes(app, services, sessions);
  registrationRoutes(app, services, sessions);
  emailRoutes(app, services);
  passwordResetRoutes(app, services, root);
  signInRoutes(app, services, sessions, root);
  passkeyRoutes(app, services, sessions);
  profileRoutes(app, services);
  secondFactorRoutes(app, services);
  const modelHealth = createModelHealthCache(services.pool);
  catalogRoutes(app, services, modelHealth);
  modelHealthRoutes(app, services, modelHealth);
  priceRoutes(app, services);
  moneyAuditRoutes(app, services);
  ownerRoutes(app, services);
  iconRoutes(app, services);
  modelInfoRoutes(app, services);
  groupRoutes(app, services);
  budgetRoutes(app, services);
  redemptionRoutes(app, services);
  paymentRoutes(app, services, root);
  orderRoutes(app, services, root);
  await paymentNoticeRoutes(app, services, root);
  tokenRoutes(app, services);
  derivedKeyRoutes(app, services);
  deviceRoutes(app, services);
  tokenAdministrationRoutes(app, services);
  logRoutes(app, services);
  logBodyRoutes(app, services);
  callShareRoutes(app, services);
  agentSessionRoutes(app, services);
  taskRoutes(app, services);
  explainRoutes(app, services);
  analyticsRoutes(app, services);
  overviewRoutes(app, services);
  statementRoutes(app, services);
  channelRoutes(app, services);
  channelHealthRoutes(app, services);
  channelBatchRoutes(app, services);
  channelRunRoutes(app, services);
  channelTagRoutes(app, services);
  disabledModelRoutes(app, services);
  modelChangeRoutes(app, services);
  mcpAdministrationRoutes(app, services);
  usableBundleRoutes(app, services);
  userRoutes(app, services);
  userSessionRoutes(app, services);
  settingRoutes(app, services);
  logExportRoutes(app, services);
  releaseCheckRoutes(app, services);
  backupRoutes(app, services);
  webSearchRoutes(app, services);
  settingTransferRoutes(app, services);
  identityProviderRoutes(app, services);
  migrationRoutes(app, services);
  comparisonRoutes(app, services);
  diagnosticRoutes(app, services);
  probeRoutes(app, services);
  noticeRoutes(app, services);
  inboxRoutes(app, services);
  telegramRoutes(app, services, root);
  auditLogRoutes(app, services);
  registerOneHubPaths(app, services);
}
