/** The mail server and the sender, according to the settings. */
import type { Settings } from "@gateway/shared/site/settings";
import { publicUrlOf } from "#domain/settings/public-url.ts";
import { languageOf } from "#notices/language.ts";
import type { MailSender } from "#notices/mails.ts";
import type { MailAccount } from "#platform/mail.ts";
import { mailAccent } from "./accent.ts";

/** Returns the mail account; undefined if mail is not configured. */
export function mailAccount(settings: Settings): MailAccount | undefined {
  const { SMTPServer, SMTPPort, SMTPAccount, SMTPToken, SMTPRequireTLS, SystemName } = settings;
  const from = settings.SMTPFrom === "" ? SMTPAccount : settings.SMTPFrom;
  if (SMTPServer === "" || !from.includes("@")) return undefined;
  return {
    host: SMTPServer,
    port: SMTPPort,
    user: SMTPAccount,
    password: SMTPToken,
    from,
    fromName: SystemName,
    requireTls: SMTPRequireTLS,
  };
}

export function canMail(settings: Settings): boolean {
  return mailAccount(settings) !== undefined;
}

/**
 * Returns whether password reset is available. A link in an email must use the configured address, never the
 * host of a request.
 */
export function offersReset(settings: Settings): boolean {
  return canMail(settings) && publicUrlOf(settings) !== undefined;
}

/** @param wish the reader's own language, if known */
export function senderFor(settings: Settings, wish = ""): MailSender {
  return {
    language: languageOf(wish, settings.Language),
    name: settings.SystemName,
    siteUrl: publicUrlOf(settings) ?? "",
    accent: mailAccent(settings.AccentColor),
  };
}
