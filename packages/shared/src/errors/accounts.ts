/** Errors of accounts, sign-in, sessions and permissions. */
import { phrasesIn } from "./phrase.ts";

const phrase = phrasesIn("errors");

/** Codes with one message. */
export const accountMessages = {
  unauthenticated: phrase("Sign in first, or send an access token."),
  totp_wrong: phrase("The code is wrong or was already used. Enter the current code."),
  person_unproven: phrase("The browser check failed. Reload the page and try again."),
  user_disabled: phrase("This account is disabled. Ask an administrator."),
  proof_required: phrase(
    "Confirm with your password before you link an account: POST /api/user/self/identities/confirm.",
  ),
  setup_done: phrase("This installation already has a root account. Sign in instead."),
};

/** Codes with a message per reason. */
export const accountReasons = {
  wrong_credentials: {
    user_name_or_password_wrong: phrase("The username or password is wrong."),
    setup_link_invalid: phrase("This set-up link is no longer valid. Restart the server to get a new one."),
  },
  totp_required: {
    totp_code_required: phrase("Send the code of your authenticator app, or a recovery code."),
    totp_code_required_after_sign_in: phrase("Send the code of your authenticator app to /api/oauth/code."),
  },
  origin_refused: {
    page_of_another_site: phrase("This request does not come from a page of this console."),
    sign_in_from_another_site: phrase(
      "A link or another site cannot sign you in. Enter the code on the sign-in page.",
    ),
  },
  sign_in_again: {
    sign_in_again_or_send_token: phrase(
      "Sign in again and repeat this within {{minutes}} minutes, or send an access token.",
    ),
    sign_in_again_here: phrase("Sign out, sign in again, and repeat this within {{minutes}} minutes."),
  },
  server_address_missing: {
    server_address_unset: phrase(
      "The server address is not configured. Enter it under Settings, System, Server address, and try again.",
    ),
    site_address_unset: phrase(
      "This is not available yet: the address of this site is not configured. Contact the administrator.",
    ),
  },
  forbidden: {
    rights_missing: phrase("Your account does not have permission to do this."),
    rights_not_granted: phrase("Your account does not have permission to do this. Ask an administrator."),
    balance_by_gateway: phrase(
      "Setting up a payment gateway requires permission to edit balances. Ask root for it.",
    ),
    balance_by_user: phrase(
      "Your account does not have permission to edit balances. Create the user without a balance.",
    ),
    balance_by_code: phrase("Creating codes requires permission to edit balances. Ask root for it."),
    balance_by_setting: phrase("Changing {{setting}} requires permission to edit balances. Ask root for it."),
    prices_by_setting: phrase("Changing {{setting}} requires permission to edit prices. Ask root for it."),
    root_setting: phrase(
      "Only root can change {{setting}}: it decides who can sign in or where links of this site lead.",
    ),
    own_account: phrase("Change your own account in your profile."),
    rank_too_high: phrase("You cannot change an account whose role is the same as yours or higher."),
    role_too_high: phrase("You can only assign roles below your own."),
    roles_need_all_rights: phrase(
      "Only root and administrators with all permissions can change roles. Ask root to change the role.",
    ),
    demoted_account: phrase(
      "An administrator removed the administrator role of this account. Only root can change this account. Other administrators can only give the role back.",
    ),
    rights_by_root_only: phrase("Only root can change the permissions of administrators."),
    own_role: phrase("You cannot remove your own administrator role."),
    sign_up_closed: phrase("Sign-up is closed on this site. Ask an administrator for an account."),
    password_sign_up_off: phrase("Sign-up with a password is disabled."),
    password_sign_in_off: phrase("Sign-in with a password is disabled."),
    sign_in_method_off: phrase("This sign-in method is disabled."),
    sign_in_expired: phrase("This sign-in has expired or was started in another browser. Start again."),
    sign_in_not_confirmed: phrase("The sign-in provider did not confirm this sign-in. Start again."),
    sign_in_cancelled: phrase("The sign-in was cancelled."),
    sign_up_without_email: phrase("This site does not verify email addresses at sign-up."),
    no_mail_server_to_send: phrase(
      "This site cannot send email. Ask an administrator to configure a mail server.",
    ),
    reset_by_mail_off: phrase(
      "This site cannot reset passwords by email. Ask an administrator for a new password.",
    ),
    reset_link_invalid: phrase("This link has expired or was already used. Request a new one."),
    session_required: phrase("Sign in to the console to link an account. An access token cannot do this."),
    scim_protected_account: phrase(
      "This person has an administrator's account here, which the provider may not change.",
    ),
    sign_in_not_member: phrase(
      "Your groups at the sign-in provider do not give access to this site. Ask an administrator.",
    ),
    sign_in_groups_missing: phrase(
      "The sign-in provider did not send your groups, because there are too many. Ask an administrator.",
    ),
    passkey_not_confirmed: phrase("The passkey could not be confirmed. Try again."),
  },
  conflict: {
    username_taken: phrase("This username is taken."),
    email_taken: phrase("This email address belongs to another account"),
    provider_linked_already: phrase(
      "Your account is already linked to another account of this provider. Unlink that account first.",
    ),
    linked_to_another_user: phrase("This external account is already linked to another user."),
    only_sign_in_method: phrase("This is the only way you can sign in. Set a password first."),
    totp_off: phrase("The second factor is not enabled."),
    totp_on: phrase("The second factor is already enabled."),
    totp_secret_missing: phrase("Start the setup of your authenticator app again."),
    too_many_passkeys: phrase("An account can have {{most}} passkeys."),
    passkey_taken: phrase("This passkey is already registered for an account."),
    default_group_disable: phrase("The default group cannot be disabled"),
    default_group_delete: phrase("The default group cannot be deleted"),
    group_in_use: phrase("Accounts, tokens or channels still belong to this group. Move them first"),
    group_taken: phrase("This identifier is taken"),
    identity_provider_taken: phrase("This identifier is taken"),
    too_many_identity_providers: phrase("There can be {{most}} sign-in providers."),
    group_in_rule: phrase("A rule of a sign-in provider assigns this group. Change the rule first"),
    scim_taken: phrase("Another resource has the same value for {{field}}."),
    provider_managed: phrase("Your organization manages this link. Ask an administrator."),
  },
  not_found: {
    user_not_found: phrase("User not found."),
    session_not_found: phrase("Session not found."),
    device_code_unknown: phrase(
      "This code is unknown, has expired or was already used. Start the sign-in on your device again.",
    ),
    binding_not_found: phrase("Linked account not found."),
    passkey_not_found: phrase("Passkey not found."),
    scim_resource_not_found: phrase("This SCIM resource does not exist."),
    identity_provider_not_found: phrase("Sign-in provider not found."),
    user_group_not_found: phrase("User group not found."),
    page_not_found: phrase("Page not found."),
    address_not_found: phrase("There is nothing at this address."),
  },
  rate_limit_exceeded: {
    too_many_from_address: phrase("Too many requests from this address. Try again later."),
    too_many_of_session: phrase("Too many requests from this session. Try again later."),
    too_many_of_account: phrase("Too many requests from your account. Try again later."),
    log_reads_busy: phrase("Too many requests are reading the log at the same time. Try again later."),
    too_many_requests: phrase("Too many requests. Try again later."),
    too_many_codes: phrase("Too many wrong codes. Wait 15 minutes and try again."),
    too_many_changes: phrase("Too many tokens were created or changed. Wait a moment and try again."),
    too_many_passwords: phrase("Too many wrong passwords for this account. Wait a moment and try again."),
    mail_just_sent: phrase(
      "An email was just sent to this address. Wait one minute before you request another.",
    ),
    too_many_mails: phrase("Too many emails were sent to this address. Try again in a few minutes."),
    too_many_gifts: phrase(
      "Too many gifts were given to new accounts from this network. Try again tomorrow.",
    ),
  },
  upstream_failed: {
    mail_not_sent: phrase("The email could not be sent. Try again later."),
    person_check_unreachable: phrase("The browser check service cannot be reached. Try again in a moment."),
    sign_in_provider_unreachable: phrase("The sign-in provider cannot be reached. Try again in a moment."),
  },
  invalid_request: {
    scim_filter_unsupported: phrase(
      "This filter is not supported. Use one comparison: userName, externalId, id or displayName eq a text.",
    ),
    scim_path_unsupported: phrase("The path {{path}} is not supported."),
    scim_value_invalid: phrase("The value of {{path}} is missing or not valid."),
    scim_too_many: phrase("A request can change {{most}} members."),
    key_not_kept: phrase(
      "This key was imported from a gateway that stored only its hash, so it cannot be shown. It continues to work. To see a key, create a new one.",
    ),
    rights_need_admin_role: phrase("Only the permissions of administrators can be restricted."),
    group_unknown: phrase("This group does not exist."),
    group_window: phrase("Enter an amount above the lower limit, or 0"),
    mail_domain_refused: phrase("Email addresses of this domain are not accepted here"),
    mail_code_wrong: phrase("The code is wrong or has expired"),
    current_password_wrong: phrase("The current password is wrong"),
    email_required: phrase("Enter your email address"),
    code_required: phrase("Enter the code"),
  },
};
