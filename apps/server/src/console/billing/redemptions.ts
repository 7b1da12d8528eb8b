import { mayEnter } from "@gateway/shared/accounts/roles";
import {
  RedeemInput,
  RedemptionChange,
  RedemptionInput,
  RedemptionPage,
  RedemptionQuery,
  RedemptionRow,
  RedemptionSwitch,
} from "@gateway/shared/billing/redemption";
import { Nothing } from "@gateway/shared/envelope";
import { makePartial, Points } from "@gateway/shared/paging";
import type { FastifyRequest } from "fastify";
import { z } from "zod";
import { answers, type ConsoleApp, ok } from "#console/answer.ts";
import { requireBalances, viewerOf } from "#console/guards.ts";
import { IdParams, pageOf, RowId, sliceOf } from "#console/paging.ts";
import type { Services } from "#console/services.ts";
import {
  changeRedemption,
  createRedemptions,
  deleteRedemption,
  describeRedemption,
  getRedemption,
  listRedemptions,
  redeem,
  switchRedemption,
} from "#domain/credits/redemptions.ts";
import type { Redemption } from "#platform/prisma/client.ts";

const sortable = ["id", "name", "status", "quota", "created_time", "redeemed_time", "expires_at"] as const;

/** Absent fields keep their values. */
const Change = makePartial(RedemptionChange);

const config = { access: "admin", permission: "redemptions" } as const;
const row = answers(RedemptionRow);

/** Routes for redemption codes: administrators create them, every signed-in user can redeem them. */
export function redemptionRoutes(app: ConsoleApp, services: Services): void {
  const { db, secrets } = services;
  const show = (request: FastifyRequest, code: Redemption) =>
    ok(shownTo(request, describeRedemption(secrets, code)));

  const change = async (request: FastifyRequest, id: number, fields: z.output<typeof Change>) =>
    show(request, await changeRedemption(db, requireBalances(request, "code"), id, fields));

  app.get(
    "/redemption",
    {
      config,
      schema: {
        summary: "List redemption codes",
        querystring: RedemptionQuery,
        response: answers(RedemptionPage),
      },
    },
    async (request) => {
      const { query } = request;
      const search = { keyword: query.keyword, status: query.status, ...sliceOf(query, sortable) };
      const { rows, total } = await listRedemptions(db, secrets, search);
      const shown = rows.map((one) => shownTo(request, one));
      return ok(pageOf(query, shown, total));
    },
  );

  app.get(
    "/redemption/:id",
    { config, schema: { summary: "Get a redemption code", params: IdParams, response: row } },
    async (request) => show(request, await getRedemption(db, request.params.id)),
  );

  app.post(
    "/redemption",
    {
      config,
      schema: {
        summary: "Create redemption codes",
        body: RedemptionInput,
        response: answers(z.array(RedemptionRow)),
      },
    },
    async (request) =>
      ok(await createRedemptions(db, secrets, requireBalances(request, "code"), request.body)),
  );

  app.put(
    "/redemption/:id",
    {
      config,
      schema: { summary: "Change a redemption code", params: IdParams, body: Change, response: row },
    },
    async (request) => change(request, request.params.id, request.body),
  );

  // The same with the id in the body.
  app.put(
    "/redemption",
    {
      config,
      schema: {
        summary: "Change a redemption code; the id is in the body",
        body: z.intersection(z.object({ id: RowId }), Change),
        response: row,
      },
    },
    async (request) => change(request, request.body.id, request.body),
  );

  app.patch(
    "/redemption/:id",
    {
      config,
      schema: {
        summary: "Enable or disable a redemption code",
        params: IdParams,
        body: RedemptionSwitch,
        response: row,
      },
    },
    async (request) =>
      show(request, await switchRedemption(db, viewerOf(request), request.params.id, request.body.status)),
  );

  app.delete(
    "/redemption/:id",
    { config, schema: { summary: "Delete a redemption code", params: IdParams, response: answers(Nothing) } },
    async (request) => {
      await deleteRedemption(db, viewerOf(request), request.params.id);
      return ok(null);
    },
  );

  redeemRoute(app, services);
}

function redeemRoute(app: ConsoleApp, { db, secrets, settings }: Services): void {
  app.post(
    "/user/topup",
    {
      config: { access: "user" },
      schema: { summary: "Redeem a code", body: RedeemInput, response: answers(Points) },
    },
    async (request) => {
      const { id, ip } = viewerOf(request);
      const { QuotaValidityDays: validityDays, QuotaPerUnit: pointsPerUsd } = settings.current();
      const { key } = request.body;
      const points = await redeem(db, secrets, { userId: id, key, ip, validityDays, pointsPerUsd });
      return ok(Number(points));
    },
  );
}

/**
 * Shows the full code only to users who may create codes, because everyone who can read a code can redeem it.
 */
export function shownTo(request: FastifyRequest, row: RedemptionRow): RedemptionRow {
  const viewer = viewerOf(request);
  const mayMake = mayEnter(viewer, "redemptions", "edit") && mayEnter(viewer, "balances", "edit");
  return mayMake ? row : { ...row, key: `${row.key.slice(0, 4)}…` };
}
