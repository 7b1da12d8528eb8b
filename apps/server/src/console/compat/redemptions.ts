/**
 * Redemption codes in One Hub's format: worth 100 points by default; a PUT changes only the fields it
 * contains.
 */
import {
  RedemptionChange,
  RedemptionInput,
  RedemptionPage,
  RedemptionRow,
} from "@gateway/shared/billing/redemption";
import { makePartial, Page } from "@gateway/shared/paging";
import { z } from "zod";
import { shownTo } from "#console/billing/redemptions.ts";
import { requireBalances, viewerOf } from "#console/guards.ts";
import { RowId } from "#console/paging.ts";
import { validate } from "#console/validation.ts";
import {
  changeRedemption,
  createRedemptions,
  describeRedemption,
  switchRedemption,
} from "#domain/credits/redemptions.ts";
import type { Redemption } from "#platform/prisma/client.ts";
import { isStatusOnly, oneHubBody } from "./plugin/older.ts";
import { type CompatCall, type CompatRoute, handleWith, formatWith } from "./plugin/route.ts";

const POINTS = 100;

const OlderCode = z.looseObject({
  id: z.int(),
  user_id: z.int(),
  key: z.string(),
  status: z.int(),
  name: z.string(),
  quota: z.int(),
  created_time: z.int(),
  redeemed_time: z.int(),
  count: z.int(),
});
const older = (row: RedemptionRow): z.output<typeof OlderCode> => ({
  ...row,
  redeemed_time: row.redeemed_time ?? 0,
  redeemed_by: row.redeemed_by ?? 0,
  count: 0,
});
const show = ({ request, services }: CompatCall, code: Redemption) =>
  older(shownTo(request, describeRedemption(services.secrets, code)));

const { name, quota, expires_at } = RedemptionInput.shape;
const Created = oneHubBody({
  name,
  quota: quota.default(POINTS),
  count: RedemptionInput.shape.count,
  expires_at,
});
const create = handleWith({ body: Created, data: z.array(z.string()) }, async ({ body }, call) => {
  const { db, secrets } = call.services;
  const made = await createRedemptions(db, secrets, requireBalances(call.request, "code"), body);
  return { data: made.map((code) => code.key) };
});

const Switch = oneHubBody({ id: RowId, status: z.union([z.literal(1), z.literal(2)]) });
const Changed = oneHubBody({
  id: RowId,
  name: z.string().optional(),
  quota: z.int().optional(),
  expires_at: z.int().optional(),
});
const put = handleWith({ body: z.unknown(), data: OlderCode }, async ({ body }, call) => {
  const { db } = call.services;
  const viewer = viewerOf(call.request);
  if (isStatusOnly(call)) {
    const { id, status } = validate(Switch, body);
    return { data: show(call, await switchRedemption(db, viewer, id, status)) };
  }
  requireBalances(call.request, "code");
  const { id, ...given } = validate(Changed, body);
  const change = validate(makePartial(RedemptionChange), given);
  return { data: show(call, await changeRedemption(db, viewer, id, change)) };
});

const OlderCodes = Page(OlderCode);

export const redemptionCompat: Record<string, CompatRoute> = {
  "GET /redemption": {
    answer: formatWith(RedemptionPage, OlderCodes, (page) => ({ ...page, data: page.data.map(older) })),
  },
  "GET /redemption/:id": { answer: formatWith(RedemptionRow, OlderCode, older) },
  "POST /redemption": { handle: create },
  "PUT /redemption": {
    handle: put,
    ignores: { status: "?status_only=true", key: "", user_id: "", created_time: "", redeemed_time: "" },
  },
};
