/** Names of actors and targets. An unknown one is shown by the server's name. */
import { lookupTable } from "@gateway/shared/lookup-table";
import type { TFunction } from "i18next";
import { phrasesIn } from "#lib/i18n.ts";

const phrase = phrasesIn("audit-log");

export const targetLabels = lookupTable<string>({
  backup: phrase("Backup"),
  call_share: phrase("Link to a call"),
  channel: phrase("Channel"),
  device: phrase("Device"),
  export: phrase("Export"),
  identity_provider: phrase("Sign-in provider"),
  import: phrase("Import"),
  log: phrase("Log"),
  model: phrase("Model"),
  model_owner: phrase("Model owner"),
  mcp_server: phrase("MCP server"),
  mcp_bundle: phrase("MCP bundle"),
  order: phrase("Top-up order"),
  payment: phrase("Payment gateway"),
  price: phrase("Price"),
  redemption: phrase("Redemption code"),
  scim_group: phrase("SCIM group"),
  setting: phrase("Setting"),
  statement: phrase("Monthly statement"),
  telegram_menu: phrase("Command of the Telegram bot"),
  token: phrase("Token"),
  user: phrase("Account"),
  user_group: phrase("User group"),
});

/** Returns the name of a type of object, "Channel". */
export function targetText(t: TFunction<"audit-log">, type: string): string {
  const word = targetLabels[type];
  return word === undefined ? type : t(word);
}

/** Returns who made a change. The gateway itself has a name in the database, in English. */
export function actorText(t: TFunction<"audit-log">, { username }: { username: string }): string {
  return username === "" || username === "system" ? t("The gateway") : username;
}
