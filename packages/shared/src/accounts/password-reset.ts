import { z } from "zod";
import { Email } from "#site/mail.ts";
import { Password } from "./user.ts";

/** Body of POST /api/user/reset. The token comes from the mailed link. */
export const PasswordReset = z.object({
  email: Email,
  token: z.string().min(1).max(128),
  password: Password,
});
export type PasswordReset = z.input<typeof PasswordReset>;
