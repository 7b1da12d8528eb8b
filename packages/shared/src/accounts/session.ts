import { z } from "zod";
import { UnixTime } from "#paging.ts";
import { ReaderLanguage, Turnstile } from "#site/mail.ts";
import { Permissions } from "./permissions.ts";
import { Username } from "./user-name.ts";
import { Password, UserRow } from "./user.ts";

/** Body of POST /api/user/login: sign-in with a password. */
export const LoginInput = z.object({
  username: z.string().trim().min(1).max(254),
  password: z.string().min(1).max(200),
  /** Code of the authenticator app, or a recovery code. Requested with the error `totp_required`. */
  code: z.string().trim().max(32).default(""),
  turnstile: Turnstile,
});
export type LoginInput = z.input<typeof LoginInput>;

/**
 * Body of POST /api/setup, which creates the first account of an installation. The token comes from the link
 * that the server prints.
 */
export const SetupInput = z.object({
  token: z.string().min(1).max(128),
  username: Username,
  password: Password,
  /** Enables the demo provider, if the environment leaves that to the administrator. */
  demo: z.boolean().default(false),
  /**
   * The site's default language; an unsupported one, or none, leaves zh_CN.
   */
  language: ReaderLanguage,
});
export type SetupInput = z.input<typeof SetupInput>;

/** Body of POST /api/setup/check, which tests whether a set-up link is valid. */
export const SetupLink = SetupInput.pick({ token: true });

/** Response of GET /api/user/self. */
export const Self = UserRow.extend({
  group_name: z.string(),
  group_ratio: z.number(),
  group_api_rate: z.int(),
  /** The account's own choice; "" = the browser's language. */
  language: z.string(),
  has_password: z.boolean(),
  has_access_token: z.boolean(),
  totp_enabled: z.boolean(),
  /** Whether a budget is set for the account or its group: GET /api/user/self/budget. */
  has_budget: z.boolean(),
  /** Areas that an administrator may access; null = everything that the role allows. */
  permissions: Permissions.nullable(),
});
export type Self = z.infer<typeof Self>;

/** A signed-in browser. */
export const SessionRow = z.object({
  /** Identifies the session, but does not authenticate it. */
  id: z.string(),
  /** Whether this session sent the request. */
  current: z.boolean(),
  created_time: UnixTime,
  last_seen: UnixTime,
  expires_at: UnixTime,
  ip: z.string(),
  user_agent: z.string(),
});
export type SessionRow = z.infer<typeof SessionRow>;
