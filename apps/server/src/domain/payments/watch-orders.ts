import { currentTime } from "#platform/clock.ts";
import type { Order, PaymentGateway } from "#platform/prisma/client.ts";
import { GIVEN_UP_AFTER_MS } from "./open-order.ts";
import { clientOf, type PaymentDeps } from "./payment-deps.ts";
import { isFinal, takePayment } from "./take-payment.ts";

/** Orders whose notice has not come: asking the gateway for them, and giving them up at last. */

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const FIRST_AFTER_MS = MINUTE_MS;
const AGAIN_AFTER_MS = 5 * MINUTE_MS;
const MOST_AT_ONCE = 50;

/**
 * Asks the gateway whether an order is paid, unless someone just did. True when it was asked and answered. Throws
 * what the gateway's wire throws.
 */
export async function askForOrder(
  deps: PaymentDeps,
  order: Order & { gateway: PaymentGateway },
  quietMs: number,
): Promise<boolean> {
  const { query } = clientOf(deps, order.gateway);
  if (query === undefined || isFinal(order)) return false;
  // Whoever writes the instant asks, so that many nodes and a waiting browser ask once.
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

/** Asks for what is open for a while, and closes what is open for too long. */
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
    // One that does not answer would cost the others their turn.
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

/** Not while its gateway is silent, for a day: it may be paid. Money that comes even later is credited all the same. */
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
