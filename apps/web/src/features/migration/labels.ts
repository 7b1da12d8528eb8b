/** Labels of what an import counts. */
import { lookupTable } from "@gateway/shared/lookup-table";
import type { TFunction } from "i18next";
import { phrasesIn } from "#lib/i18n.ts";

const phrase = phrasesIn("migration");

const kinds = lookupTable<string>({
  groups: phrase("User groups"),
  users: phrase("Users"),
  identities: phrase("Linked accounts"),
  passkeys: phrase("Passkeys"),
  second_factors: phrase("Second factors"),
  tokens: phrase("Tokens"),
  channels: phrase("Channels"),
  prices: phrase("Prices"),
  redemptions: phrase("Redemption codes"),
  payments: phrase("Payment gateways"),
  orders: phrase("Orders"),
  tasks: phrase("Tasks"),
  model_owners: phrase("Model owners"),
  model_info: phrase("Model catalog"),
  telegram_menus: phrase("Telegram commands"),
  daily_usage: phrase("Usage by day"),
  logs: phrase("Logs"),
  settings: phrase("Settings"),
  balances: phrase("Balances"),
  proof: phrase("Comparing with the source"),
});

/** @param kind a name of the report; one of another version is shown as it is */
export function kindText(t: TFunction<"migration">, kind: string): string {
  const label = kinds[kind];
  return label === undefined ? kind : t(label);
}
