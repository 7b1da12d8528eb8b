/** Polls gateways for orders without a notification, and eventually closes these orders. */
import { currentTime } from "#platform/clock.ts";
import type { Order, PaymentGateway } from "#platform/prisma/client.ts";
import { GIVEN_UP_AFTER_MS } from "./open-order.ts";
import { clientOf, type PaymentDeps } from "./payment-deps.ts";
import { isFinal, takePayment } from "./take-payment.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const FIRST_AFTER_MS = MINUTE_MS;
const AGAIN_AFTER_MS = 5 * MINUTE_MS;
const MOST_AT_ONCE = 50;

/**
 * Asks the gateway whether an order is paid, unless it was checked recently. Returns true when the gateway
 * was queried. Throws the errors of the gateway's connection.
 */
export async function askForOrder(
  deps: PaymentDeps,
  order: Order & { gateway: PaymentGateway },
  quietMs: number,
): Promise<boolean> {
  const { query } = clientOf(deps, order.gateway);
  if (query === undefined || isFinal(order)) return false;
  // Only the request that updates `checked_at` queries the gateway, so that several nodes and a waiting
  // browser query it once.
  const { count } = await deps.db.order.updateMany({
    where: {
      id: order.id,
      OR: [{ checked_at: null }, { checked_at: { lt: new Date(currentTime().getTime() - quietMs) } }],
    },
    data: { checked_at: currentTime() },
  });
  if (count === 0) return false;
  const payment = await query({ tradeNo: order.trade_no, session: order.session });
  if (payment !== undefined) await takePayment(deps, order.gateway, payment, "");
  return true;
}

/** Checks orders that have been open for a while, and closes orders that have been open for too long. */
export async function watchOrders(deps: PaymentDeps, onError: (error: unknown) => void): Promise<void> {
  const now = currentTime().getTime();
  const orders = await deps.db.order.findMany({
    where: {
      status: "pending",
      created_at: { lt: new Date(now - FIRST_AFTER_MS), gt: new Date(now - DAY_MS) },
      OR: [{ checked_at: null }, { checked_at: { lt: new Date(now - AGAIN_AFTER_MS) } }],
    },
    orderBy: [{ checked_at: { sort: "asc", nulls: "first" } }, { id: "asc" }],
    take: MOST_AT_ONCE,
    include: { gateway: true },
  });
  const silent = new Set<number>();
  for (const order of orders) {
    // Skips a gateway that failed, because its timeouts would delay the other orders.
    if (silent.has(order.gateway_id)) continue;
    try {
      await askForOrder(deps, order, AGAIN_AFTER_MS);
    } catch (error) {
      silent.add(order.gateway_id);
      onError(error);
    }
  }
  await giveUp(deps, now, silent);
}

/**
 * Closes old orders, but up to a day later while the gateway fails, because they may be paid.
 * Late payments are still credited.
 */
async function giveUp(deps: PaymentDeps, now: number, silent: ReadonlySet<number>): Promise<void> {
  await deps.db.order.updateMany({
    where: {
      status: "pending",
      OR: [
        {
          created_at: { lt: new Date(now - GIVEN_UP_AFTER_MS) },
          gateway_id: { notIn: [...silent] },
        },
        { created_at: { lt: new Date(now - DAY_MS) } },
      ],
    },
    data: { status: "closed", updated_at: currentTime() },
  });
}
