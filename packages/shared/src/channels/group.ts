import { z } from "zod";
import { because } from "#errors/issue.ts";
import { Page, PageQuery } from "#paging.ts";

export { DEFAULT_GROUP } from "#channels/default-group.ts";

/** A user group for the console: GET /api/user_group_map, by symbol. */
export const UserGroupRow = z.object({
  id: z.int(),
  symbol: z.string(),
  name: z.string(),
  ratio: z.number(),
  public: z.boolean(),
  enable: z.boolean(),
  api_rate: z.int(),
});
export type UserGroupRow = z.infer<typeof UserGroupRow>;

export const UserGroupMap = z.record(z.string(), UserGroupRow);
export type UserGroupMap = z.infer<typeof UserGroupMap>;

/** From this number of requests per minute on, the limit is a token bucket instead of a counter. */
export const TOKEN_BUCKET_FROM = 60;

/** Body that creates or changes a group. `symbol` cannot be changed later. */
export const UserGroupInput = z.object({
  symbol: z
    .string()
    .trim()
    .min(1, because("identifier_required"))
    .max(50)
    .regex(/^[A-Za-z0-9_-]+$/, because("identifier_characters")),
  name: z.string().trim().min(1, because("name_required")).max(50),
  ratio: z
    .number(because("number_from_zero"))
    .min(0, because("value_negative"))
    .max(100_000, because("value_too_large"))
    .multipleOf(0.000_001, because("decimals_6")),
  /** Requests per minute. */
  api_rate: z.int(because("number_whole")).min(1, because("rate_too_small")).max(10_000_000),
  public: z.boolean().default(false),
  /** Moves accounts to this group when their total top-ups reach `min` dollars. */
  promotion: z.boolean().default(false),
  min: z.int(because("number_whole")).min(0, because("value_negative")).max(1_000_000_000),
  /** Exclusive upper end; 0 = none. */
  max: z.int(because("number_whole")).min(0, because("value_negative")).max(1_000_000_000),
  /** Calls of the group get marks for prompt caches from the gateway where the client sets none. */
  cache_marks: z.boolean().default(true),
  /** Keys of the group can have quotes, if the setting allows quotes at all. */
  quotes: z.boolean().default(true),
});
export type UserGroupInput = z.infer<typeof UserGroupInput>;

/** A user group in responses to administrators. */
export const UserGroupDetail = UserGroupRow.extend({
  promotion: z.boolean(),
  min: z.int(),
  max: z.int(),
  cache_marks: z.boolean(),
  quotes: z.boolean(),
  user_count: z.int(),
  channel_count: z.int(),
});
export type UserGroupDetail = z.infer<typeof UserGroupDetail>;
export const UserGroupPage = Page(UserGroupDetail);
export type UserGroupPage = z.infer<typeof UserGroupPage>;

export const UserGroupQuery = PageQuery.extend({
  keyword: z.string().trim().max(50).default(""),
  /** "" means all. */
  enable: z.enum(["", "true", "false"]).catch("").default(""),
});
/** Absent: the other state than now, as in One Hub. */
export const UserGroupSwitch = z.object({ enable: z.enum(["true", "false"]).optional() });
export type UserGroupQuery = z.infer<typeof UserGroupQuery>;
