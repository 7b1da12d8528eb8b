import { z } from "zod";
import { Email, MailCode, Turnstile } from "#site/mail.ts";
import { Username } from "./user-name.ts";
import { Password } from "./user.ts";

/** Sign-up with a password: POST /api/user/register. */
export const RegisterInput = z.object({
  username: Username,
  password: Password,
  /** With the code that was sent there; kept only where the operator wants addresses verified. */
  email: z.union([z.literal(""), Email]).default(""),
  verification_code: z.union([z.literal(""), MailCode]).default(""),
  /** Of the inviter, from the link `?aff=`. One that no one has counts as none. */
  aff_code: z.string().trim().max(32).default(""),
  turnstile: Turnstile,
});
export type RegisterInput = z.infer<typeof RegisterInput>;
