import { z } from "zod";
import { because } from "#errors/issue.ts";
import { Email, MailCode, ReaderLanguage } from "#site/mail.ts";
import { DisplayName, Password } from "./user.ts";

const language = z.enum(["", "zh_CN", "zh_HK", "en_US", "ja_JP"]);

/** PUT /api/user/self: what is absent stays. */
export const ProfileInput = z.object({
  display_name: DisplayName.optional(),
  avatar_url: z
    .string()
    .trim()
    .max(500)
    .regex(/^(https?:\/\/\S+)?$/i, because("http_address"))
    .optional(),
  language: language.optional(),
  /** The older API took a new one here, from whoever had the session; it must not look as if this did. */
  password: z.literal("", because("password_changed_elsewhere")).optional(),
});
export type ProfileInput = z.infer<typeof ProfileInput>;

/** PUT /api/user/self/password. */
export const PasswordChange = z.object({
  /** Not asked of an account that has none yet. */
  current_password: z.string().max(200).default(""),
  password: Password,
});
export type PasswordChange = z.infer<typeof PasswordChange>;

/** The management access token, whole: shown this once. */
export const AccessToken = z.object({ token: z.string() });

/** Proves that it is still the owner who sits here. */
export const PasswordProof = z.object({
  password: z.string().max(200).default(""),
  /** Of the authenticator app, for accounts without a password. */
  code: z.string().trim().max(32).default(""),
});

/** The same where a request without a body is possible, because a recent sign-in may be proof enough. */
export const OptionalProof = z.preprocess((given) => given ?? {}, PasswordProof);

/** POST /api/user/self/email/code: mails a code to the address that is to be the account's own. */
export const EmailRequest = PasswordProof.extend({ email: Email, language: ReaderLanguage });
export type EmailRequest = z.input<typeof EmailRequest>;

/** PUT /api/user/self/email: the code of that mail. */
export const EmailProof = z.object({ email: Email, code: MailCode });
export type EmailProof = z.input<typeof EmailProof>;

/** What an authenticator app needs. */
export const TotpOffer = z.object({
  /** Base32, for typing in. */
  secret: z.string(),
  /** `otpauth://…`, for the QR code. */
  uri: z.string(),
});
export type TotpOffer = z.infer<typeof TotpOffer>;

const code = z.string().trim().min(1, because("enter_code")).max(32);
export const TotpCode = z.object({ code });
export const TotpRemoval = PasswordProof.extend({ code });

/** Shown once; each opens the account one time instead of the app. */
export const RecoveryCodes = z.object({ recovery_codes: z.array(z.string()) });
