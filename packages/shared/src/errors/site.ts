/** Errors of settings, lists, mail, notifications, tokens and the Telegram bot. */
import { phrasesIn } from "./phrase.ts";

const phrase = phrasesIn("errors");

/** Why the address of a setting or a request could not be fetched. */
const addressReasons = {
  address_unreachable: phrase("The address cannot be reached."),
  address_timeout: phrase("The address did not respond in time."),
  address_status: phrase("The address returned status {{status}}."),
  address_redirects: phrase("The address redirects too often."),
  address_not_public: phrase("Only public URLs can be fetched."),
  address_answer_too_large: phrase("The response is larger than {{megabytes}} MB."),
};

/** Codes with a message per reason. */
export const siteReasons = {
  gone: {
    share_expired: phrase("This link has expired. Ask the sender for a new one."),
    share_revoked: phrase("This link was revoked. Ask the sender for a new one."),
    share_unavailable: phrase("The call of this link is not available anymore."),
  },
  conflict: {
    release_check_off: phrase("The check for new versions is off. Enable it in the settings."),
    release_address_missing: phrase(
      "This program does not name a repository with its releases. Enter the address of the releases in the settings.",
    ),
    release_not_answered: phrase(
      "The address did not return a release in the format of GitHub's API. Check the address of the releases.",
    ),
    too_many_shares: phrase(
      "An account can have {{most}} links at the same time. Revoke some of them first.",
    ),
    bodies_not_kept: phrase(
      "The request and the response of this call are not stored, so a link cannot show them.",
    ),
    command_taken: phrase("This command already exists"),
    too_many_commands: phrase("The limit of commands in Telegram is reached. Delete a command first."),
    token_expired_before: phrase(
      "The token has expired and cannot be enabled. Change its expiry time first, or let it never expire.",
    ),
    no_previous_key: phrase("The token has no previous key. It has stopped working already."),
    token_used_up: phrase(
      "The quota of the token is used up, so it cannot be enabled. Increase its quota first, or make it unlimited.",
    ),
  },
  not_found: {
    share_not_found: phrase("This link was not found. Check that it is complete."),
    command_not_found: phrase("Command not found."),
    inbox_entry_not_found: phrase("This notification does not exist."),
    token_not_found: phrase("Token not found."),
    status_page_disabled: phrase("The status page is not enabled on this site."),
  },
  forbidden: {
    billing_tag: phrase("Your account does not have permission to set billing tags."),
  },
  group_not_allowed: {
    group_not_for_account: phrase('This account may not use the group "{{group}}".'),
  },
  invalid_request: {
    ...addressReasons,
    option_fixed: phrase(
      'The option {{option}} cannot be changed: its value here is always "{{value}}". See docs/settings.md.',
    ),
    setting_unknown: phrase('There is no setting named "{{setting}}".'),
    smtp_missing: phrase("Email addresses cannot be verified because no mail server (SMTP) is configured."),
    domain_missing: phrase("Enter at least one domain before you turn this on."),
    switch_unfinished: phrase("Fill in the required fields before you turn this on."),
    sign_in_unfinished: phrase("Fill in the required fields of this sign-in method before you turn it on."),
    bot_token_missing: phrase("Save the token of the Telegram bot in the settings first."),
    bot_missing: phrase("This site has no Telegram bot."),
    search_failed: phrase("The search service cannot be used: {{cause}}"),
    no_test_address: phrase("Your account has no email address to send a test to."),
    sort_unknown: phrase('The list cannot be sorted by "{{field}}".'),
    cursor_order: phrase(
      "Pages with a cursor are sorted with the newest first. Use page numbers for another order.",
    ),
    page_too_deep: phrase("Page numbers end at row 10,000. Continue with the cursor in `next`."),
    log_read_too_long: phrase(
      "Reading the log took longer than {{seconds}} seconds. Limit the period with start_timestamp and end_timestamp.",
    ),
    cursor_unknown: phrase("The cursor is not valid. Use the value of `next` from the previous page."),
    backup_group_same: phrase("The backup group must be different from the group."),
    expiry_too_far: phrase("The expiry time is too far away. Use -1 for never."),
    token_quota_too_high: phrase("The quota exceeds the maximum."),
    owner_change_keeps_key: phrase("A token with a new owner always gets a new key."),
    token_lists_too_long: phrase(
      "The models and addresses of a token may have {{most}} characters together. Use names with * or address ranges.",
    ),
    address_range: phrase('"{{entry}}" is neither an IP address nor a range like 10.0.0.0/8.'),
    body_unreadable: phrase("The request cannot be read."),
    body_not_json: phrase("The body is not valid JSON."),
  },
  upstream_failed: {
    ...addressReasons,
    mail_server_missing: phrase("No mail server is configured."),
    mail_account_refused: phrase("The mail server rejects the account or its password.{{detail}}"),
    mail_server_unknown: phrase("The name of the mail server cannot be resolved.{{detail}}"),
    mail_server_unreachable: phrase("The mail server cannot be reached.{{detail}}"),
    mail_server_timeout: phrase("The mail server did not respond in time.{{detail}}"),
    mail_server_encryption: phrase(
      "An encrypted connection to the mail server could not be established.{{detail}}",
    ),
    mail_address_refused: phrase("The mail server rejects the sender or the recipient.{{detail}}"),
    mail_failed: phrase("The email could not be sent.{{detail}}"),
    notice_refused: phrase("{{channel}} refused the message."),
    notice_refused_with: phrase("{{channel}} refused the message: {{detail}}"),
    notice_no_recipient: phrase("Email refused the message: no administrator has an email address"),
    telegram_unreachable: phrase("Telegram cannot be reached."),
    telegram_unreadable: phrase("Telegram returned an unexpected response."),
    telegram_refused: phrase("Telegram: {{detail}}."),
    telegram_refused_silently: phrase("Telegram refused the request without a reason."),
  },
};
