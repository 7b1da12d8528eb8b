import { z } from "zod";
import { UnixTime } from "#paging.ts";
import { ReaderLanguage, Turnstile } from "#site/mail.ts";
import { Permissions } from "./permissions.ts";
import { Username } from "./user-name.ts";
import { Password, UserRow } from "./user.ts";

/** Sign-in with a password: POST /api/user/login. */
export const LoginInput = z.object({
  username: z.string().trim().min(1).max(254),
  password: z.string().min(1).max(200),
  /** Of the authenticator app, or a recovery code; asked for with `totp_required`. */
  code: z.string().trim().max(32).default(""),
  turnstile: Turnstile,
});
export type LoginInput = z.input<typeof LoginInput>;

/** First account of an installation: POST /api/setup. The token comes from the link that the server prints. */
export const SetupInput = z.object({
  token: z.string().min(1).max(128),
  username: Username,
  password: Password,
  /** Enables the demo provider, where the environment leaves it to the administrator. */
  demo: z.boolean().default(false),
  /** Of the screen that the administrator used: it becomes the site's default. One that the site lacks changes nothing. */
  language: ReaderLanguage,
});
export type SetupInput = z.input<typeof SetupInput>;

/** Whether a set-up link can be used: POST /api/setup/check. */
export const SetupLink = SetupInput.pick({ token: true });

/** GET /api/user/self. */
export const Self = UserRow.extend({
  group_name: z.string(),
  group_ratio: z.number(),
  group_api_rate: z.int(),
  /** The account's own choice; "" = whatever the browser says. */
  language: z.string(),
  has_password: z.boolean(),
  has_access_token: z.boolean(),
  totp_enabled: z.boolean(),
  /** Whether a budget is set for the account or its group: GET /api/user/self/budget. */
  has_budget: z.boolean(),
  /** What an administrator may enter; null = whatever the role allows. */
  permissions: Permissions.nullable(),
});
export type Self = z.infer<typeof Self>;

/** A signed-in browser. */
export const SessionRow = z.object({
  /** Names the session without opening it. */
  id: z.string(),
  /** The one that asks. */
  current: z.boolean(),
  created_time: UnixTime,
  last_seen: UnixTime,
  expires_at: UnixTime,
  ip: z.string(),
  user_agent: z.string(),
});
export type SessionRow = z.infer<typeof SessionRow>;
