import type { FastifyRequest } from "fastify";
import type { Caller, Pin } from "#domain/tokens/callers.ts";
import { requireUsable } from "#domain/tokens/scope.ts";
import { GatewayError } from "#errors.ts";
import type { GatewayServices } from "#gateway/services.ts";
import { now } from "#platform/clock.ts";

export interface AuthenticatedCaller {
  caller: Caller;
  pin: Pin | undefined;
}

/**
 * Returns the keys from all places where a dialect's client puts one, `authorization` first. Some clients send a
 * credential of another service in one place and the gateway's in another. A key in the URL ends up in logs and
 * links, so it is accepted only from clients that know no other place.
 */
function presentedKeys({ headers, query }: FastifyRequest, inQuery: boolean): string[] {
  const { authorization, "x-api-key": anthropic, "x-goog-api-key": google, "api-key": azure } = headers;
  const inUrl = inQuery ? (query as { key?: unknown }).key : undefined;
  const keys: string[] = [];
  for (const given of [authorization, anthropic, google, azure, headers["mj-api-secret"], inUrl])
    if (typeof given === "string" && given !== "" && !keys.includes(given)) keys.push(given);
  // Browsers cannot set headers on a WebSocket. OpenAI's client puts the key into the subprotocols.
  const protocols = headers["sec-websocket-protocol"]?.split(",") ?? [];
  const carried = protocols
    .map((name) => name.trim())
    .find((name) => name.startsWith("openai-insecure-api-key."));
  if (carried !== undefined) keys.push(carried.slice("openai-insecure-api-key.".length));
  return keys;
}

/**
 * Identifies the caller by the first presented key that this gateway knows. Requires an enabled token of an enabled
 * account, and an allowed address.
 */
export async function authenticate(
  services: Pick<GatewayServices, "callers" | "failedKeys">,
  request: FastifyRequest,
  keyInQuery = false,
): Promise<AuthenticatedCaller> {
  const presented = presentedKeys(request, keyInQuery);
  const [first] = presented;
  if (first === undefined) throw new GatewayError("invalid_api_key", { reason: "api_key_missing" });
  const known = services.callers.known(first);
  if (known === undefined) return lookUp(services, request, presented);
  requireUsable(known, request.ip, now());
  return { caller: known, pin: undefined };
}

async function lookUp(
  { callers, failedKeys }: Pick<GatewayServices, "callers" | "failedKeys">,
  request: FastifyRequest,
  presented: readonly string[],
): Promise<AuthenticatedCaller> {
  const refusals: GatewayError[] = [];
  for (const key of presented) {
    try {
      const found = await callers.find(key, () => failedKeys.require(request.ip));
      requireUsable(found.caller, request.ip, now());
      return found;
    } catch (error) {
      if (!isUnknownKey(error)) throw error;
      refusals.push(error);
    }
  }
  // Only when no key is right: a credential of another service beside the right key is no guess.
  for (const { code } of refusals) if (code === "invalid_api_key") failedKeys.note(request.ip);
  throw refusals[0];
}

/** The key is not one of this gateway, or was not looked up because the address has sent too many wrong ones. */
function isUnknownKey(error: unknown): error is GatewayError {
  return (
    error instanceof GatewayError &&
    (error.code === "invalid_api_key" || error.params?.["reason"] === "wrong_keys_from_address")
  );
}
