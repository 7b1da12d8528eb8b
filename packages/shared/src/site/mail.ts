import { z } from "zod";
import { because } from "#errors/issue.ts";

/** An email address as stored and compared: trimmed, in lower case. */
export const Email = z
  .string()
  .trim()
  .toLowerCase()
  .max(254)
  .pipe(z.email(because("not_email")));

/** Response of the Turnstile widget; "" while that check is disabled. */
export const Turnstile = z.string().max(2_048).default("");

/** Language of the screen, for a mail to a user without a chosen language; "" = the site's. */
export const ReaderLanguage = z.string().max(16).default("");

/** Body of POST /api/verification and POST /api/reset_password, which mail a code or a link. */
export const MailRequest = z.object({ email: Email, turnstile: Turnstile, language: ReaderLanguage });
export type MailRequest = z.input<typeof MailRequest>;

export const MailCode = z
  .string()
  .trim()
  .regex(/^\d{6}$/, because("code_six_digits"));

/** Parses a comma-separated list of domains. Ignores blanks, an @ and case. */
export function domainsOf(list: string): string[] {
  return list
    .split(/[\s,]+/)
    .map((domain) => domain.replace(/^@/, "").toLowerCase())
    .filter((domain) => domain !== "");
}

export function hasDomainOf(email: string, list: string): boolean {
  return domainsOf(list).includes(email.slice(email.lastIndexOf("@") + 1).toLowerCase());
}
