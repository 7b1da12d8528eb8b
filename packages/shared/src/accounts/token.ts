import { z } from "zod";
import { NEVER_EXPIRES } from "#accounts/token-status.ts";
import { McpTokenLimits } from "#channels/mcp.ts";
import { because } from "#errors/issue.ts";
import { ModelPattern } from "#models/model-name.ts";
import { Page, PageQuery, Points, UnixTime, queryInt } from "#paging.ts";
export { NEVER_EXPIRES } from "#accounts/token-status.ts";

const spend = because("spend_from_zero");
const count = because("count_from_zero");

/** Limits of one token; 0 is no limit. Days and months are in UTC. */
export const TokenRates = z.object({
  requests_per_minute: z.int(count).min(0, count).max(1_000_000, count).default(0),
  /** Input and output tokens together. */
  tokens_per_minute: z.int(count).min(0, count).max(1_000_000_000, count).default(0),
  /** Concurrent requests. */
  concurrency: z.int(count).min(0, count).max(100_000, count).default(0),
  daily_spend: Points.min(0, spend).default(0),
  monthly_spend: Points.min(0, spend).default(0),
  /** Limit of each session of an agent. */
  session_spend: Points.min(0, spend).default(0),
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
  /** Answers repeated requests from a cache, for as long as the operator configures. */
  cache: z
    .object({
      enabled: z.boolean(),
      /** Also caches streams that may call tools. */
      tool_streams: z.boolean().default(false),
    })
    .default({ enabled: false, tool_streams: false }),
  /** Keeps request and response bodies for some days. The owner and administrators can read them. */
  log_bodies: z.boolean().default(false),
  /** Which MCP bundles and tools it may use; absent = all of its group. */
  mcp: McpTokenLimits.optional(),
});
export type TokenSetting = z.infer<typeof TokenSetting>;

type ModelLimit = TokenSetting["limits"]["limit_model_setting"];

/** Reports a name that no call can use. Those of a limit that is off may stay as they were imported. */
function reportModelNames(
  { enabled, models }: ModelLimit,
  context: z.RefinementCtx,
  path: string[] = [],
): void {
  if (!enabled) return;
  const message = models.map(faultOfModel).find((fault) => fault !== undefined);
  if (message !== undefined) context.addIssue({ code: "custom", message, path: [...path, "models"] });
}

function faultOfModel(model: string): string | undefined {
  const { data, error } = ModelPattern.safeParse(model);
  // They are stored as they are sent, so a space at an end stays.
  return data === model ? undefined : (error?.issues[0]?.message ?? because("model_name_characters"));
}

export const TokenInput = z.object({
  name: z.string().trim().min(1, because("name_required")).max(64),
  /** Unix seconds, or -1 for never. */
  expired_time: z.int().min(NEVER_EXPIRES).default(NEVER_EXPIRES),
  unlimited_quota: z.boolean().default(true),
  remain_quota: Points.min(0, because("quota_negative")).default(0),
  group: z.string().max(50).default(""),
  backup_group: z.string().max(50).default(""),
  setting: TokenSetting.superRefine(({ limits }, context) =>
    reportModelNames(limits.limit_model_setting, context, ["limits", "limit_model_setting"]),
  ).prefault({}),
  /** For trusted users and administrators only. When absent, it is unchanged. */
  billing_tag: z.string().trim().max(50).optional(),
});
export type TokenInput = z.infer<typeof TokenInput>;
export type TokenForm = z.input<typeof TokenInput>;

const limits = TokenSetting.shape.limits.unwrap().shape;
const rates = TokenRates.shape;

/** A change of the settings. Each switch is replaced together with its list, and each limit on its own. */
const TokenSettingChange = z.object({
  heartbeat: TokenSetting.shape.heartbeat.unwrap().optional(),
  limits: z
    .object({
      limit_model_setting: limits.limit_model_setting
        .unwrap()
        .superRefine((limit, context) => reportModelNames(limit, context))
        .optional(),
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
      session_spend: rates.session_spend.unwrap().optional(),
    })
    .optional(),
  cache: TokenSetting.shape.cache.unwrap().optional(),
  log_bodies: TokenSetting.shape.log_bodies.unwrap().optional(),
  mcp: TokenSetting.shape.mcp,
});
export type TokenSettingChange = z.output<typeof TokenSettingChange>;

/**
 * Body of PUT. Absent fields are unchanged. The quota changes only on request, because calls are charged
 * while a user edits. `add_quota` adds to the remaining quota, `remain_quota` replaces it. Either without
 * `unlimited_quota` makes the quota limited.
 */
export const TokenChange = z
  .object({
    // A stored row may have an empty name, which must be accepted when it is sent back.
    name: z.string().trim().max(64).optional(),
    expired_time: TokenInput.shape.expired_time.unwrap().optional(),
    unlimited_quota: TokenInput.shape.unlimited_quota.unwrap().optional(),
    remain_quota: TokenInput.shape.remain_quota.unwrap().optional(),
    add_quota: Points.optional(),
    group: TokenInput.shape.group.unwrap().optional(),
    backup_group: TokenInput.shape.backup_group.unwrap().optional(),
    setting: TokenSettingChange.optional(),
    /** 1 enables, 2 disables. */
    status: z.union([z.literal(1), z.literal(2)]).optional(),
    billing_tag: TokenInput.shape.billing_tag,
  })
  .refine((change) => change.remain_quota === undefined || change.add_quota === undefined, {
    path: ["add_quota"],
    message: because("quota_twice"),
  });
export type TokenChange = z.input<typeof TokenChange>;

/** Body of PUT /api/token/admin: another user's token, which can be moved to another owner. */
export const TokenAdminChange = TokenChange.safeExtend({
  id: z.int().min(1),
  /** Id of the new owner, when the owner changes. */
  user_id: z.int().min(1).optional(),
  /** True creates a new key without a change of the owner, too. A change of the owner always creates one. */
  new_key: z.boolean().optional(),
});
export type TokenAdminChange = z.input<typeof TokenAdminChange>;

export const TokenPatch = z.object({ status: z.union([z.literal(1), z.literal(2)]) });

export const TokenRow = z.object({
  id: z.int(),
  user_id: z.int(),
  name: z.string(),
  /** First and last characters. GET /api/token/:id/key returns the whole key, to the owner only. */
  key_hint: z.string(),
  status: z.int(),
  created_time: UnixTime,
  accessed_time: UnixTime.nullable(),
  expired_time: z.int(),
  unlimited_quota: z.boolean(),
  remain_quota: Points,
  used_quota: Points,
  /** Points charged today and in this month, in the site's time zone. */
  day_quota: Points,
  month_quota: Points,
  /** When the day and the month end. */
  day_resets_at: UnixTime,
  month_resets_at: UnixTime,
  group: z.string(),
  backup_group: z.string(),
  setting: TokenSetting,
  /** "" for readers who may not see tags. */
  billing_tag: z.string(),
  /** The command-line device that signed in for this token; "" for other tokens. */
  device_name: z.string(),
  /** The key before the last rotation, while it still works. */
  previous_key: z.object({ hint: z.string(), until: UnixTime }).nullable(),
});
export type TokenRow = z.infer<typeof TokenRow>;
export const TokenPage = Page(TokenRow);
export type TokenPage = z.infer<typeof TokenPage>;

/** A row of GET /api/token/admin/search, which lists the tokens of all users. */
export const TokenAdminRow = TokenRow.extend({
  owner_name: z.string(),
  owner_role: z.int(),
});
export type TokenAdminRow = z.infer<typeof TokenAdminRow>;
export const TokenAdminPage = Page(TokenAdminRow);
export type TokenAdminPage = z.infer<typeof TokenAdminPage>;

/** Response to the creation of a token: the row with the whole key. */
export const CreatedToken = TokenRow.extend({ key: z.string() });
export type CreatedToken = z.infer<typeof CreatedToken>;

/** Hours for which the previous key of a rotation works. */
export const KeyOverlap = z.union([z.literal(0), z.literal(1), z.literal(24), z.literal(168)]);
export type KeyOverlap = z.infer<typeof KeyOverlap>;

/** Body of POST /api/token/:id/rotate. */
export const KeyRotation = z.object({ overlap_hours: KeyOverlap });

/** Body of POST /api/token/admin: a token for another user. */
export const TokenAdminInput = TokenInput.extend({ user_id: z.int().min(1) });
export type TokenAdminForm = z.input<typeof TokenAdminInput>;
export const CreatedAdminToken = TokenAdminRow.extend({ key: z.string() });
export type CreatedAdminToken = z.infer<typeof CreatedAdminToken>;
export const TokenKey = z.object({ key: z.string() });
export type TokenKey = z.infer<typeof TokenKey>;

export const TokenQuery = PageQuery.extend({
  keyword: z.string().max(100).default(""),
  /** Ignored for readers who may not see tags. */
  billing_tag: z.string().max(50).default(""),
});
export type TokenQuery = z.infer<typeof TokenQuery>;

/** Query of GET /api/token/admin/search; 0 and "" mean all. */
export const TokenAdminQuery = TokenQuery.extend({
  user_id: queryInt(z.int().min(0)).catch(0).default(0),
  token_id: queryInt(z.int().min(0)).catch(0).default(0),
});
export type TokenAdminQuery = z.infer<typeof TokenAdminQuery>;
