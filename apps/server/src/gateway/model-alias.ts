import { aliasesIn } from "@gateway/shared/channels/model-alias";
import type { GatewayServices } from "./services.ts";

/** Further names of models, parsed once for each text of the setting. */
let parsed: { text: string; aliases: ReadonlyMap<string, string> } = { text: "", aliases: new Map() };

export function modelAliases({ relay }: Pick<GatewayServices, "relay">): ReadonlyMap<string, string> {
  const { ModelAliases: text } = relay.settings.current();
  if (text !== parsed.text) parsed = { text, aliases: aliasesIn(text) };
  return parsed.aliases;
}

/** The model that a client means by this name. */
export function modelNamed(services: Pick<GatewayServices, "relay">, name: string): string {
  return modelAliases(services).get(name) ?? name;
}
