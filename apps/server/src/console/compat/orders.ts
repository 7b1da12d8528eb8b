/**
 * Orders in One Hub's format: the status route returns `success` for a paid order, and an Epay order is a
 * form to post.
 */
import { OpenedOrder } from "@gateway/shared/billing/order";
import { z } from "zod";
import { TradeNo, watchedOrder } from "#console/billing/orders.ts";
import { viewerOf } from "#console/guards.ts";
import { type CompatRoute, handleWith, formatWith } from "./plugin/route.ts";

const OlderOrder = OpenedOrder.extend({
  data: OpenedOrder.shape.data.extend({ method: z.enum(["GET", "POST"]) }),
});

/**
 * Returns the order as a form. Epay's page accepts a link and a form alike; the signature covers the same
 * values.
 */
function encodeOrder(order: OpenedOrder): z.input<typeof OlderOrder> {
  const address = URL.parse(order.data.url);
  if (order.type !== 1 || address === null || !address.pathname.endsWith("/submit.php")) return order;
  const params = Object.fromEntries(address.searchParams);
  address.search = "";
  return { ...order, data: { url: address.href, method: "POST", params } };
}

const status = handleWith(
  { query: TradeNo, data: z.undefined() },
  async ({ query }, { request, services }) => {
    const order = await watchedOrder(services, request.log, viewerOf(request).id, query.trade_no);
    return { success: order.status === "success" };
  },
);

export const orderCompat: Record<string, CompatRoute> = {
  "POST /user/order": { answer: formatWith(OpenedOrder, OlderOrder, encodeOrder) },
  "GET /user/order/status": { handle: status },
};
