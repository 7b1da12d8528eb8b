/** Notes of an import by their code. A code of another version keeps the server's English text. */
import type { ImportNote } from "@gateway/shared/site/migration";
import type { TFunction } from "i18next";
import { phrase } from "#lib/i18n.ts";

const texts: Record<string, string> = {
  // users
  user_renamed: phrase(
    "Users whose name differs from another one's only in case or spelling. They sign in with a new name.",
  ),
  user_without_password: phrase(
    "Users without a password that can be verified. They sign in another way, or reset it by mail.",
  ),
  email_repeated: phrase(
    "Users with the mail address of another user. The address stays with the first one.",
  ),
  second_root: phrase("There is one root account. Further root accounts are administrators now."),
  github_login_only: phrase(
    "Users whose GitHub account is known by name only. Names can change hands, so they link GitHub again.",
  ),
  recovery_codes: phrase("Recovery codes cannot be imported. Users with a second factor create new ones."),
  inviter_gone: phrase("Users whose inviter no longer exists."),
  identity_repeated: phrase(
    "Linked accounts that also belong to an earlier user. They stay with the first one.",
  ),
  // groups and keys
  group_ratio: phrase("Groups with a negative ratio. They are disabled, with ratio 1."),
  group_symbol: phrase(
    "Groups whose symbol has unusual characters. They have a new symbol; the old one is the name.",
  ),
  group_made: phrase(
    "Groups that something names although they did not exist. They are created with ratio 1.",
  ),
  group_ratios_lost: phrase("Special ratios between groups, which do not exist here."),
  token_owner: phrase("Keys of users that no longer exist."),
  token_repeated: phrase("Keys that another token has, too."),
  token_marked_over: phrase(
    "Keys that were marked as expired or used up although they no longer are. They are disabled here.",
  ),
  token_dead: phrase(
    "Keys that no client could use before, or that no client can send here. They are disabled.",
  ),
  token_limits_cut: phrase(
    "Keys whose limits are too long or unreadable. They are disabled, so that they do not allow more than before.",
  ),
  token_auto_group: phrase(
    'Keys with the group "auto". They have its first group, and the second one as the backup.',
  ),
  // channels
  channel_without_key: phrase("Channels without a key."),
  channel_model_name: phrase("Model names of channels that are too long or have a * within."),
  system_prompt_before: phrase(
    "Channels whose system prompt was used only when the client sent none. It now stands before the client's.",
  ),
  header_placeholder: phrase("Headers of channels with a placeholder, which does not exist here."),
  param_operations: phrase("Channels whose parameters are changed by operations, which do not exist here."),
  // money
  model_unpriced: phrase(
    "Models without a price. They are refused until they have one, or until you charge models without a price in the settings.",
  ),
  price_unusable: phrase("Prices that are negative or unreadable."),
  price_repeated: phrase("Models with two prices. The later one counts, as before."),
  price_incomplete: phrase(
    "Models whose output ratio only the running program knows. Save what it sends at /api/pricing and add that file.",
  ),
  price_expression: phrase(
    "Models whose price is an expression, which does not exist here. They have no price.",
  ),
  quota_per_unit: phrase("QuotaPerUnit is not 500,000. Balances and ratios are unchanged."),
  payment_incomplete: phrase(
    "Payment gateways whose settings are incomplete. They are disabled: open them and enter what is missing.",
  ),
  payment_notices: phrase("Payment providers that need the new notification address of this gateway."),
  balances_last: phrase("Balances do not expire, as before."),
  used_total: phrase("The used quota of users differs in total: the larger of two recorded numbers counts."),
  used_tokens: phrase("The used quota of keys differs in total, by the keys that are left out."),
  // the rest
  task_ended: phrase(
    "Unfinished tasks whose channel is not enabled. They count as failed; their points are not given back.",
  ),
  setting_refused: phrase("Settings whose value cannot be used here. They have their default."),
  setting_unknown: phrase("Settings that do not exist here."),
  setting_switched_off: phrase("Switches that are off because what they need is missing."),
};

export function noteText(t: TFunction, { code, text }: Pick<ImportNote, "code" | "text">): string {
  const known = texts[code];
  return known === undefined ? text : t(known);
}
