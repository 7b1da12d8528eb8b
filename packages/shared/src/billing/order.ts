import { z } from "zod";
import { orderStatuses } from "#billing/order-status.ts";
import { because } from "#errors/issue.ts";
import { Page, PageQuery, Points, UnixTime, queryInt } from "#paging.ts";
export { orderStatuses } from "#billing/order-status.ts";

export const MAX_TOP_UP = 1_000_000;

export const OrderStatus = z.enum(orderStatuses);
export type OrderStatus = z.infer<typeof OrderStatus>;

/** POST /api/user/order. */
export const OrderInput = z.object({
  /** Id of the payment gateway. */
  uuid: z.string().trim().min(1, because("payment_choose")).max(36),
  /** Whole US dollars. */
  amount: z
    .int(because("whole_dollars"))
    .min(1, because("whole_dollars"))
    .max(MAX_TOP_UP, because("dollars_too_many")),
  /** The price that was displayed. The order is rejected if the price has changed. */
  order_amount: z.string().max(20).optional(),
});
export type OrderInput = z.infer<typeof OrderInput>;

/** How to pay: 1 = open `url` (with `params`, by `method`), 2 = show `url` as a QR code. */
export const OpenedOrder = z.object({
  trade_no: z.string(),
  type: z.union([z.literal(1), z.literal(2)]),
  data: z.object({
    url: z.string(),
    method: z.literal("GET"),
    params: z.record(z.string(), z.string()),
  }),
  order_amount: z.number(),
  order_currency: z.string(),
  gateway_name: z.string(),
  expires_at: UnixTime,
});
export type OpenedOrder = z.infer<typeof OpenedOrder>;

const values = {
  id: z.int(),
  trade_no: z.string(),
  gateway_name: z.string(),
  gateway_icon: z.string(),
  /** Whole US dollars. */
  amount: z.int(),
  /** Amount to pay, in `order_currency`. */
  order_amount: z.number(),
  order_currency: z.string(),
  /** US dollars. */
  fee: z.number(),
  discount: z.number(),
  quota: Points,
  status: OrderStatus,
  created_at: UnixTime,
  paid_at: UnixTime.nullable(),
};

/** An order of the user: GET /api/user/order. */
export const OwnOrder = z.object(values);
export type OwnOrder = z.infer<typeof OwnOrder>;
export const OwnOrderPage = Page(OwnOrder);
export type OwnOrderPage = z.infer<typeof OwnOrderPage>;

export const OwnOrderQuery = PageQuery;

/** Problems of an order. Each has a message in the console, with values from `trouble_facts`. */
export const OrderTrouble = z.enum([
  /** Facts: reason, as the gateway reported it. */
  "not_opened",
  "unknown_order",
  "other_gateway",
  "paid_twice",
  /** Facts: paid, expected. */
  "other_currency",
  "other_amount",
  "payment_of_another_order",
]);
export type OrderTrouble = z.infer<typeof OrderTrouble>;

/** POST /api/payment/order/:id/refund. */
export const OrderRefund = z.object({
  reason: z.string().trim().min(1, because("reason_required")).max(300),
});

/** A row of GET /api/payment/order, for administrators. */
export const OrderRow = z.object({
  ...values,
  gateway_id: z.int(),
  gateway_no: z.string(),
  user_id: z.int(),
  username: z.string(),
  /** "" without a problem. Orders from before the codes existed contain a sentence. */
  trouble: z.string(),
  trouble_facts: z.record(z.string(), z.string()),
  refunded_at: UnixTime.nullable(),
  refund_reason: z.string(),
});
export type OrderRow = z.infer<typeof OrderRow>;
export const OrderPage = Page(OrderRow);
export type OrderPage = z.infer<typeof OrderPage>;

const seconds = queryInt(z.int().min(0).max(253_402_300_799)).catch(0).default(0);
const anId = queryInt(z.int().min(0).max(2_147_483_647)).catch(0).default(0);

/** 0 and "" mean all. */
export const OrderQuery = PageQuery.extend({
  user_id: anId,
  /** Part of a user name or a display name, or the id. */
  username: z.string().trim().max(100).default(""),
  gateway_id: anId,
  trade_no: z.string().trim().max(50).default(""),
  gateway_no: z.string().trim().max(100).default(""),
  status: z
    .union([z.literal(""), OrderStatus])
    .catch("")
    .default(""),
  start_timestamp: seconds,
  end_timestamp: seconds,
});
export type OrderQuery = z.infer<typeof OrderQuery>;

/** GET /api/user/payment/terms. */
export const TopUpTerms = z.object({
  /** False while no order can be created, because the server address is not configured. */
  available: z.boolean(),
  min_amount: z.int(),
  max_amount: z.int(),
  usd_rate: z.number(),
  /** For the user's group: whole dollar amounts and their multipliers. */
  discounts: z.array(z.object({ amount: z.int(), discount: z.number() })),
  points_per_usd: z.number(),
});
export type TopUpTerms = z.infer<typeof TopUpTerms>;

/** GET /api/user/order/status. */
export const OrderState = z.object({
  trade_no: z.string(),
  status: OrderStatus,
  quota: Points,
  /** How to pay the order, while it can be paid. */
  opened: OpenedOrder.nullable(),
});
export type OrderState = z.infer<typeof OrderState>;
