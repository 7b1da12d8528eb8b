import type { FastifyInstance } from "fastify";
import type { Dialect } from "#dialects/dialect.ts";
import { forbidden } from "#errors.ts";
import type { GatewayServices } from "./services.ts";

/** Operators may shut the endpoints of clients that speak a provider's own dialect. */
const switches = {
  anthropic: { enabledBy: "ClaudeAPIEnabled", reason: "anthropic_api_off" },
  gemini: { enabledBy: "GeminiAPIEnabled", reason: "gemini_api_off" },
} as const;

/** Every route of this scope answers 403 while its dialect is switched off. */
export function guardEndpoint(
  scope: FastifyInstance,
  { relay }: Pick<GatewayServices, "relay">,
  dialect: Dialect["id"],
): void {
  if (dialect !== "anthropic" && dialect !== "gemini") return;
  const { enabledBy, reason } = switches[dialect];
  scope.addHook("onRequest", async () => {
    if (!relay.settings.current()[enabledBy]) throw forbidden({ reason });
  });
}
