/** Opens orders. An order is stored before the payment gateway receives it. */
import { discountsFor } from "@gateway/shared/billing/discount";
import {
  MAX_TOP_UP,
  type OpenedOrder,
  type OrderInput,
  type OrderState,
  OrderStatus,
  OrderTrouble,
  type TopUpTerms,
} from "@gateway/shared/billing/order";
import { formatCents, type OrderPrice, parseCents, priceOrder } from "@gateway/shared/billing/order-price";
import { PaymentCurrency } from "@gateway/shared/billing/payment-config";
import { plainReason, type Reason } from "@gateway/shared/reasons";
import type { Settings } from "@gateway/shared/site/settings";
import { raiseNotice } from "#domain/notices/notices.ts";
import { publicUrlOf } from "#domain/settings/public-url.ts";
import { conflict, GatewayError, invalidRequest, notFound, reasonOfError } from "#errors.ts";
import { currentTime, unixTime } from "#platform/clock.ts";
import { lockCount } from "#platform/database/advisory-locks.ts";
import type { Order, PaymentGateway, Prisma, PrismaClient } from "#platform/prisma/client.ts";
import { randomText } from "#platform/secrets.ts";
import { notifyUrlOf } from "./gateways.ts";
import { clientOf, type PaymentDeps } from "./payment-deps.ts";

const HOUR_MS = 3_600_000;
/** The gateway accepts no payment after this time. The order is closed an hour later. */
const OPEN_FOR_MS = 2 * HOUR_MS;
export const GIVEN_UP_AFTER_MS = 3 * HOUR_MS;
const MOST_OPEN = 20;

export interface OpenOrderInput extends OrderInput {
  userId: number;
  /** Public address of this site, including its base path. */
  siteUrl: string;
}

export function termsFor(settings: Settings, group: string): TopUpTerms {
  return {
    available: publicUrlOf(settings) !== undefined,
    min_amount: settings.PaymentMinAmount,
    max_amount: MAX_TOP_UP,
    usd_rate: settings.PaymentUSDRate,
    discounts: [...discountsFor(settings.RechargeDiscount, group)].map(([amount, discount]) => ({
      amount,
      discount,
    })),
    points_per_usd: settings.QuotaPerUnit,
  };
}

/**
 * Opens an order at a payment gateway. Throws `invalid_request` for an invalid amount, `not_found` for a
 * disabled gateway, `conflict` when the price differs from the displayed one, `rate_limit_exceeded` with too
 * many open orders, and the gateway's own errors.
 */
export async function openOrder(deps: PaymentDeps, input: OpenOrderInput): Promise<OpenedOrder> {
  const { userId, amount } = input;
  const settings = deps.settings();
  const payer = await deps.db.user.findUniqueOrThrow({
    where: { id: userId },
    select: { group: true, email: true },
  });
  const gateway = await deps.db.paymentGateway.findFirst({
    where: { uuid: input.uuid, enable: true, deleted_at: null },
  });
  if (gateway === null) throw notFound({ reason: "payment_gateway_not_found" });
  const price = priceFor(settings, payer.group, gateway, amount);
  if (input.order_amount !== undefined && parseCents(input.order_amount) !== price.total) {
    throw conflict({ reason: "price_changed" });
  }
  const now = currentTime();
  const order = await storeOrder(deps.db, {
    trade_no: tradeNo(now),
    created_at: now,
    user_id: userId,
    gateway_id: gateway.id,
    amount,
    order_amount: formatCents(price.total),
    order_currency: gateway.currency,
    fee: formatCents(price.fee),
    discount: formatCents(price.discount),
    quota: pointsOf(settings, amount),
  });
  const expiresAt = closesAt(order);
  try {
    const opened = await clientOf(deps, gateway).open({
      tradeNo: order.trade_no,
      cents: price.total,
      currency: PaymentCurrency.parse(gateway.currency),
      title: titleOf(settings, amount),
      notifyUrl: notifyUrlOf(gateway, input.siteUrl),
      returnUrl: `${input.siteUrl}/api/payment/return/${order.trade_no}`,
      expiresAt,
      email: payer.email ?? "",
    });
    const data = { session: opened.session ?? "", pay_kind: opened.kind, pay_url: opened.url };
    return openedOrder(await deps.db.order.update({ where: { id: order.id }, data }), gateway.name);
  } catch (error) {
    await fail(deps, gateway, order.trade_no, error);
    throw error;
  }
}

/** Returns the title without field separators, because some gateways sign it without encoding. */
function titleOf({ SystemName }: Settings, amount: number): string {
  return `${SystemName.replaceAll(/[&=\p{C}]+/gu, " ").trim() || "Top-up"} $${amount}`;
}

/** Returns how to pay an order, as its gateway opened it. */
function openedOrder(order: Order, gatewayName: string): OpenedOrder {
  return {
    trade_no: order.trade_no,
    type: order.pay_kind === "link" ? 1 : 2,
    data: { url: order.pay_url, method: "GET", params: {} },
    order_amount: order.order_amount.toNumber(),
    order_currency: order.order_currency,
    gateway_name: gatewayName,
    expires_at: unixTime(closesAt(order)),
  };
}

function closesAt(order: Pick<Order, "created_at">): Date {
  return new Date(order.created_at.getTime() + OPEN_FOR_MS);
}

/** Returns the state of an order, and how to pay it while that is possible. */
export function stateOf(order: Order & { gateway: PaymentGateway }): OrderState {
  const payable = order.status === "pending" && order.pay_url !== "" && closesAt(order) > currentTime();
  return {
    trade_no: order.trade_no,
    status: OrderStatus.parse(order.status),
    quota: Number(order.quota),
    opened: payable ? openedOrder(order, order.gateway.name) : null,
  };
}

function priceFor(settings: Settings, group: string, gateway: PaymentGateway, amount: number): OrderPrice {
  if (amount < settings.PaymentMinAmount) throw amountRefused("amount_below_minimum");
  const price = priceOrder({
    amount,
    discount: discountsFor(settings.RechargeDiscount, group).get(amount) ?? 1,
    fixed_fee: gateway.fixed_fee.toNumber(),
    percent_fee: gateway.percent_fee.toNumber(),
    currency: PaymentCurrency.parse(gateway.currency),
    usd_rate: settings.PaymentUSDRate,
  });
  if (price.total < 1n) throw amountRefused("amount_below_minimum");
  return price;
}

function pointsOf(settings: Settings, amount: number): bigint {
  const points = Math.round(amount * settings.QuotaPerUnit);
  if (points >= 1 && Number.isSafeInteger(points)) return BigInt(points);
  throw amountRefused("balance_too_high");
}

function amountRefused(reason: "amount_below_minimum" | "balance_too_high"): GatewayError {
  return invalidRequest({ reason }, { field: "amount" });
}

/** Stores an order. Throws `rate_limit_exceeded` with too many open ones of its user. */
async function storeOrder(
  db: PrismaClient,
  data: Prisma.OrderUncheckedCreateInput & { user_id: number },
): Promise<Order> {
  const { user_id } = data;
  const since = new Date(currentTime().getTime() - GIVEN_UP_AFTER_MS);
  return db.$transaction(async (tx) => {
    await lockCount(tx, `orders:${user_id}`);
    const open = await tx.order.count({ where: { user_id, status: "pending", created_at: { gt: since } } });
    if (open >= MOST_OPEN) throw new GatewayError("rate_limit_exceeded", { reason: "too_many_orders" });
    return tx.order.create({ data });
  });
}

/** Returns the UTC time plus 60 random bits: 26 letters and digits, which every gateway accepts. */
function tradeNo(now: Date): string {
  const instant = now.toISOString().replace(/\D/g, "").slice(0, 14);
  return instant + randomText(12);
}

/** Marks the order as failed and notifies operators with the reason. */
async function fail(
  deps: PaymentDeps,
  gateway: PaymentGateway,
  trade_no: string,
  error: unknown,
): Promise<void> {
  const reason = reasonOf(error);
  await deps.db.$transaction(async (tx) => {
    await tx.order.updateMany({
      where: { trade_no, status: "pending" },
      data: {
        status: "failed",
        trouble: OrderTrouble.enum.not_opened,
        trouble_facts: { reason: reason.slice(0, 500) },
        updated_at: currentTime(),
      },
    });
    await raiseNotice(tx, {
      event: "payment-trouble",
      topic: `payment:${gateway.id}`,
      facts: { name: gateway.name, order: trade_no },
      reason: causeOf(error),
    });
  });
}

/** Returns the reason of an error. The cause contains the message of the gateway or the network. */
function causeOf(error: unknown): Reason {
  return error instanceof GatewayError && !(error.cause instanceof Error)
    ? reasonOfError(error)
    : plainReason(reasonOf(error));
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  return error.cause instanceof Error ? error.cause.message : error.message;
}
