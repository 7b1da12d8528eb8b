import { z } from "zod";
import { UserStatus } from "#accounts/user-status.ts";
import { because } from "#errors/issue.ts";
import { GivenPoints, PageQuery, Points, UnixTime, queryInt } from "#paging.ts";
import { Email } from "#site/mail.ts";
import { Permissions } from "./permissions.ts";
import { Username } from "./user-name.ts";
export { UserStatus } from "#accounts/user-status.ts";

export const UserRow = z.object({
  id: z.int(),
  username: z.string(),
  display_name: z.string(),
  role: z.int(),
  status: z.int(),
  email: z.string().nullable(),
  avatar_url: z.string(),
  group: z.string(),
  quota: Points,
  reserved: Points,
  used_quota: Points,
  request_count: z.int(),
  quota_expires_at: UnixTime.nullable(),
  aff_code: z.string(),
  aff_count: z.int(),
  aff_quota: Points,
  created_time: UnixTime,
  last_login_time: UnixTime.nullable(),
  last_login_ip: z.string(),
});
export type UserRow = z.infer<typeof UserRow>;

/** A row of the administrators' list of users. */
export const UserListRow = UserRow.extend({
  /** Identity providers this account is linked to, e.g. `github`. */
  providers: z.array(z.string()),
  totp_enabled: z.boolean(),
});
export type UserListRow = z.infer<typeof UserListRow>;

/** Query of GET /api/user; 0 and "" mean all. */
export const UserQuery = PageQuery.extend({
  keyword: z.string().trim().max(100).default(""),
  role: queryInt(z.int().min(0).max(100)).catch(0).default(0),
  status: queryInt(z.int().min(0).max(2)).catch(0).default(0),
  group: z.string().max(50).default(""),
});
export type UserQuery = z.infer<typeof UserQuery>;

/** GET /api/user/:id. */
export const UserDetail = UserListRow.extend({
  identities: z.array(z.object({ provider: z.string(), label: z.string(), created_time: UnixTime })),
  inviter: z.object({ id: z.int(), username: z.string() }).nullable(),
  token_count: z.int(),
  passkey_count: z.int(),
  has_password: z.boolean(),
  has_access_token: z.boolean(),
  /** Areas that an administrator may access; null = everything that the role allows. */
  permissions: Permissions.nullable(),
});
export type UserDetail = z.infer<typeof UserDetail>;

export const Password = z
  .string()
  .min(8, because("password_too_short"))
  .max(200, because("password_too_long"));

export const DisplayName = z.string().trim().max(64);

/** Roles that can be assigned. The only root account is created at set-up. */
export const GivenRole = z.union([z.literal(1), z.literal(3), z.literal(10)]);

/** POST /api/user. */
export const UserInput = z.object({
  username: Username,
  password: Password,
  display_name: DisplayName.default(""),
  group: z.string().min(1, because("group_choose")).max(50).default("default"),
  role: GivenRole.default(1),
  /** Initial balance in points. */
  quota: GivenPoints.min(0, because("quota_negative")).default(0),
  /** Only root sets these, and only for administrators. Null allows everything that the role allows. */
  permissions: Permissions.nullable().optional(),
});
export type UserInput = z.infer<typeof UserInput>;

/**
 * Body of PUT /api/user. Absent fields and an empty password are unchanged. The balance has its own route.
 */
export const UserChange = z.object({
  id: z.int().min(1),
  username: Username.optional(),
  display_name: DisplayName.optional(),
  group: z.string().min(1, because("group_choose")).max(50).optional(),
  role: GivenRole.optional(),
  status: z.union([z.literal(UserStatus.enabled), z.literal(UserStatus.disabled)]).optional(),
  email: Email.optional(),
  avatar_url: z
    .string()
    .trim()
    .max(500)
    .regex(/^(https?:\/\/\S+)?$/i, because("http_address"))
    .optional(),
  password: z.union([z.literal(""), Password]).optional(),
  /** Only root sets these, and only for administrators. Null allows everything that the role allows. */
  permissions: Permissions.nullable().optional(),
});
export type UserChange = z.infer<typeof UserChange>;

export const UserAction = z.enum([
  "disable",
  "enable",
  "delete",
  "promote",
  "demote",
  "set_reliable",
  "reset_totp",
]);
export type UserAction = z.infer<typeof UserAction>;

/** POST /api/user/manage. */
export const UserManage = z.object({ username: z.string().min(1).max(64), action: UserAction });

/** POST /api/user/quota/:id. */
export const QuotaChange = z.object({
  /** Points to add; negative values subtract. */
  quota: GivenPoints,
  remark: z.string().trim().max(500).default(""),
});
export type QuotaChange = z.infer<typeof QuotaChange>;
