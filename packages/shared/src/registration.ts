import { z } from "zod";
import { Password, Username } from "./user.ts";

/** Sign-up with a password: POST /api/user/register. */
export const RegisterInput = z.object({
  username: Username,
  password: Password,
  /** Of the inviter, from the link `?aff=`. One that nobody has counts as none. */
  aff_code: z.string().trim().max(32).default(""),
});
export type RegisterInput = z.infer<typeof RegisterInput>;
