import { z } from "zod";
import { because } from "#errors/issue.ts";
import { GivenPoints, Page, PageQuery, Points, UnixTime, queryInt } from "#paging.ts";

export { RedemptionStatus } from "#billing/redemption-status.ts";

const values = {
  name: z.string().trim().min(1, because("name_required")).max(64),
  quota: GivenPoints.min(0, because("quota_negative")),
  /** null = never. */
  expires_at: UnixTime.min(0).max(253_402_300_799).nullable().default(null),
};

/** Body of POST /api/redemption, which creates several codes with the same values. */
export const RedemptionInput = z.object({
  ...values,
  count: z
    .int(because("number_whole"))
    .min(1, because("codes_too_few"))
    .max(100, because("codes_too_many"))
    .default(1),
});
export type RedemptionInput = z.infer<typeof RedemptionInput>;

/** Fields that can be changed until the code is redeemed. */
export const RedemptionChange = z.object(values);
export type RedemptionChange = z.infer<typeof RedemptionChange>;

export const RedemptionSwitch = z.object({ status: z.union([z.literal(1), z.literal(2)]) });

export const RedemptionRow = z.object({
  id: z.int(),
  name: z.string(),
  key: z.string(),
  status: z.int(),
  quota: Points,
  /** Id of the creator. */
  user_id: z.int(),
  redeemed_by: z.int().nullable(),
  redeemer: z.string(),
  created_time: UnixTime,
  redeemed_time: UnixTime.nullable(),
  expires_at: UnixTime.nullable(),
});
export type RedemptionRow = z.infer<typeof RedemptionRow>;
export const RedemptionPage = Page(RedemptionRow);
export type RedemptionPage = z.infer<typeof RedemptionPage>;

/** 0 and "" mean all. */
export const RedemptionQuery = PageQuery.extend({
  keyword: z.string().trim().max(64).default(""),
  status: queryInt(z.int().min(0).max(3)).catch(0).default(0),
});
export type RedemptionQuery = z.infer<typeof RedemptionQuery>;

/** POST /api/user/topup. */
export const RedeemInput = z.object({ key: z.string().trim().max(128).default("") });
