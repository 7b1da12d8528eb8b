import { z } from "zod";
import { because } from "#errors/issue.ts";

/** An address as it is stored and compared: without blanks, in lower case. */
export const Email = z
  .string()
  .trim()
  .toLowerCase()
  .max(254)
  .pipe(z.email(because("not_email")));

/** The answer of the check that a person sits here; "" while that check is off. */
export const Turnstile = z.string().max(2_048).default("");

/** What the screen is in, for a mail to someone who has not chosen yet; "" = the site's. */
export const ReaderLanguage = z.string().max(16).default("");

/** POST /api/verification, POST /api/reset_password: mails a code, or a link. */
export const MailRequest = z.object({ email: Email, turnstile: Turnstile, language: ReaderLanguage });
export type MailRequest = z.input<typeof MailRequest>;

export const MailCode = z
  .string()
  .trim()
  .regex(/^\d{6}$/, because("code_six_digits"));

/** Domains with commas between them, as people write them: blanks, an @ and capitals do not matter. */
export function domainsOf(list: string): string[] {
  return list
    .split(/[\s,]+/)
    .map((domain) => domain.replace(/^@/, "").toLowerCase())
    .filter((domain) => domain !== "");
}

export function hasDomainOf(email: string, list: string): boolean {
  return domainsOf(list).includes(email.slice(email.lastIndexOf("@") + 1).toLowerCase());
}
