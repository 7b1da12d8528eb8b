import { z } from "zod";
import { Email, MailCode, Turnstile } from "#site/mail.ts";
import { Username } from "./user-name.ts";
import { Password } from "./user.ts";

/** Body of POST /api/user/register: sign-up with a password. */
export const RegisterInput = z.object({
  username: Username,
  password: Password,
  /** Requires the mailed code. Stored only when the operator requires verified addresses. */
  email: z.union([z.literal(""), Email]).default(""),
  verification_code: z.union([z.literal(""), MailCode]).default(""),
  /** Code of the inviter, from the link `?aff=`. An unknown code is ignored. */
  aff_code: z.string().trim().max(32).default(""),
  turnstile: Turnstile,
});
export type RegisterInput = z.infer<typeof RegisterInput>;
