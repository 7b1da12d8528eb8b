import { z } from "zod";
import { UserRow } from "./user.ts";

/** Sign-in with a password: POST /api/user/login. */
export const LoginInput = z.object({
  username: z.string().trim().min(1).max(254),
  password: z.string().min(1).max(200),
});
export type LoginInput = z.infer<typeof LoginInput>;

/** First account of an installation: POST /api/setup. The token comes from the link that the server prints. */
export const SetupInput = z.object({
  token: z.string().min(1).max(128),
  username: z.string().trim().min(3).max(64),
  password: z.string().min(8).max(200),
});
export type SetupInput = z.infer<typeof SetupInput>;

/** GET /api/user/self. */
export const Self = UserRow.extend({
  group_name: z.string(),
  group_ratio: z.number(),
  group_api_rate: z.int(),
});
export type Self = z.infer<typeof Self>;
