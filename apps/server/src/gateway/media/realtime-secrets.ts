import { randomBytes } from "node:crypto";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { z } from "zod";
import { parseAt } from "#dialects/wire.ts";
import { resolveModel } from "#domain/settings/model-lists.ts";
import { requireUsable } from "#domain/tokens/callers.ts";
import {
  createRealtimeSecret,
  findRealtimeSecret,
  type RealtimeSecret,
  secretPrefix,
} from "#domain/tokens/realtime-secrets.ts";
import { forbidden, GatewayError, invalidRequest } from "#errors.ts";
import { accessOf } from "#gateway/access/access.ts";
import { type AuthenticatedCaller, presentedKeys } from "#gateway/access/endpoint.ts";
import { jsonBody } from "#gateway/body/json-body.ts";
import { requireStorable } from "#gateway/body/storable.ts";
import type { GatewayServices } from "#gateway/services.ts";
import { now } from "#platform/clock.ts";
import { requireModel } from "#relay/core/routing/plan.ts";

/** `POST /v1/realtime/client_secrets`: https://platform.openai.com/docs/api-reference/realtime-sessions, read 2026-11-28. */
const PATH = "/v1/realtime/client_secrets";
/** Lifetime in seconds, as at OpenAI. */
const lifetime = { least: 10, usual: 600, most: 7_200 };
/** Characters of a session's settings. */
const MOST_SESSION = 32_768;

const secretRequest = z.looseObject({
  expires_after: z
    .looseObject({ seconds: z.int().min(lifetime.least).max(lifetime.most).nullish() })
    .nullish(),
  session: z.looseObject({ type: z.string().nullish(), model: z.string().min(1).max(160) }),
});

export function realtimeSecretRoutes(app: FastifyInstance, services: GatewayServices): void {
  app.post(PATH, async (request, reply) => {
    const { caller, pin } = accessOf(request);
    if (pin !== undefined) throw invalidRequest({ reason: "pin_not_for_secret" });
    // It would have the rights of the token.
    if (caller.derived !== undefined) throw forbidden({ reason: "derived_key_makes_no_secret" });
    const { expires_after: expires, session } = parseAt(secretRequest, jsonBody(request).body, "");
    if (session.type !== undefined && session.type !== null && session.type !== "realtime")
      throw invalidRequest({ reason: "realtime_sessions_only" }, { param: "session.type" });
    if (JSON.stringify(session).length > MOST_SESSION)
      throw invalidRequest({ reason: "session_too_long", most: MOST_SESSION }, { param: "session" });
    requireStorable(session, "session");
    const model = resolveModel(services.relay.settings, session.model);
    requireModel({ caller, model });
    const at = now();
    const seconds = expires?.seconds ?? lifetime.usual;
    const { tokenId, keyHash: madeWith } = caller;
    const made: RealtimeSecret = { tokenId, madeWith, model: session.model, session };
    const value = await createRealtimeSecret(services.db, services.secrets, made, {
      at,
      expiresAt: at + seconds * 1_000,
    });
    const id = `sess_${randomBytes(12).toString("hex")}`;
    return reply.send({
      value,
      expires_at: Math.floor(at / 1_000) + seconds,
      session: { ...session, id, type: "realtime", object: "realtime.session" },
    });
  });
}

/** What the key of a request was made for. */
const opened = new WeakMap<FastifyRequest, RealtimeSecret>();

/** Returns what the key of a request was made for; undefined for a request with a token. */
export function realtimeSecretOf(request: FastifyRequest): RealtimeSecret | undefined {
  return opened.get(request);
}

/**
 * Identifies the caller by a key that was made for one session; undefined for a request without one. Throws
 * `invalid_api_key`, and why the key's token may not be used.
 */
export async function identifyBySecret(
  services: GatewayServices,
  request: FastifyRequest,
): Promise<AuthenticatedCaller | undefined> {
  const secret = presentedKeys(request, false)
    .map((key) => key.replace(/^Bearer\s+/i, ""))
    .find((key) => key.startsWith(secretPrefix));
  if (secret === undefined) return undefined;
  services.failedKeys.require(request.ip);
  try {
    const found = await findRealtimeSecret(services.db, services.secrets, secret, now());
    opened.set(request, found);
    return await callerOfSecret(services, request, found);
  } catch (error) {
    if (error instanceof GatewayError && error.code === "invalid_api_key")
      services.failedKeys.note(request.ip);
    throw error;
  }
}

/** Returns the caller whose token a key was made with. Throws why the token may not be used. */
export async function callerOfSecret(
  services: Pick<GatewayServices, "callers">,
  request: FastifyRequest,
  { tokenId, madeWith }: RealtimeSecret,
): Promise<AuthenticatedCaller> {
  const caller = await services.callers.findById(tokenId, madeWith);
  requireUsable(caller, request.ip, now());
  return { caller, pin: undefined };
}
