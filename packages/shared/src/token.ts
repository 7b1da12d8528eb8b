import { z } from "zod";
import { Page, PageQuery, Points, UnixTime } from "./paging.ts";

/** `expired` and `exhausted` are derived when a token is read; only the first two are stored. */
export const TokenStatus = { enabled: 1, disabled: 2, expired: 3, exhausted: 4 } as const;

/** -1 in `expired_time`. */
export const NEVER_EXPIRES = -1;

export const TokenSetting = z.object({
  heartbeat: z
    .object({ enabled: z.boolean(), timeout_seconds: z.int().min(30).max(90) })
    .default({ enabled: false, timeout_seconds: 30 }),
  limits: z
    .object({
      limit_model_setting: z
        .object({ enabled: z.boolean(), models: z.array(z.string().min(1).max(160)).max(500) })
        .default({ enabled: false, models: [] }),
      limits_ip_setting: z
        .object({ enabled: z.boolean(), whitelist: z.array(z.string().min(1).max(64)).max(200) })
        .default({ enabled: false, whitelist: [] }),
    })
    .default({
      limit_model_setting: { enabled: false, models: [] },
      limits_ip_setting: { enabled: false, whitelist: [] },
    }),
});
export type TokenSetting = z.infer<typeof TokenSetting>;

export const TokenInput = z.object({
  name: z.string().trim().min(1, "Name is required").max(64),
  /** Unix seconds, or -1 for never. */
  expired_time: z.int().min(NEVER_EXPIRES).default(NEVER_EXPIRES),
  unlimited_quota: z.boolean().default(true),
  remain_quota: Points.min(0, "Quota cannot be negative").default(0),
  group: z.string().max(50).default(""),
  backup_group: z.string().max(50).default(""),
  setting: TokenSetting.prefault({}),
});
export type TokenInput = z.infer<typeof TokenInput>;
export type TokenForm = z.input<typeof TokenInput>;

export const TokenPatch = z.object({ status: z.union([z.literal(1), z.literal(2)]) });

export const TokenRow = z.object({
  id: z.int(),
  user_id: z.int(),
  name: z.string(),
  /** First and last characters; the whole key comes from GET /api/token/:id/key, to its owner only. */
  key_hint: z.string(),
  status: z.int(),
  created_time: UnixTime,
  accessed_time: UnixTime.nullable(),
  expired_time: z.int(),
  unlimited_quota: z.boolean(),
  remain_quota: Points,
  used_quota: Points,
  group: z.string(),
  backup_group: z.string(),
  setting: TokenSetting,
});
export type TokenRow = z.infer<typeof TokenRow>;
export const TokenPage = Page(TokenRow);

/** Answer of creating a token: the row with its whole key. */
export const TokenCreated = TokenRow.extend({ key: z.string() });
export const TokenKey = z.object({ key: z.string() });

export const TokenQuery = PageQuery.extend({ keyword: z.string().max(100).default("") });
export type TokenQuery = z.infer<typeof TokenQuery>;
