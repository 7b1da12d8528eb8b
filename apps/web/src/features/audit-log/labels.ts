/** Labels of actions and targets. An unknown one is shown by the server's name. */
import { lookupTable } from "@gateway/shared/lookup-table";
import type { TFunction } from "i18next";
import { phrasesIn } from "#lib/i18n.ts";
import { withoutExtraSpaces } from "#lib/word-spacing.ts";

const phrase = phrasesIn("audit-log");

export const targetLabels = lookupTable<string>({
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
  telegram_menu: phrase("Telegram command"),
  token: phrase("Token"),
  user: phrase("Account"),
  user_group: phrase("User group"),
});

const verbLabels = lookupTable<string>({
  create: phrase("created"),
  change: phrase("changed"),
  delete: phrase("deleted"),
  switch: phrase("enabled or disabled"),
  pay: phrase("paid and credited"),
  close: phrase("closed"),
  refund: phrase("refunded"),
  promote: phrase("promoted"),
  demote: phrase("demoted"),
  quota: phrase("balance changed"),
  password: phrase("password changed"),
  register: phrase("signed up"),
  setup: phrase("set up"),
  sync: phrase("synchronized"),
  make: phrase("created manually"),
  make_again: phrase("regenerated"),
  group: phrase("group changed"),
  sessions_end: phrase("sessions ended"),
  access_token: phrase("access token created"),
  access_token_revoke: phrase("access token revoked"),
  totp_enable: phrase("second factor enabled"),
  totp_disable: phrase("second factor disabled"),
  totp_recovery: phrase("recovery codes created"),
  reset_totp: phrase("second factor removed"),
  enable: phrase("enabled"),
  disable: phrase("disabled"),
  "key-enabled": phrase("key enabled"),
  "key-disabled": phrase("key disabled"),
  "key-changed": phrase("key changed"),
  "key-removed": phrase("key removed"),
  export: phrase("exported"),
  export_keys: phrase("exported with keys"),
  secrets: phrase("created with secrets"),
  run: phrase("completed"),
  import: phrase("imported"),
  clear: phrase("cleared"),
  bind: phrase("sign-in method linked"),
  unbind: phrase("sign-in method unlinked"),
  budget: phrase("budget changed"),
  own_budget: phrase("own budget changed"),
  share: phrase("created"),
  revoke_share: phrase("revoked"),
  "revoke-derived": phrase("derived key revoked"),
  email: phrase("email address changed"),
  passkey_add: phrase("passkey added"),
  passkey_remove: phrase("passkey removed"),
  password_reset: phrase("password reset"),
  transfer: phrase("transferred"),
  approve: phrase("approved"),
  assign: phrase("changed by a group rule"),
  user_create: phrase("created by SCIM"),
  user_change: phrase("changed by SCIM"),
  user_delete: phrase("deleted by SCIM"),
  group_create: phrase("created by SCIM"),
  group_change: phrase("changed by SCIM"),
  group_delete: phrase("deleted by SCIM"),
  token_create: phrase("SCIM token created"),
  token_revoke: phrase("SCIM token revoked"),
  deny: phrase("denied"),
});

function targetText(t: TFunction<"audit-log">, type: string): string {
  const word = targetLabels[type];
  return word === undefined ? type : t(word);
}

/** "channel.create" → "created". */
export function actionText(t: TFunction<"audit-log">, action: string): string {
  const verb = action.slice(action.indexOf(".") + 1);
  const word = verbLabels[verb];
  return word === undefined ? verb : t(word);
}

/** Returns both words of an entry and what separates them: "Channel created", "渠道已创建". */
export function entryLabels(
  t: TFunction<"audit-log">,
  row: { target_type: string; action: string },
): [string, string] {
  const target = targetText(t, row.target_type);
  const action = actionText(t, row.action);
  return [target, withoutExtraSpaces(`${target} ${action}`, {}).slice(target.length)];
}

/** Returns who made a change. The gateway itself has a name in the database, in English. */
export function actorText(t: TFunction<"audit-log">, { username }: { username: string }): string {
  return username === "" || username === "system" ? t("system") : username;
}
