/**
 * The endpoints of device sign-in for command-line tools (RFC 8628), at the root of the site:
 * `/device/authorization` and `/device/token`. Their bodies and errors are those of the RFC, not the console's.
 */
import { lookupTable } from "@gateway/shared/lookup-table";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { serializerCompiler, type ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import { requireOwnOrigin } from "#console/origin.ts";
import type { Services } from "#console/services.ts";
import { ownAddress } from "#console/site/own-address.ts";
import { pollDeviceSignIn, startDeviceSignIn } from "#domain/tokens/devices.ts";
import { GatewayError } from "#errors.ts";
import { currentTime } from "#platform/clock.ts";
import { networkOf } from "#platform/http/network-of.ts";

const BODY_LIMIT = 8_192;
const GRANT_TYPE = "urn:ietf:params:oauth:grant-type:device_code";
const WINDOW_MS = 600_000;
/** Requests of one address in ten minutes. */
const MOST_SIGN_INS = 30;
const MOST_POLLS = 1_200;

const Failure = z.object({ error: z.string(), error_description: z.string(), code: z.string().optional() });
type Failure = z.infer<typeof Failure>;
const failures = { "4xx": Failure, "5xx": Failure };

/** Shown to the user, so it must not contain characters that are invisible or change the direction of the text. */
const DeviceName = z
  .string()
  .trim()
  .min(1)
  .max(64)
  .regex(/^[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+$/u);

const StartBody = z.object({ device_name: DeviceName.optional(), client_id: DeviceName.optional() });
const PollBody = z.object({ grant_type: z.string().min(1), device_code: z.string().min(1).max(256) });

const Started = z.object({
  device_code: z.string(),
  user_code: z.string(),
  verification_uri: z.string(),
  verification_uri_complete: z.string(),
  expires_in: z.int(),
  interval: z.int(),
});

const Issued = z.object({
  access_token: z.string(),
  token_type: z.literal("Bearer"),
  /** Seconds; absent for a token that does not expire. */
  expires_in: z.int().optional(),
});

const descriptions = lookupTable<string>({
  authorization_pending: "The user has not answered yet.",
  slow_down: "Too many requests. Add five seconds to the interval.",
  access_denied: "The user denied the sign-in, or the account cannot be used.",
  expired_token: "The code has expired. Start again.",
  invalid_grant: "The device code is unknown or was used already.",
  unsupported_grant_type: `The grant type must be ${GRANT_TYPE}.`,
});

/** @param root the base path: "" or "/gateway" */
export function deviceSignInRoutes(scope: FastifyInstance, services: Services, root: string): void {
  const { db, secrets, settings, requestCounts } = services;
  const app = scope.withTypeProvider<ZodTypeProvider>();
  app.setValidatorCompiler(() => (value) => ({ value }));
  app.setSerializerCompiler(serializerCompiler);
  app.setErrorHandler(answerFailure);
  readBodies(app);

  async function admit(request: FastifyRequest, what: string, max: number): Promise<void> {
    requireOwnOrigin(request, "nothing", settings.current().ServerAddress);
    const key = `device ${what} ${networkOf(request.ip)}`;
    const { current, ttl } = await requestCounts.add(key, { max, windowMs: WINDOW_MS });
    if (current <= max) return;
    const reason = "too_many_from_address";
    throw new GatewayError("rate_limit_exceeded", { reason }, { retryAfter: ttl / 1_000 });
  }

  app.post(
    `${root}/device/authorization`,
    {
      config: { access: "anyone" },
      bodyLimit: BODY_LIMIT,
      schema: { summary: "Start the sign-in of a device", response: { 200: Started, ...failures } },
      onRequest: async (request) => admit(request, "authorization", MOST_SIGN_INS),
    },
    async (request, reply) => {
      const body = StartBody.safeParse(request.body);
      const name = body.data?.device_name ?? body.data?.client_id;
      if (name === undefined)
        return refuse(reply, "invalid_request", "device_name is needed: 1 to 64 visible characters.");
      const address = ownAddress(settings.current(), request, root);
      if (address === undefined)
        return refuse(reply, "invalid_request", "The server address of this site is not configured.");
      const started = await startDeviceSignIn(db, secrets, { name, ip: request.ip });
      const page = `${address}/device`;
      return forbidStorage(reply).send({
        device_code: started.deviceCode,
        user_code: started.userCode,
        verification_uri: page,
        verification_uri_complete: `${page}?code=${started.userCode}`,
        expires_in: started.lifeSeconds,
        interval: started.intervalSeconds,
      });
    },
  );

  app.post(
    `${root}/device/token`,
    {
      config: { access: "anyone" },
      bodyLimit: BODY_LIMIT,
      schema: { summary: "Get the token of a device", response: { 200: Issued, ...failures } },
      onRequest: async (request) => admit(request, "token", MOST_POLLS),
    },
    async (request, reply) => {
      const body = PollBody.safeParse(request.body);
      if (!body.success) return refuse(reply, "invalid_request", "grant_type and device_code are needed.");
      if (body.data.grant_type !== GRANT_TYPE) return refuse(reply, "unsupported_grant_type");
      const deviceCode = body.data.device_code;
      const outcome = await pollDeviceSignIn(db, secrets, { deviceCode, ip: request.ip });
      if (typeof outcome === "string") return refuse(reply, outcome);
      // The device may use its key on this node at once.
      await services.caughtUp();
      const expiry = outcome.token.expired_time;
      return forbidStorage(reply).send({
        access_token: outcome.key,
        token_type: "Bearer" as const,
        ...(expiry === null ? {} : { expires_in: secondsUntil(expiry) }),
      });
    },
  );
}

function secondsUntil(time: Date): number {
  return Math.max(0, Math.floor((time.getTime() - currentTime().getTime()) / 1_000));
}

function forbidStorage(reply: FastifyReply): FastifyReply {
  return reply.header("cache-control", "no-store").header("pragma", "no-cache");
}

function refuse(reply: FastifyReply, error: string, description = descriptions[error] ?? ""): FastifyReply {
  return forbidStorage(reply).code(400).send({ error, error_description: description });
}

async function answerFailure(
  error: Error & { statusCode?: number },
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Failure> {
  void forbidStorage(reply);
  if (!(error instanceof GatewayError)) {
    const status = error.statusCode ?? 500;
    void reply.code(status);
    if (status < 500) return { error: "invalid_request", error_description: "The body could not be read." };
    request.log.error({ err: error }, "a device sign-in failed");
    return { error: "server_error", error_description: "Try again later." };
  }
  if (error.retryAfter !== undefined) void reply.header("retry-after", Math.ceil(error.retryAfter));
  void reply.code(error.status);
  const name = error.status === 429 ? "slow_down" : "invalid_request";
  return { error: name, error_description: error.message, code: error.code };
}

/** Reads forms, as the RFC requires, and JSON. A body of another kind counts as none. */
function readBodies(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser("error", "error");
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "string" }, parseJson);
  app.addContentTypeParser<string>(
    "application/x-www-form-urlencoded",
    { parseAs: "string" },
    (_request, text, done) => done(null, formOf(text)),
  );
}

/** Returns undefined if a parameter is repeated, which RFC 6749 forbids. */
function formOf(text: string): Record<string, string> | undefined {
  const entries = [...new URLSearchParams(text)];
  return new Set(entries.map(([name]) => name)).size === entries.length
    ? Object.fromEntries(entries)
    : undefined;
}
