import { plainReason, reasonOf } from "@gateway/shared/reasons";
import { type Actor, writeAudit } from "#domain/audit-log/audit.ts";
import { addToInbox } from "#domain/inbox/entries.ts";
import { credit } from "#domain/ledger/balances/credit.ts";
import { recallLeases } from "#domain/ledger/leases/recall-leases.ts";
import { conflict } from "#errors.ts";
import { currentTime } from "#platform/clock.ts";
import type { PrismaClient } from "#platform/prisma/client.ts";

/**
 * Records a refund that was made manually at the gateway: deducts the order's credit with the reason, in one
 * transaction. It is final. Throws `conflict` for an unpaid order and `invalid_request` when the balance is
 * too low; then nothing changes.
 */
export async function refundOrder(
  db: PrismaClient,
  actor: Actor,
  order: { id: number; reason: string },
): Promise<void> {
  const refunded = await db.order.findUnique({ where: { id: order.id }, select: { user_id: true } });
  if (refunded !== null) await recallLeases(db, refunded.user_id);
  await db.$transaction(async (tx) => {
    const { count } = await tx.order.updateMany({
      where: { id: order.id, status: "success" },
      data: {
        status: "refunded",
        refund_reason: order.reason,
        refunded_at: currentTime(),
        updated_at: currentTime(),
      },
    });
    if (count === 0) throw conflict({ reason: "order_not_paid" });
    const { trade_no, user_id, quota, gateway_no } = await tx.order.findUniqueOrThrow({
      where: { id: order.id },
    });
    await credit(tx, {
      userId: user_id,
      kind: "refund",
      amount: -quota,
      reference: trade_no,
      reason: reasonOf("orderRefund", { order: trade_no, reason: order.reason }),
      ...(actor.id === null ? {} : { actorId: actor.id }),
      ip: actor.ip,
    });
    await addToInbox(tx, user_id, {
      event: "payment-refunded",
      topic: `order:${trade_no}`,
      facts: { order: trade_no, quota: String(quota) },
      reason: plainReason(order.reason),
    });
    await writeAudit(tx, {
      actor,
      action: "order.refund",
      targetType: "order",
      targetId: trade_no,
      before: { status: "success" },
      after: { status: "refunded", user_id, gateway_no, quota: -quota, reason: order.reason },
    });
  });
}
