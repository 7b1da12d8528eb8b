import type { FastifyInstance } from "fastify";
import type { ClientDialectId } from "#dialects/ir.ts";
import { forbidden } from "#errors.ts";
import type { GatewayServices } from "#gateway/services.ts";

/** Settings that disable the endpoints of the providers' own dialects. */
const switches = {
  anthropic: { enabledBy: "ClaudeAPIEnabled", reason: "anthropic_api_off" },
  gemini: { enabledBy: "GeminiAPIEnabled", reason: "gemini_api_off" },
  interactions: { enabledBy: "GeminiAPIEnabled", reason: "gemini_api_off" },
} as const;

/** Rejects every request of this scope with 403 while its dialect is disabled. */
export function guardEndpoint(
  scope: FastifyInstance,
  { relay }: Pick<GatewayServices, "relay">,
  dialect: ClientDialectId,
): void {
  if (dialect === "openai-chat" || dialect === "openai-responses") return;
  const { enabledBy, reason } = switches[dialect];
  scope.addHook("onRequest", async () => {
    if (!relay.settings.current()[enabledBy]) throw forbidden({ reason });
  });
}
