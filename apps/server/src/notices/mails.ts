import type { Language } from "./language.ts";
import { type Letter, type RenderedMail, renderLetter } from "./letter.ts";
import { mailMessages } from "./mail-messages.ts";

/** The mails of this gateway, each built from its own data. */
export interface MailSender {
  language: Language;
  /** Name of this installation. */
  name: string;
  /** "" means none is configured. */
  siteUrl: string;
  /** Colour of buttons, for white text. */
  accent: string;
}

function letter(sender: MailSender, content: Omit<Letter, "language" | "sender" | "siteUrl">): RenderedMail {
  return renderLetter({
    language: sender.language,
    sender: sender.name,
    siteUrl: sender.siteUrl,
    ...content,
  });
}

/** Mail with the code that proves access to this address. */
export function codeMail(sender: MailSender, code: string, minutes: number): RenderedMail {
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
export function accountExistsMail(sender: MailSender): RenderedMail {
  const messages = mailMessages[sender.language];
  return letter(sender, {
    title: messages.exists.title,
    paragraphs: [messages.exists.body(sender.name)],
    closing: messages.ignore,
  });
}

export function resetMail(
  sender: MailSender,
  { username, url, minutes }: { username: string; url: string; minutes: number },
): RenderedMail {
  const messages = mailMessages[sender.language];
  return letter(sender, {
    title: messages.reset.title,
    paragraphs: [messages.reset.body(username, sender.name, minutes)],
    button: { label: messages.reset.button, url, otherwise: messages.linkToo, color: sender.accent },
    closing: messages.reset.closing,
  });
}

/** Mail to the previous address of an account. */
export function emailChangedMail(sender: MailSender, username: string, next: string): RenderedMail {
  const messages = mailMessages[sender.language];
  return letter(sender, {
    title: messages.changed.title,
    paragraphs: [messages.changed.body(username, sender.name, next)],
    closing: messages.notYou,
  });
}

export function passwordChangedMail(sender: MailSender, username: string): RenderedMail {
  const messages = mailMessages[sender.language];
  return letter(sender, {
    title: messages.passwordChanged.title,
    paragraphs: [messages.passwordChanged.body(username, sender.name)],
    closing: messages.notYou,
  });
}

export function testMail(sender: MailSender): RenderedMail {
  const messages = mailMessages[sender.language];
  return letter(sender, { title: messages.test.title, paragraphs: [messages.test.body(sender.name)] });
}

export function lowBalanceMail(
  sender: MailSender,
  { username, balance, threshold }: { username: string; balance: string; threshold: string },
): RenderedMail {
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
            color: sender.accent,
          },
        }),
    closing: messages.balance.closing,
  });
}

interface BudgetMail {
  username: string;
  /** Undefined for the budget of the account. */
  token: { name: string; id: number } | undefined;
  period: "day" | "week" | "month";
  used: string;
  notify: string;
  /** "" = no limit. */
  limit: string;
  resets: string;
}

/** Mail to the owner of a budget when spending reaches its notice threshold. */
export function budgetMail(sender: MailSender, content: BudgetMail): RenderedMail {
  const { username, token, period, used, notify, limit, resets } = content;
  const messages = mailMessages[sender.language];
  const { budget } = messages;
  const url = `${sender.siteUrl}${token === undefined ? "/panel/dashboard" : `/panel/token/${token.id}`}`;
  return letter(sender, {
    title: budget.title[period],
    paragraphs: [
      token === undefined
        ? budget.account(username, sender.name)
        : budget.token(token.name, username, sender.name),
      ...(limit === "" ? [] : [budget.refused]),
    ],
    facts: [
      [budget.spent, used],
      [budget.notify, notify],
      ...(limit === "" ? [] : [[budget.limit, limit] as const]),
      [budget.resets, resets],
    ],
    ...(sender.siteUrl === ""
      ? {}
      : {
          button: { label: budget.button, url, otherwise: messages.linkToo, color: sender.accent },
        }),
    closing: budget.closing,
  });
}
