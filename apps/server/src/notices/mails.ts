import type { Language } from "./language.ts";
import { type Letter, type Rendered, renderLetter } from "./letter.ts";
import { mailWords } from "./mail-words.ts";

/** The mails this gateway writes, each from what it knows at that moment. */
export interface Sender {
  language: Language;
  /** Name of this installation. */
  name: string;
  /** "" = none is set. */
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

/** The code that proves who reads this address. */
export function codeMail(sender: Sender, code: string, minutes: number): Rendered {
  const words = mailWords[sender.language];
  return letter(sender, {
    title: words.code.title,
    paragraphs: [words.code.body(sender.name, minutes)],
    code,
    closing: words.ignore,
  });
}

/** Somebody wanted to sign up with an address that has an account: only its owner learns that. */
export function accountExistsMail(sender: Sender): Rendered {
  const words = mailWords[sender.language];
  return letter(sender, {
    title: words.exists.title,
    paragraphs: [words.exists.body(sender.name)],
    closing: words.ignore,
  });
}

export function resetMail(
  sender: Sender,
  { username, url, minutes }: { username: string; url: string; minutes: number },
): Rendered {
  const words = mailWords[sender.language];
  return letter(sender, {
    title: words.reset.title,
    paragraphs: [words.reset.body(username, sender.name, minutes)],
    button: { label: words.reset.button, url, otherwise: words.linkToo },
    closing: words.reset.closing,
  });
}

/** To the address that an account had until now. */
export function emailChangedMail(sender: Sender, username: string, next: string): Rendered {
  const words = mailWords[sender.language];
  return letter(sender, {
    title: words.changed.title,
    paragraphs: [words.changed.body(username, sender.name, next)],
    closing: words.notYou,
  });
}

export function passwordChangedMail(sender: Sender, username: string): Rendered {
  const words = mailWords[sender.language];
  return letter(sender, {
    title: words.passwordChanged.title,
    paragraphs: [words.passwordChanged.body(username, sender.name)],
    closing: words.notYou,
  });
}

export function testMail(sender: Sender): Rendered {
  const words = mailWords[sender.language];
  return letter(sender, { title: words.test.title, paragraphs: [words.test.body(sender.name)] });
}

export function lowBalanceMail(
  sender: Sender,
  { username, balance, threshold }: { username: string; balance: string; threshold: string },
): Rendered {
  const words = mailWords[sender.language];
  return letter(sender, {
    title: words.balance.title,
    paragraphs: [words.balance.body(username, sender.name)],
    facts: [
      [words.balance.left, balance],
      [words.balance.threshold, threshold],
    ],
    ...(sender.siteUrl === ""
      ? {}
      : {
          button: {
            label: words.balance.button,
            url: `${sender.siteUrl}/panel/topup`,
            otherwise: words.linkToo,
          },
        }),
    closing: words.balance.closing,
  });
}
