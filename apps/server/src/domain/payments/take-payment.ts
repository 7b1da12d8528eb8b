/**
 * The only path from a payment to a credit, for notifications and queries alike. The order's row is locked
 * first, so that concurrent reports of one payment run in sequence and the second one has no effect.
 */
import { isDeepStrictEqual } from "node:util";
import type { OrderTrouble } from "@gateway/shared/billing/order";
import { formatCents, parseCents } from "@gateway/shared/billing/order-price";
import type { ErrorParams } from "@gateway/shared/errors";
import { reasonBecause, reasonOf } from "@gateway/shared/reasons";
import { writeAudit, systemActor } from "#domain/audit-log/audit.ts";
import { promoteUser } from "#domain/credits/promotion.ts";
import { addToInbox } from "#domain/inbox/entries.ts";
import { credit } from "#domain/ledger/balances/credit.ts";
import { raiseNotice } from "#domain/notices/notices.ts";
import { conflict, reasonOfError } from "#errors.ts";
import type { Payment } from "#payments/gateway.ts";
import { currentTime } from "#platform/clock.ts";
import type { Db } from "#platform/database/db.ts";
import type { Order, PaymentGateway } from "#platform/prisma/client.ts";
import type { PaymentDeps } from "./payment-deps.ts";

const DAY_MS = 86_400_000;

/**
 * Credits a payment. Returns "known" when it was credited before. Throws `conflict` when the payment does not
 * match the gateway's order; then operators are notified and nothing is credited.
 */
export async function takePayment(
  deps: PaymentDeps,
  gateway: PaymentGateway,
  payment: Payment,
  ip: string,
): Promise<"credited" | "known"> {
  const verdict = await deps.db.$transaction(async (tx) => {
    await tx.$queryRaw`SELECT 1 FROM orders WHERE trade_no = ${payment.tradeNo} FOR UPDATE`;
    const order = await tx.order.findUnique({ where: { trade_no: payment.tradeNo } });
    const trouble = await troubleWith(tx, order, gateway, payment);
    if (trouble !== undefined) {
      await reportTrouble(tx, gateway, payment, order, trouble);
      // A double payment is not the gateway's error, so the notification is acknowledged.
      return order !== null && isFinal(order) && order.gateway_id === gateway.id ? "known" : trouble;
    }
    if (order === null || isFinal(order)) return "known";
    await creditOrder(tx, deps, order, payment, ip);
    return "credited";
  });
  if (verdict === "credited" || verdict === "known") return verdict;
  throw conflict(verdict.params);
}

/** Returns whether an order is in a final state, which gateway reports cannot change. */
export function isFinal(order: Pick<Order, "status">): boolean {
  return order.status === "success" || order.status === "refunded";
}

/** A problem with a payment: a code for the order, and an error for operators and the gateway. */
interface Trouble {
  code: OrderTrouble;
  facts: Record<string, string>;
  params: ErrorParams<"conflict">;
}

function trouble(
  code: OrderTrouble,
  params: ErrorParams<"conflict">,
  facts: Record<string, string> = {},
): Trouble {
  return { code, facts, params };
}

async function troubleWith(
  tx: Db,
  order: Order | null,
  gateway: PaymentGateway,
  { gatewayNo, cents, currency }: Payment,
): Promise<Trouble | undefined> {
  if (order === null) return trouble("unknown_order", { reason: "payment_unknown_order" });
  if (order.gateway_id !== gateway.id) return trouble("other_gateway", { reason: "payment_other_gateway" });
  if (isFinal(order)) {
    return order.gateway_no === gatewayNo
      ? undefined
      : trouble("paid_twice", { reason: "payment_paid_twice" });
  }
  if (currency !== undefined && currency !== order.order_currency) {
    const facts = { paid: currency.slice(0, 8), expected: order.order_currency };
    return trouble("other_currency", { reason: "payment_other_currency", ...facts }, facts);
  }
  const expected = order.order_amount.toFixed(2);
  if (parseCents(expected) !== cents) {
    const facts = { paid: formatCents(cents), expected };
    return trouble("other_amount", { reason: "payment_other_amount", ...facts }, facts);
  }
  const other = await tx.order.findFirst({ where: { gateway_id: gateway.id, gateway_no: gatewayNo } });
  return other === null
    ? undefined
    : trouble("payment_of_another_order", { reason: "payment_of_another_order" });
}

async function creditOrder(
  tx: Db,
  deps: PaymentDeps,
  order: Order,
  payment: Payment,
  ip: string,
): Promise<void> {
  const now = currentTime();
  await tx.order.update({
    where: { id: order.id },
    data: {
      status: "success",
      gateway_no: payment.gatewayNo,
      trouble: "",
      trouble_facts: {},
      paid_at: now,
      updated_at: now,
    },
  });
  const { QuotaValidityDays: days, QuotaPerUnit } = deps.settings();
  const paid = `${order.order_amount.toFixed(2)} ${order.order_currency}`;
  await credit(tx, {
    userId: order.user_id,
    kind: "topup",
    amount: order.quota,
    reference: order.trade_no,
    reason: reasonOf("onlineTopUp", { order: order.trade_no, paid }),
    ip,
    ...(days > 0 ? { validUntil: new Date(now.getTime() + days * DAY_MS) } : {}),
  });
  await addToInbox(tx, order.user_id, {
    event: "payment-received",
    topic: `order:${order.trade_no}`,
    facts: { order: order.trade_no, paid, quota: String(order.quota) },
  });
  const group = await promoteUser(tx, order.user_id, QuotaPerUnit);
  await writeAudit(tx, {
    actor: { ...systemActor, ip },
    action: "order.pay",
    targetType: "order",
    targetId: order.trade_no,
    before: { status: order.status },
    after: {
      status: "success",
      user_id: order.user_id,
      gateway_id: order.gateway_id,
      gateway_no: payment.gatewayNo,
      paid,
      quota: order.quota,
      group,
    },
  });
}

/** Reports a problem once per order, because gateways repeat rejected notifications. */
async function reportTrouble(
  tx: Db,
  gateway: PaymentGateway,
  payment: Payment,
  order: Order | null,
  { code, facts, params }: Trouble,
): Promise<void> {
  const own = order !== null && order.gateway_id === gateway.id;
  if (own && order.trouble === code && isDeepStrictEqual(order.trouble_facts, facts)) return;
  if (own) await tx.order.update({ where: { id: order.id }, data: { trouble: code, trouble_facts: facts } });
  const problem = reasonOfError(conflict(params));
  if (own)
    await addToInbox(tx, order.user_id, {
      event: "payment-problem",
      topic: `order:${order.trade_no}`,
      facts: { order: order.trade_no },
      reason: problem,
    });
  await raiseNotice(tx, {
    event: "payment-trouble",
    topic: `order:${payment.tradeNo}`,
    facts: {
      name: gateway.name,
      order: payment.tradeNo,
      payment: payment.gatewayNo,
    },
    reason: reasonBecause("paymentTrouble", problem, {
      order: payment.tradeNo,
      payment: payment.gatewayNo,
    }),
  });
}
