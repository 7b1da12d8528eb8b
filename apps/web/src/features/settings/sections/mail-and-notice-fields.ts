/** Settings of mail, sign-up verification, and notices to administrators. */
import type { NoticeChannelId } from "@gateway/shared/site/notice";
import { phrasesIn } from "#lib/i18n.ts";
import { mailAddressesOf, mailServerOf, mailServers } from "./mail-servers.ts";
import type { SettingFieldRecord, SettingSection } from "./section.ts";
import { units } from "./units.ts";

const phrase = phrasesIn("settings");

export const mailSection: SettingSection = {
  id: "mail",
  title: phrase("Outgoing email"),
  help: "notifications#mail",
  hint: phrase("Codes, password resets and reminders are sent through this server."),
  test: { kind: "mail", needs: "SMTPServer" },
  fields: [
    {
      key: "SMTPAccount",
      kind: "suggested",
      label: phrase("SMTP account"),
      hint: phrase("An email address of a known provider fills in the server and the port."),
      completions: mailAddressesOf,
      fills: mailServerOf,
    },
    {
      key: "SMTPToken",
      kind: "secret",
      label: phrase("SMTP password"),
      hint: phrase("Some providers require an app password here, not the password of the account."),
    },
    {
      key: "SMTPServer",
      kind: "suggested",
      label: phrase("SMTP server"),
      hint: phrase("Choose a provider to fill in the port, or enter another server."),
      known: mailServers,
    },
    {
      key: "SMTPPort",
      kind: "number",
      label: phrase("Port"),
      hint: phrase("465 uses TLS, 587 uses STARTTLS."),
    },
    {
      key: "SMTPFrom",
      kind: "text",
      label: phrase("Sender address"),
      hint: phrase("Leave it empty to use the SMTP account. The sender name is the system name."),
    },
    {
      key: "SMTPRequireTLS",
      kind: "switch",
      label: phrase("Require an encrypted connection"),
      hint: phrase("Turn this off only for a server in your own network that does not support encryption."),
    },
  ],
};

export const personSections: SettingSection[] = [
  {
    id: "email-verification",
    title: phrase("Email addresses of new users"),
    help: "settings#sign-in-and-sign-up",
    fields: [
      {
        key: "EmailVerificationEnabled",
        kind: "switch",
        label: phrase("Require a verified email address to sign up"),
        hint: phrase("A code is sent to the address. Requires a mail server."),
      },
      {
        key: "EmailDomainRestrictionEnabled",
        kind: "switch",
        label: phrase("Allow only these domains"),
      },
      {
        key: "EmailDomainWhitelist",
        kind: "text",
        label: phrase("Domains"),
        hint: phrase("Separate entries with commas."),
      },
    ],
  },
  {
    id: "turnstile",
    title: phrase("Cloudflare Turnstile"),
    help: "settings#sign-in-and-sign-up",
    hint: phrase("Blocks bots at sign-in, sign-up and password reset, and before codes are sent."),
    fields: [
      {
        key: "TurnstileCheckEnabled",
        kind: "switch",
        label: phrase("Verify visitors"),
        hint: phrase(
          "When on, browsers load a script from Cloudflare. When off, they contact no third party.",
        ),
      },
      { key: "TurnstileSiteKey", kind: "text", label: phrase("Site key") },
      { key: "TurnstileSecretKey", kind: "secret", label: phrase("Secret key") },
    ],
  },
];

export const botSection: SettingSection = {
  id: "telegram-bot",
  title: phrase("Telegram bot"),
  help: "notifications#telegram-bot",
  hint: phrase(
    "The bot that your users chat with. After a change, reload the menu on the Telegram bot screen. Notices can use a different bot.",
  ),
  fields: [
    { key: "TelegramBotToken", kind: "secret", label: phrase("Token of the user bot") },
    {
      key: "TelegramBotServer",
      kind: "address",
      label: phrase("API address of the bot"),
      hint: phrase("Change this address if the server cannot reach Telegram directly."),
    },
  ],
};

type NoticePrefix =
  | "NotifyEmail"
  | "NotifyTelegram"
  | "NotifyLark"
  | "NotifyDingTalk"
  | "NotifyWeCom"
  | "NotifyPushDeer"
  | "NotifyWebhook";

/** A channel for notices to administrators: a switch first, its settings, and the events last. */
function noticeChannelSection(
  channel: NoticeChannelId,
  prefix: NoticePrefix,
  about: Pick<SettingSection, "title" | "hint">,
  fields: SettingFieldRecord[],
): SettingSection {
  return {
    id: `notify-${channel}`,
    ...about,
    help: "notifications#destinations",
    foldedBy: `${prefix}Enabled`,
    test: { kind: "notice", channel, needs: `${prefix}Enabled` },
    fields: [
      { key: `${prefix}Enabled`, kind: "switch", label: phrase("Enable this destination") },
      ...fields,
      { key: `${prefix}Events`, kind: "events", label: phrase("Events") },
    ],
  };
}

const webhook = phrase("Webhook address");
const signing = phrase("Signing secret");

export const noticeSections: SettingSection[] = [
  {
    id: "notices",
    title: phrase("Notices"),
    help: "notifications",
    hint: phrase("The gateway notifies you at these destinations when something needs your attention."),
    fields: [
      {
        key: "NotifyQuietMinutes",
        kind: "number",
        unit: units.minutes,
        label: phrase("Repeat a notice at most every"),
        hint: phrase("Further occurrences during this time are counted but not sent."),
      },
    ],
  },
  noticeChannelSection("email", "NotifyEmail", { title: phrase("Email notices") }, [
    {
      key: "NotifyEmailTo",
      kind: "text",
      label: phrase("Recipients"),
      hint: phrase("Separate addresses with commas. Leave it empty to use the root account's address."),
    },
  ]),
  noticeChannelSection("telegram", "NotifyTelegram", { title: "Telegram" }, [
    { key: "NotifyTelegramBotKey", kind: "secret", label: phrase("Bot token") },
    { key: "NotifyTelegramChatId", kind: "text", label: phrase("Chat ID") },
    {
      key: "NotifyTelegramServer",
      kind: "address",
      label: phrase("API address"),
      hint: phrase("Change this address if the server cannot reach Telegram directly."),
    },
  ]),
  noticeChannelSection("lark", "NotifyLark", { title: phrase("Lark robot") }, [
    { key: "NotifyLarkWebhook", kind: "secret", label: webhook },
    { key: "NotifyLarkSecret", kind: "secret", label: signing },
  ]),
  noticeChannelSection("dingtalk", "NotifyDingTalk", { title: phrase("DingTalk robot") }, [
    { key: "NotifyDingTalkWebhook", kind: "secret", label: webhook },
    { key: "NotifyDingTalkSecret", kind: "secret", label: signing },
  ]),
  noticeChannelSection("wecom", "NotifyWeCom", { title: phrase("WeCom robot") }, [
    { key: "NotifyWeComWebhook", kind: "secret", label: webhook },
  ]),
  noticeChannelSection("pushdeer", "NotifyPushDeer", { title: phrase("PushDeer") }, [
    { key: "NotifyPushDeerKey", kind: "secret", label: phrase("Push key") },
    { key: "NotifyPushDeerServer", kind: "address", label: phrase("Server address") },
  ]),
  noticeChannelSection(
    "webhook",
    "NotifyWebhook",
    {
      title: phrase("Webhook"),
      hint: phrase(
        "Sends a POST request with JSON. If you set a secret, the header x-gateway-signature contains a signature of the request.",
      ),
    },
    [
      { key: "NotifyWebhookAddress", kind: "address", label: webhook },
      { key: "NotifyWebhookSecret", kind: "secret", label: signing },
    ],
  ),
];
