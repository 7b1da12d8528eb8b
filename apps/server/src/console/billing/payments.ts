import { OrderPage, OrderQuery, OrderRefund, OrderRow } from "@gateway/shared/billing/order";
import {
  PaymentChange,
  PaymentInput,
  PaymentPage,
  PaymentPatch,
  PaymentQuery,
  PaymentRow,
} from "@gateway/shared/billing/payment";
import { Nothing } from "@gateway/shared/envelope";
import type { FastifyRequest } from "fastify";
import { answers, type ConsoleApp, ok } from "#console/answer.ts";
import { requireBalances, viewerOf } from "#console/guards.ts";
import { IdParams, pageOf, RowId, sliceOf } from "#console/paging.ts";
import { paymentDeps, type Services } from "#console/services.ts";
import { validate } from "#console/validation.ts";
import {
  changeGateway,
  createGateway,
  deleteGateway,
  describeGateway,
  getGateway,
  listGateways,
  patchGateway,
} from "#domain/payments/gateways.ts";
import { closeOrder, describeOrder, getOrder, listOrders } from "#domain/payments/orders.ts";
import { refundOrder } from "#domain/payments/refund-order.ts";
import { askForOrder } from "#domain/payments/watch-orders.ts";
import { publicUrlOf } from "#domain/settings/public-url.ts";
import type { PaymentGateway } from "#platform/prisma/client.ts";

const sortable = ["id", "uuid", "name", "type", "sort", "enable", "created_at"] as const;
const ordersSortable = ["id", "gateway_id", "user_id", "status", "created_at", "order_amount"] as const;

/** Changes the given fields of a gateway. Secrets, which descriptions omit, keep their values. */
export function editGateway(
  { db, secrets, paymentGateways: gateways }: Services,
  request: FastifyRequest,
  id: number,
  change: object,
): Promise<PaymentGateway> {
  return changeGateway({ db, secrets, gateways }, requireBalances(request, "gateway"), id, (now) =>
    validate(PaymentInput, { ...now, ...change }),
  );
}

const config = { access: "admin", permission: "payments" } as const;

/**
 * Routes for payment gateways and all orders, for administrators.
 * @param root the base path: "" or "/gateway"
 */
export function paymentRoutes(app: ConsoleApp, services: Services, root: string): void {
  const { db, secrets, settings, paymentGateways: gateways } = services;
  const editing = { db, secrets, gateways };
  const row = answers(PaymentRow);
  const base = () => publicUrlOf(settings.current(), root) ?? "";
  const show = (gateway: PaymentGateway) => ok(describeGateway(secrets, gateway, base()));

  app.get(
    "/payment",
    {
      config,
      schema: { summary: "List payment gateways", querystring: PaymentQuery, response: answers(PaymentPage) },
    },
    async (request) => {
      const { query } = request;
      const { rows, total } = await listGateways(db, { ...query, ...sliceOf(query, sortable) });
      return ok(
        pageOf(
          query,
          rows.map((gateway) => describeGateway(secrets, gateway, base())),
          total,
        ),
      );
    },
  );

  app.get(
    "/payment/:id",
    {
      config,
      schema: { summary: "Get a payment gateway without its secrets", params: IdParams, response: row },
    },
    async (request) => show(await getGateway(db, request.params.id)),
  );

  app.post(
    "/payment",
    { config, schema: { summary: "Create a payment gateway", body: PaymentInput, response: row } },
    async (request) => show(await createGateway(editing, requireBalances(request, "gateway"), request.body)),
  );

  app.put(
    "/payment/:id",
    {
      config,
      schema: { summary: "Change a payment gateway", params: IdParams, body: PaymentChange, response: row },
    },
    async (request) => show(await editGateway(services, request, request.params.id, request.body)),
  );

  app.put(
    "/payment",
    {
      config,
      schema: {
        summary: "Change a payment gateway; the id is in the body",
        body: PaymentChange.extend({ id: RowId }),
        response: row,
      },
    },
    async (request) => {
      const { id, ...change } = request.body;
      return show(await editGateway(services, request, id, change));
    },
  );

  app.patch(
    "/payment/:id",
    {
      config,
      schema: {
        summary: "Enable or disable a payment gateway",
        params: IdParams,
        body: PaymentPatch,
        response: row,
      },
    },
    async (request) => show(await patchGateway(editing, viewerOf(request), request.params.id, request.body)),
  );

  app.delete(
    "/payment/:id",
    { config, schema: { summary: "Delete a payment gateway", params: IdParams, response: answers(Nothing) } },
    async (request) => {
      await deleteGateway(editing, viewerOf(request), request.params.id);
      return ok(null);
    },
  );

  allOrderRoutes(app, services);
}

/** Routes for the orders of all users. */
function allOrderRoutes(app: ConsoleApp, services: Services): void {
  const { db } = services;
  const order = answers(OrderRow);
  const showOrder = async (id: number) => {
    const found = await getOrder(db, id);
    return ok(describeOrder(found, found.user.username));
  };

  app.get(
    "/payment/order",
    {
      config,
      schema: {
        summary: "List the orders of all users",
        querystring: OrderQuery,
        response: answers(OrderPage),
      },
    },
    async (request) => {
      const { query } = request;
      const { rows, total } = await listOrders(db, { ...query, ...sliceOf(query, ordersSortable) });
      return ok(pageOf(query, rows, total));
    },
  );

  app.post(
    "/payment/order/:id/check",
    {
      config,
      schema: { summary: "Check an order with its payment gateway", params: IdParams, response: order },
    },
    async (request) => {
      const { id } = request.params;
      await askForOrder(paymentDeps(services), await getOrder(db, id), 1_000);
      return showOrder(id);
    },
  );

  app.post(
    "/payment/order/:id/close",
    { config, schema: { summary: "Close an unpaid order", params: IdParams, response: order } },
    async (request) => {
      const { id } = request.params;
      await closeOrder(db, viewerOf(request), await getOrder(db, id));
      return showOrder(id);
    },
  );

  app.post(
    "/payment/order/:id/refund",
    {
      config,
      schema: {
        summary: "Record an order as refunded",
        params: IdParams,
        body: OrderRefund,
        response: order,
      },
    },
    async (request) => {
      const { id } = request.params;
      await getOrder(db, id);
      await refundOrder(db, viewerOf(request), { id, reason: request.body.reason });
      return showOrder(id);
    },
  );
}
