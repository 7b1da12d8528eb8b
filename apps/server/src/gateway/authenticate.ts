import type { FastifyRequest } from "fastify";
import type { Caller, Callers, Pin } from "#domain/tokens/callers.ts";
import { requireUsable } from "#domain/tokens/scope.ts";
import { GatewayError } from "#errors.ts";

export interface Authenticated {
  caller: Caller;
  pin: Pin | undefined;
}

/** The key wherever a client of any dialect puts it. */
function presentedKey(request: FastifyRequest): string {
  const { authorization, "x-api-key": anthropic, "x-goog-api-key": google } = request.headers;
  for (const header of [authorization, anthropic, google, request.headers["mj-api-secret"]])
    if (typeof header === "string" && header !== "") return header;
  const { key } = request.query as { key?: unknown };
  if (typeof key === "string" && key !== "") return key;
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
