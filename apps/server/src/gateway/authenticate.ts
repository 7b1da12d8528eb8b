import type { FastifyRequest } from "fastify";
import type { Caller, Pin } from "#domain/tokens/callers.ts";
import { requireUsable } from "#domain/tokens/scope.ts";
import { GatewayError } from "#errors.ts";
import { now } from "#platform/clock.ts";
import type { GatewayServices } from "./services.ts";

export interface Authenticated {
  caller: Caller;
  pin: Pin | undefined;
}

/**
 * Returns the key from any place where a dialect's client puts it. Dialect headers precede `authorization`,
 * where some clients also send a credential of another service. A key in the URL ends up in logs and links,
 * so it is accepted only from clients that know no other place.
 */
function presentedKey({ headers, query }: FastifyRequest, inQuery: boolean): string {
  const { authorization, "x-api-key": anthropic, "x-goog-api-key": google, "api-key": azure } = headers;
  const key = inQuery ? (query as { key?: unknown }).key : undefined;
  for (const given of [anthropic, google, azure, headers["mj-api-secret"], key, authorization])
    if (typeof given === "string" && given !== "") return given;
  // Browsers cannot set headers on a WebSocket. OpenAI's client puts the key into the subprotocols.
  const protocols = headers["sec-websocket-protocol"]?.split(",") ?? [];
  const carried = protocols
    .map((name) => name.trim())
    .find((name) => name.startsWith("openai-insecure-api-key."));
  if (carried !== undefined) return carried.slice("openai-insecure-api-key.".length);
  throw new GatewayError("invalid_api_key", { reason: "api_key_missing" });
}

/**
 * Identifies the caller. Requires an enabled token of an enabled account, and an allowed address. A promise only
 * where the key must be looked up.
 */
export function authenticate(
  services: Pick<GatewayServices, "callers" | "failedKeys">,
  request: FastifyRequest,
  keyInQuery = false,
): Authenticated | Promise<Authenticated> {
  const presented = presentedKey(request, keyInQuery);
  const known = services.callers.known(presented);
  if (known === undefined) return lookUp(services, request, presented);
  requireUsable(known, request.ip, now());
  return { caller: known, pin: undefined };
}

async function lookUp(
  { callers, failedKeys }: Pick<GatewayServices, "callers" | "failedKeys">,
  request: FastifyRequest,
  presented: string,
): Promise<Authenticated> {
  try {
    const found = await callers.find(presented, () => failedKeys.require(request.ip));
    requireUsable(found.caller, request.ip, now());
    return found;
  } catch (error) {
    if (error instanceof GatewayError && error.code === "invalid_api_key") failedKeys.note(request.ip);
    throw error;
  }
}
