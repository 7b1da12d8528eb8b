import { aliasesIn } from "@gateway/shared/models/model-alias";
import type { GatewayServices } from "#gateway/services.ts";

/** Aliases of models, parsed once per text of the setting. */
let parsed: { text: string; aliases: ReadonlyMap<string, string> } = { text: "", aliases: new Map() };

export function modelAliases({ relay }: Pick<GatewayServices, "relay">): ReadonlyMap<string, string> {
  const { ModelAliases: text } = relay.settings.current();
  if (text !== parsed.text) parsed = { text, aliases: aliasesIn(text) };
  return parsed.aliases;
}

/** Returns the model for a name or alias. */
export function resolveModel(services: Pick<GatewayServices, "relay">, name: string): string {
  return modelAliases(services).get(name) ?? name;
}
