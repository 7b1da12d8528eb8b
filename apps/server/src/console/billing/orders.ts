import { can } from "@gateway/shared/accounts/roles";
import {
  OpenedOrder,
  OrderInput,
  OrderState,
  OwnOrder,
  OwnOrderPage,
  OwnOrderQuery,
  TopUpTerms,
} from "@gateway/shared/billing/order";
import { PaymentChoice } from "@gateway/shared/billing/payment";
import type { FastifyBaseLogger } from "fastify";
import { z } from "zod";
import { answers, type ConsoleApp, ok } from "#console/answer.ts";
import { viewerOf } from "#console/guards.ts";
import { pageOf, sliceOf } from "#console/paging.ts";
import { paymentDeps, type Services } from "#console/services.ts";
import { listChoices } from "#domain/payments/gateways.ts";
import { openOrder, stateOf, termsFor } from "#domain/payments/open-order.ts";
import { closeOrder, describeOwnOrder, getOwnOrder, listOwnOrders } from "#domain/payments/orders.ts";
import { askForOrder } from "#domain/payments/watch-orders.ts";
import { requirePublicUrl } from "#domain/settings/public-url.ts";

const sortable = ["id", "status", "created_at", "amount"] as const;
export const TradeNo = z.object({ trade_no: z.string().trim().min(1).max(50) });
/** Orders of one address within a minute. */
const OPEN_LIMIT = { max: 20, timeWindow: 60_000 };
/** A waiting browser polls every few seconds, which would use up the general limit of three minutes. */
const POLL_LIMIT = { max: 600, timeWindow: 180_000 };
/** Minimum time between two queries to the gateway while a user waits. */
const ASK_EVERY_MS = 10_000;

/**
 * Returns the current state of an order. Queries its gateway at most every ten seconds. Throws `not_found`.
 */
export async function watchedOrder(
  services: Services,
  log: FastifyBaseLogger,
  userId: number,
  tradeNo: string,
): ReturnType<typeof getOwnOrder> {
  const order = await getOwnOrder(services.db, userId, tradeNo);
  const changed = await askForOrder(paymentDeps(services), order, ASK_EVERY_MS).catch((error: unknown) => {
    // The gateway's notification may still arrive.
    log.warn({ err: error }, "a payment gateway could not be queried for an order");
    return false;
  });
  return changed ? getOwnOrder(services.db, userId, tradeNo) : order;
}

/**
 * Routes for topping up by payment, for every signed-in user.
 * @param root the base path: "" or "/gateway"
 */
export function orderRoutes(app: ConsoleApp, services: Services, root: string): void {
  const { db, settings } = services;
  const config = { access: "user" } as const;
  const deps = paymentDeps(services);

  app.get(
    "/user/payment",
    {
      config,
      schema: {
        summary: "List the payment methods that you can use",
        response: answers(z.array(PaymentChoice)),
      },
    },
    async () => ok(await listChoices(db)),
  );

  app.get(
    "/user/payment/terms",
    {
      config,
      schema: { summary: "Get the limits and discounts of a top-up", response: answers(TopUpTerms) },
    },
    async (request) => ok(termsFor(settings.current(), viewerOf(request).group)),
  );

  app.post(
    "/user/order",
    {
      config: { ...config, rateLimit: OPEN_LIMIT },
      schema: { summary: "Create an order", body: OrderInput, response: answers(OpenedOrder) },
    },
    async (request) => {
      const { id, role } = viewerOf(request);
      const siteUrl = requirePublicUrl(settings.current(), { root, isAdmin: can(role, "administer") });
      return ok(await openOrder(deps, { ...request.body, userId: id, siteUrl }));
    },
  );

  app.get(
    "/user/order",
    {
      config,
      schema: { summary: "List your orders", querystring: OwnOrderQuery, response: answers(OwnOrderPage) },
    },
    async (request) => {
      const { query } = request;
      const slice = sliceOf(query, sortable);
      const { rows, total } = await listOwnOrders(db, viewerOf(request).id, slice);
      return ok(pageOf(query, rows, total));
    },
  );

  app.get(
    "/user/order/status",
    {
      // Asks the payment gateway, and credits an order that is paid.
      config: { ...config, checksOrigin: true, rateLimit: POLL_LIMIT },
      schema: {
        summary: "Get the state of one of your orders",
        querystring: TradeNo,
        response: answers(OrderState),
      },
    },
    async (request) => {
      const { trade_no } = request.query;
      return ok(stateOf(await watchedOrder(services, request.log, viewerOf(request).id, trade_no)));
    },
  );

  app.post(
    "/user/order/close",
    {
      config,
      schema: { summary: "Close one of your unpaid orders", body: TradeNo, response: answers(OwnOrder) },
    },
    async (request) => {
      const viewer = viewerOf(request);
      const order = await getOwnOrder(db, viewer.id, request.body.trade_no);
      await closeOrder(db, viewer, order);
      return ok(describeOwnOrder(await getOwnOrder(db, viewer.id, order.trade_no)));
    },
  );
}
