/** Labels of the administration areas that rights can be limited to. */
import type { AdminArea } from "@gateway/shared/accounts/roles";
import { phrase } from "#lib/i18n.ts";

export const areaTitles: Record<AdminArea, string> = {
  analytics: phrase("Analytics"),
  users: phrase("Users"),
  balances: phrase("Balances of users"),
  tokens: phrase("All users' tokens"),
  channels: phrase("Channels"),
  groups: phrase("User groups"),
  prices: phrase("Prices"),
  models: phrase("Model catalog and owners"),
  redemptions: phrase("Redemption codes"),
  payments: phrase("Payments"),
  telegram: phrase("Telegram bot"),
  settings: phrase("Settings"),
  logs: phrase("All users' logs"),
  audit: phrase("Audit log"),
};
