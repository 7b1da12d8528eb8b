import type { Language } from "./language.ts";
import { type Letter, type Rendered, renderLetter } from "./letter.ts";
import { mailMessages } from "./mail-messages.ts";

/** The mails of this gateway, each built from its own data. */
export interface Sender {
  language: Language;
  /** Name of this installation. */
  name: string;
  /** "" means none is configured. */
  siteUrl: string;
}

function letter(sender: Sender, content: Omit<Letter, "language" | "sender" | "siteUrl">): Rendered {
  return renderLetter({
    language: sender.language,
    sender: sender.name,
    siteUrl: sender.siteUrl,
    ...content,
  });
}

/** Mail with the code that proves access to this address. */
export function codeMail(sender: Sender, code: string, minutes: number): Rendered {
  const messages = mailMessages[sender.language];
  return letter(sender, {
    title: messages.code.title,
    paragraphs: [messages.code.body(sender.name, minutes)],
    code,
    closing: messages.ignore,
  });
}

/**
 * Mail for a sign-up attempt with an address that already has an account. Only the owner of the address
 * learns that.
 */
export function accountExistsMail(sender: Sender): Rendered {
  const messages = mailMessages[sender.language];
  return letter(sender, {
    title: messages.exists.title,
    paragraphs: [messages.exists.body(sender.name)],
    closing: messages.ignore,
  });
}

export function resetMail(
  sender: Sender,
  { username, url, minutes }: { username: string; url: string; minutes: number },
): Rendered {
  const messages = mailMessages[sender.language];
  return letter(sender, {
    title: messages.reset.title,
    paragraphs: [messages.reset.body(username, sender.name, minutes)],
    button: { label: messages.reset.button, url, otherwise: messages.linkToo },
    closing: messages.reset.closing,
  });
}

/** Mail to the previous address of an account. */
export function emailChangedMail(sender: Sender, username: string, next: string): Rendered {
  const messages = mailMessages[sender.language];
  return letter(sender, {
    title: messages.changed.title,
    paragraphs: [messages.changed.body(username, sender.name, next)],
    closing: messages.notYou,
  });
}

export function passwordChangedMail(sender: Sender, username: string): Rendered {
  const messages = mailMessages[sender.language];
  return letter(sender, {
    title: messages.passwordChanged.title,
    paragraphs: [messages.passwordChanged.body(username, sender.name)],
    closing: messages.notYou,
  });
}

export function testMail(sender: Sender): Rendered {
  const messages = mailMessages[sender.language];
  return letter(sender, { title: messages.test.title, paragraphs: [messages.test.body(sender.name)] });
}

export function lowBalanceMail(
  sender: Sender,
  { username, balance, threshold }: { username: string; balance: string; threshold: string },
): Rendered {
  const messages = mailMessages[sender.language];
  return letter(sender, {
    title: messages.balance.title,
    paragraphs: [messages.balance.body(username, sender.name)],
    facts: [
      [messages.balance.left, balance],
      [messages.balance.threshold, threshold],
    ],
    ...(sender.siteUrl === ""
      ? {}
      : {
          button: {
            label: messages.balance.button,
            url: `${sender.siteUrl}/panel/topup`,
            otherwise: messages.linkToo,
          },
        }),
    closing: messages.balance.closing,
  });
}
