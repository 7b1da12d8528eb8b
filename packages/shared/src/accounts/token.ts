import { z } from "zod";
import { because } from "#errors/issue.ts";
import { Page, PageQuery, Points, UnixTime, queryInt } from "#paging.ts";

/** -1 in `expired_time`. */
export const NEVER_EXPIRES = -1;

const spend = because("spend_from_zero");
const count = because("count_from_zero");

/** What one token may use; 0 is no limit. Days and months are those of UTC. */
export const TokenRates = z.object({
  requests_per_minute: z.int(count).min(0, count).max(1_000_000, count).default(0),
  /** Input and output together. */
  tokens_per_minute: z.int(count).min(0, count).max(1_000_000_000, count).default(0),
  /** Requests under way at the same time. */
  concurrency: z.int(count).min(0, count).max(100_000, count).default(0),
  daily_spend: Points.min(0, spend).default(0),
  monthly_spend: Points.min(0, spend).default(0),
});
export type TokenRates = z.infer<typeof TokenRates>;

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
  rates: TokenRates.prefault({}),
  /** The same request gets the same answer again, for as long as the operator says. */
  cache: z
    .object({
      enabled: z.boolean(),
      /** Also for streams that may call tools. */
      tool_streams: z.boolean().default(false),
    })
    .default({ enabled: false, tool_streams: false }),
  /** Keeps requests and answers for some days, for the owner and administrators to read. */
  log_bodies: z.boolean().default(false),
});
export type TokenSetting = z.infer<typeof TokenSetting>;

export const TokenInput = z.object({
  name: z.string().trim().min(1, because("name_required")).max(64),
  /** Unix seconds, or -1 for never. */
  expired_time: z.int().min(NEVER_EXPIRES).default(NEVER_EXPIRES),
  unlimited_quota: z.boolean().default(true),
  remain_quota: Points.min(0, because("quota_negative")).default(0),
  group: z.string().max(50).default(""),
  backup_group: z.string().max(50).default(""),
  setting: TokenSetting.prefault({}),
  /** Trusted users and administrators only; when absent it stays. */
  billing_tag: z.string().trim().max(50).optional(),
});
export type TokenInput = z.infer<typeof TokenInput>;
export type TokenForm = z.input<typeof TokenInput>;

const limits = TokenSetting.shape.limits.unwrap().shape;
const rates = TokenRates.shape;

/** Of a setting, what is to change: each switch with its list, and each limit, as a whole. */
const TokenSettingChange = z.object({
  heartbeat: TokenSetting.shape.heartbeat.unwrap().optional(),
  limits: z
    .object({
      limit_model_setting: limits.limit_model_setting.unwrap().optional(),
      limits_ip_setting: limits.limits_ip_setting.unwrap().optional(),
    })
    .optional(),
  rates: z
    .object({
      requests_per_minute: rates.requests_per_minute.unwrap().optional(),
      tokens_per_minute: rates.tokens_per_minute.unwrap().optional(),
      concurrency: rates.concurrency.unwrap().optional(),
      daily_spend: rates.daily_spend.unwrap().optional(),
      monthly_spend: rates.monthly_spend.unwrap().optional(),
    })
    .optional(),
  cache: TokenSetting.shape.cache.unwrap().optional(),
  log_bodies: TokenSetting.shape.log_bodies.unwrap().optional(),
});
export type TokenSettingChange = z.output<typeof TokenSettingChange>;

/**
 * PUT: what is absent stays. The quota changes only when the request says so, because calls are charged while people
 * edit: `add_quota` moves what is left, `remain_quota` sets it. Who sets one without `unlimited_quota` means a limit.
 */
export const TokenChange = z
  .object({
    // A row may have come without a name, and goes back as it was.
    name: z.string().trim().max(64).optional(),
    expired_time: TokenInput.shape.expired_time.unwrap().optional(),
    unlimited_quota: TokenInput.shape.unlimited_quota.unwrap().optional(),
    remain_quota: TokenInput.shape.remain_quota.unwrap().optional(),
    add_quota: Points.optional(),
    group: TokenInput.shape.group.unwrap().optional(),
    backup_group: TokenInput.shape.backup_group.unwrap().optional(),
    setting: TokenSettingChange.optional(),
    billing_tag: TokenInput.shape.billing_tag,
  })
  .refine((change) => change.remain_quota === undefined || change.add_quota === undefined, {
    path: ["add_quota"],
    message: because("quota_twice"),
  });
export type TokenChange = z.input<typeof TokenChange>;

/** PUT /api/token/admin: someone else's token, which may change hands. */
export const TokenAdminChange = TokenChange.safeExtend({
  id: z.int().min(1),
  /** The account that shall own it, when it is another than now. */
  user_id: z.int().min(1).optional(),
  /** True: also without a change of hands. A token that changes hands always gets a new key. */
  new_key: z.boolean().optional(),
});
export type TokenAdminChange = z.input<typeof TokenAdminChange>;

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
  /** Charged today and this month (UTC). */
  day_quota: Points,
  month_quota: Points,
  group: z.string(),
  backup_group: z.string(),
  setting: TokenSetting,
  /** "" for those who may not see tags. */
  billing_tag: z.string(),
});
export type TokenRow = z.infer<typeof TokenRow>;
export const TokenPage = Page(TokenRow);

/** GET /api/token/admin/search: a line of everyone's tokens. */
export const TokenAdminRow = TokenRow.extend({
  owner_name: z.string(),
  owner_role: z.int(),
});
export type TokenAdminRow = z.infer<typeof TokenAdminRow>;
export const TokenAdminPage = Page(TokenAdminRow);

/** Answer of creating a token: the row with its whole key. */
export const TokenCreated = TokenRow.extend({ key: z.string() });

/** POST /api/token/admin: a token for someone else. */
export const TokenAdminInput = TokenInput.extend({ user_id: z.int().min(1) });
export type TokenAdminForm = z.input<typeof TokenAdminInput>;
export const TokenAdminCreated = TokenAdminRow.extend({ key: z.string() });
export type TokenAdminCreated = z.infer<typeof TokenAdminCreated>;
export const TokenKey = z.object({ key: z.string() });

export const TokenQuery = PageQuery.extend({
  keyword: z.string().max(100).default(""),
  /** Ignored for those who may not see tags. */
  billing_tag: z.string().max(50).default(""),
});
export type TokenQuery = z.infer<typeof TokenQuery>;

/** Query of GET /api/token/admin/search; 0 and "" mean all. */
export const TokenAdminQuery = TokenQuery.extend({
  user_id: queryInt(z.int().min(0)).catch(0).default(0),
  token_id: queryInt(z.int().min(0)).catch(0).default(0),
});
export type TokenAdminQuery = z.infer<typeof TokenAdminQuery>;
