import type { FastifyRequest } from "fastify";
import type { Caller, Callers, Pin } from "#domain/tokens/callers.ts";
import { requireUsable } from "#domain/tokens/scope.ts";
import { GatewayError } from "#errors.ts";

export interface Authenticated {
  caller: Caller;
  pin: Pin | undefined;
}

/**
 * The key wherever a client of any dialect puts it. Its own place comes before `authorization`, where some clients send
 * what belongs to another service besides.
 */
function presentedKey(request: FastifyRequest): string {
  const { authorization, "x-api-key": anthropic, "x-goog-api-key": google } = request.headers;
  const { key } = request.query as { key?: unknown };
  for (const given of [anthropic, google, request.headers["mj-api-secret"], key, authorization])
    if (typeof given === "string" && given !== "") return given;
  // Browsers cannot set headers on a WebSocket; OpenAI's client puts the key into the subprotocols.
  const protocols = request.headers["sec-websocket-protocol"]?.split(",") ?? [];
  const carried = protocols
    .map((name) => name.trim())
    .find((name) => name.startsWith("openai-insecure-api-key."));
  if (carried !== undefined) return carried.slice("openai-insecure-api-key.".length);
  throw new GatewayError("invalid_key", "No API key was given. Send it as `Authorization: Bearer sk-…`.");
}

/** Who calls: an enabled token of an enabled account, from an allowed address. */
export async function authenticate(callers: Callers, request: FastifyRequest): Promise<Authenticated> {
  const found = await callers.find(presentedKey(request));
  requireUsable(found.caller, request.ip, Date.now());
  return found;
}
