import { fillTemplate, phrasesIn, type Values, type WireParams } from "#errors/phrase.ts";
import type { Reason } from "#reasons.ts";

const phrase = phrasesIn("migration");

/**
 * What an import changed, left out, or what an operator has to look at. The report stores codes and values, from which the
 * console builds the text in the reader's language, and the command line the English one. Codes do not change: scripts read them.
 */
export const importNotes = {
  // users
  user_id_unusable: phrase("Users whose id is not a positive number."),
  administrator_rights: phrase(
    "Administrators. Here they may also read and change settings, and give and take the administrator role. Root limits their permissions on the page of the account.",
  ),
  user_renamed: phrase(
    "Users whose name differs from another name only in case or spelling. They have a new name, and sign in with the old one or the new one.",
  ),
  user_without_password: phrase(
    "Users without a password that can be verified. They sign in another way, or reset it by email.",
  ),
  user_remarks: phrase("Remarks about users, which do not exist here."),
  email_repeated: phrase(
    "Users with the email address of another user. The address stays with the first one.",
  ),
  second_root: phrase("Only one root account can exist. The other root accounts become administrators."),
  root_without_password: phrase(
    "The root account has no password, because LiteLLM's administrator is its master key. Set one with: gateway users recover 1",
  ),
  admin_viewer: phrase(
    "Administrators with read access only. They are users now. Give them permissions in the console.",
  ),
  github_login_only: phrase(
    "Users whose GitHub account is known by name only. A name can be reassigned, so these users must link GitHub again.",
  ),
  sign_in_lost: phrase(
    "Users who are linked to {{provider}}, which is not available for sign-in here. They need a password.",
  ),
  number_clamped: phrase(
    "Users whose balance or used quota is exactly at the limit of 32 bits. The other gateway may have truncated it. It is imported unchanged.",
  ),
  invitation_points: phrase(
    "Users with points for invitations that they had not moved to their balance. The points are kept as their invitation quota and are not part of a balance: add them if they are owed.",
  ),
  recovery_codes: phrase("Recovery codes cannot be imported. Users with a second factor create new ones."),
  inviter_gone: phrase("Users whose inviter no longer exists."),
  identity_repeated: phrase(
    "Linked accounts that two users share. The user that was created first keeps them.",
  ),
  passkey_unreadable: phrase("Passkeys that cannot be read."),
  passkey_owner: phrase("Passkeys of users that no longer exist."),
  second_factor_unreadable: phrase("Second factors that cannot be read."),
  second_factor_owner: phrase("Second factors of users that no longer exist."),
  // accounts of LiteLLM
  shared_account: phrase("Keys without a user or a team belong to the account litellm-keys."),
  team_account: phrase(
    "Teams, which are accounts here. Each owns the keys of its team; their members do not see these keys.",
  ),
  account_without_budget: phrase(
    "Accounts that had no budget and could spend without a limit. Here every call is paid from a balance, and theirs is 0: import with a credit, or top them up.",
  ),
  account_budget: phrase(
    "Accounts whose budget restarts each day, week or month. It is the account's budget here, counted from now on in the time zone of the site. Their balance is the credit of the import.",
  ),
  account_lost: phrase("Accounts with settings that do not exist here."),
  account_rates: phrase(
    "Accounts with limits per minute, which are not imported. Here keys and groups have such limits.",
  ),
  budget_period: phrase(
    "Budgets of a period other than a day, a week or a month. What is left of them is imported once, which allows less than before.",
  ),
  lost_LiteLLM_OrganizationTable: phrase("Organizations, which do not exist here."),
  lost_LiteLLM_EndUserTable: phrase("End users of applications. Such accounts do not exist here."),
  lost_LiteLLM_TeamMembership: phrase(
    "Memberships in teams, which do not exist here. The account of a team owns its keys.",
  ),
  // groups and keys
  group_repeated: phrase("Groups whose symbol another group has."),
  group_ratio: phrase("Groups with a negative ratio. They are disabled, with ratio 1."),
  group_symbol: phrase(
    "Groups whose symbol has unusual characters. They have a new symbol; the old one is the name.",
  ),
  group_made: phrase(
    "Groups that users, keys or channels use, but that do not exist in the source. They are created with ratio 1.",
  ),
  group_ratios_lost: phrase("Special ratios between groups, which do not exist here."),
  token_without_key: phrase("Keys that are empty or cannot be read."),
  token_owner: phrase("Keys of users that no longer exist."),
  token_repeated: phrase("Keys with the same value as an earlier key."),
  token_marked_over: phrase(
    "Keys that the other gateway marks as expired or exhausted, although they are not. They are disabled here.",
  ),
  token_dead: phrase(
    "Keys that did not work on the other gateway, or that clients cannot send here. They are disabled.",
  ),
  token_limits_cut: phrase(
    "Keys whose limits are too long or unreadable. They are disabled, so that they do not allow more than before.",
  ),
  token_group_refused: phrase(
    "Keys with a group that their owner may not use, or that does not exist. No call with them succeeded, so they are disabled.",
  ),
  token_auto_group: phrase(
    'Keys with the group "auto". They have its first group, and the second one as the backup.',
  ),
  token_auto_groups: phrase(
    'Keys with the group "auto", of which only the first two groups are imported. The second one is the backup.',
  ),
  key_rotated: phrase(
    "Previous values of rotated keys. They work until they expire, and each has the limits of its key.",
  ),
  key_owner_gone: phrase(
    "Keys of users or teams that do not exist. They belong to the account litellm-keys.",
  ),
  key_budget: phrase(
    "Keys whose budget restarts each day, week or month. It counts from now on, in the time zone of the site.",
  ),
  key_lost: phrase("Keys with settings that do not exist here."),
  key_tags: phrase("Keys with several tags. The first one is the billing tag."),
  // channels
  channel_id_unusable: phrase("Channels whose id is not a positive number."),
  channel_without_key: phrase("Channels without a key."),
  channel_off: phrase("Channels that are disabled. {{reason}}"),
  channel_field: phrase("Channels whose {{field}} cannot be used here. It is empty or has its default."),
  channel_lost: phrase("Channels with {{field}}, which does not exist here."),
  channel_model_name: phrase("Model names of channels that are too long, or have a * before their end."),
  channel_abilities: phrase(
    "Channels that are enabled, but were disabled for some of their models or groups. Check them before you use them.",
  ),
  weight_zero: phrase(
    "Channels with weight 0 beside others of the same priority. They were never selected; here they get a very small share.",
  ),
  keys_not_service_accounts: phrase(
    "Channels of Vertex AI with keys that are no service accounts of Google. These keys are disabled.",
  ),
  keys_in_turn: phrase("Channels that used their keys in turn. Here every key gets the same share."),
  system_prompt_before: phrase(
    "Channels whose system prompt was used only when the client sent none. It is now sent before the client's.",
  ),
  header_placeholder: phrase("Headers of channels with a placeholder, which does not exist here."),
  param_operations: phrase("Channels whose parameters are changed by operations, which do not exist here."),
  deployment_parameter: phrase("Parameters of models that do not exist here."),
  deployment_rates: phrase("Limits per minute of models. They set the weight of their channel only."),
  routing_strategy: phrase(
    "Routing strategies other than by weight. Here channels of the same priority are selected by weight.",
  ),
  fallbacks_lost: phrase("Fallbacks of a kind that does not exist here."),
  // money
  model_unpriced: phrase(
    "Models without a price. Calls are refused until the model has a price, or until you allow models without a price in the settings. If the other gateway has built-in prices, import with its price file.",
  ),
  price_unusable: phrase("Prices that are negative or unreadable."),
  price_refused: phrase("Prices with a model name or ratios that cannot be used here."),
  price_repeated: phrase("Models with two prices. The later one counts, as before."),
  price_incomplete: phrase(
    "Models whose output ratio is part of the other gateway's program. Save the response of its /api/pricing, and import with that file.",
  ),
  price_expression: phrase(
    "Models whose price is an expression, which does not exist here. They have no price.",
  ),
  price_compact: phrase("Prices of compaction. Here compaction is charged at the price of the model."),
  price_by_type: phrase("Prices for one type of channel only. Here a model has one price."),
  price_by_deployment: phrase(
    "Models with several prices, one per deployment. Here a model has one price: the first one.",
  ),
  price_unit: phrase(
    "Prices per second, image, character or request, which do not exist here. Check the prices of these models.",
  ),
  price_extra: phrase("Multipliers of prices that do not exist here."),
  quota_per_unit: phrase(
    "QuotaPerUnit is not 500,000. Balances and ratios are unchanged. Prices of tools in dollars count 500,000 points to the dollar.",
  ),
  code_unusable: phrase("Redemption codes without a code or a value."),
  code_repeated: phrase("Redemption codes that exist twice."),
  payment_type: phrase("Payment gateways of a type that does not exist here."),
  payment_incomplete: phrase(
    "Payment gateways whose settings are incomplete. They are disabled: open them and enter what is missing.",
  ),
  payment_repeated: phrase("Payment gateways that exist twice."),
  payment_notices: phrase("Payment providers that need the new notification address of this gateway."),
  order_without_number: phrase("Orders without a number."),
  order_orphan: phrase("Orders of users or payment gateways that no longer exist."),
  order_repeated: phrase("Orders whose number exists twice."),
  balances_last: phrase("Balances do not expire, as before: the setting QuotaValidityDays is 0."),
  used_total: phrase("The used quota of users differs in total: the larger of two recorded numbers counts."),
  used_tokens: phrase("The used quota of keys differs in total, by the keys that are left out."),
  subscriptions_lost: phrase(
    "Subscriptions that are active, which do not exist here. Give these users a balance, or let the subscriptions end first.",
  ),
  subscription_plans_lost: phrase("Subscription plans, which do not exist here."),
  checkins_lost: phrase(
    "Check-ins, which do not exist here. Points from check-ins are part of the balances.",
  ),
  // usage and the rest
  task_platform: phrase("Tasks without a number, or of a platform that does not exist here."),
  task_orphan: phrase("Tasks of users that no longer exist, or whose number is too long."),
  task_repeated: phrase("Tasks whose number exists twice."),
  task_ended: phrase(
    "Unfinished tasks whose channel is not enabled. They count as failed; their points are not refunded.",
  ),
  usage_date: phrase("Usage without a readable date, or of keys and users that no longer exist."),
  usage_owner: phrase("Days of usage of users that no longer exist."),
  log_type: phrase("Log rows without a time, of sign-ins, of tests, or of an unknown kind."),
  log_owner: phrase("Log rows without a time, or of keys that no longer exist."),
  menu_unusable: phrase("Telegram commands that cannot be used here."),
  setting_refused: phrase("Settings whose value cannot be used here. They have their default."),
  setting_unknown: phrase("Settings that do not exist here."),
  setting_switched_off: phrase("Settings that are turned off because a required setting is missing."),
} as const;

export type ImportNoteCode = keyof typeof importNotes;

type Names<Code extends ImportNoteCode> = keyof Values<(typeof importNotes)[Code]>;

/** Values of the template of a note. */
export type NoteValues<Code extends ImportNoteCode> = {
  readonly [Name in Names<Code>]: Name extends "reason" ? Reason : string;
};

/** The English text, for the command line and for scripts. */
export function noteEnglish(code: ImportNoteCode, params: WireParams): string {
  return fillTemplate(importNotes[code], params);
}

/** The template of a code; undefined for a code of another version. */
export function noteTemplate(code: string): string | undefined {
  return Object.hasOwn(importNotes, code) ? importNotes[code as ImportNoteCode] : undefined;
}
