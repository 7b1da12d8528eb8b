import { z } from "zod";
import { because } from "#errors/issue.ts";
import { Email, MailCode, ReaderLanguage } from "#site/mail.ts";
import { DisplayName, Password } from "./user.ts";

const language = z.enum(["", "zh_CN", "zh_HK", "en_US", "ja_JP"]);

/** Body of PUT /api/user/self. Absent fields are unchanged. */
export const ProfileInput = z.object({
  display_name: DisplayName.optional(),
  avatar_url: z
    .string()
    .trim()
    .max(500)
    .regex(/^(https?:\/\/\S+)?$/i, because("http_address"))
    .optional(),
  language: language.optional(),
  /**
   * The older API changed the password here without a proof of identity. A new password is rejected, so that
   * a client does not believe that it was changed.
   */
  password: z.literal("", because("password_changed_elsewhere")).optional(),
});
export type ProfileInput = z.infer<typeof ProfileInput>;

/** PUT /api/user/self/password. */
export const PasswordChange = z.object({
  /** Not required for an account that has no password yet. */
  current_password: z.string().max(200).default(""),
  password: Password,
});
export type PasswordChange = z.infer<typeof PasswordChange>;

/** The complete management access token. It is shown only once. */
export const AccessToken = z.object({ token: z.string() });
export type AccessToken = z.infer<typeof AccessToken>;

/** Proves that the account's owner is still the one at the browser. */
export const PasswordProof = z.object({
  password: z.string().max(200).default(""),
  /** Code of the authenticator app, for accounts without a password. */
  code: z.string().trim().max(32).default(""),
});

/** `PasswordProof` for requests that may have no body, because a recent sign-in can be proof enough. */
export const OptionalProof = z.preprocess((given) => given ?? {}, PasswordProof);

/** Body of POST /api/user/self/email/code, which mails a code to the account's new address. */
export const EmailRequest = PasswordProof.extend({ email: Email, language: ReaderLanguage });
export type EmailRequest = z.input<typeof EmailRequest>;

/** Body of PUT /api/user/self/email, with the code from that mail. */
export const EmailProof = z.object({ email: Email, code: MailCode });
export type EmailProof = z.input<typeof EmailProof>;

/** The data that an authenticator app needs. */
export const TotpOffer = z.object({
  /** Base32, for manual entry. */
  secret: z.string(),
  /** `otpauth://…`, for the QR code. */
  uri: z.string(),
});
export type TotpOffer = z.infer<typeof TotpOffer>;

const code = z.string().trim().min(1, because("enter_code")).max(32);
export const TotpCode = z.object({ code });
export const TotpRemoval = PasswordProof.extend({ code });

/** Recovery codes, shown only once. Each replaces the authenticator app for one sign-in. */
export const RecoveryCodes = z.object({ recovery_codes: z.array(z.string()) });
export type RecoveryCodes = z.infer<typeof RecoveryCodes>;
