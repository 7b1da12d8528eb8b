/** Lists of orders, for their owner or for administrators. */
import { type OrderQuery, type OrderRow, OrderStatus, type OwnOrder } from "@gateway/shared/billing/order";
import { type Actor, writeAudit } from "#domain/audit-log/audit.ts";
import { conflict, notFound } from "#errors.ts";
import { currentTime, unixTime } from "#platform/clock.ts";
import type { Db } from "#platform/database/db.ts";
import { containsText } from "#platform/database/text-search.ts";
import type { Order, PaymentGateway, Prisma, PrismaClient } from "#platform/prisma/client.ts";

export type OrderWithGateway = Order & { gateway: PaymentGateway };

interface Slice {
  skip: number;
  take: number;
  orderBy: Prisma.OrderOrderByWithRelationInput[];
}

type Filter = Pick<
  OrderQuery,
  | "user_id"
  | "username"
  | "gateway_id"
  | "trade_no"
  | "gateway_no"
  | "status"
  | "start_timestamp"
  | "end_timestamp"
>;

export async function listOrders(
  db: Db,
  filter: Filter & Slice,
): Promise<{ rows: OrderRow[]; total: number }> {
  const { skip, take, orderBy } = filter;
  const where = whereOf(filter);
  const [rows, total] = await Promise.all([
    db.order.findMany({
      where,
      skip,
      take,
      orderBy,
      include: { gateway: true, user: { select: { username: true } } },
    }),
    db.order.count({ where }),
  ]);
  return { rows: rows.map((row) => describeOrder(row, row.user.username)), total };
}

export async function listOwnOrders(
  db: Db,
  userId: number,
  { skip, take, orderBy }: Slice,
): Promise<{ rows: OwnOrder[]; total: number }> {
  const where = { user_id: userId };
  const [rows, total] = await Promise.all([
    db.order.findMany({ where, skip, take, orderBy, include: { gateway: true } }),
    db.order.count({ where }),
  ]);
  return { rows: rows.map(describeOwnOrder), total };
}

/** Throws `not_found`, also for an order of another user. */
export async function getOwnOrder(db: Db, userId: number, trade_no: string): Promise<OrderWithGateway> {
  const order = await db.order.findFirst({
    where: { trade_no, user_id: userId },
    include: { gateway: true },
  });
  if (order === null) throw notFound({ reason: "order_not_found" });
  return order;
}

/** Throws `not_found`. */
export async function getOrder(
  db: Db,
  id: number,
): Promise<OrderWithGateway & { user: { username: string } }> {
  const order = await db.order.findUnique({
    where: { id },
    include: { gateway: true, user: { select: { username: true } } },
  });
  if (order === null) throw notFound({ reason: "order_not_found" });
  return order;
}

/**
 * Closes an open order. A later payment is still credited. Throws `conflict` when the order is not open.
 */
export async function closeOrder(
  db: PrismaClient,
  actor: Actor,
  order: Pick<Order, "id" | "trade_no">,
): Promise<void> {
  await db.$transaction(async (tx) => {
    const { count } = await tx.order.updateMany({
      where: { id: order.id, status: "pending" },
      data: { status: "closed", updated_at: currentTime() },
    });
    if (count === 0) throw conflict({ reason: "order_not_open" });
    await writeAudit(tx, {
      actor,
      action: "order.close",
      targetType: "order",
      targetId: order.trade_no,
      before: { status: "pending" },
      after: { status: "closed" },
    });
  });
}

export function describeOwnOrder(row: OrderWithGateway): OwnOrder {
  return {
    id: row.id,
    trade_no: row.trade_no,
    gateway_name: row.gateway.name,
    gateway_icon: row.gateway.icon,
    amount: row.amount,
    order_amount: row.order_amount.toNumber(),
    order_currency: row.order_currency,
    fee: row.fee.toNumber(),
    discount: row.discount.toNumber(),
    quota: Number(row.quota),
    status: OrderStatus.parse(row.status),
    created_at: unixTime(row.created_at),
    paid_at: row.paid_at === null ? null : unixTime(row.paid_at),
  };
}

export function describeOrder(row: OrderWithGateway, username: string): OrderRow {
  const { gateway_id, user_id, trouble, refund_reason } = row;
  return {
    ...describeOwnOrder(row),
    gateway_id,
    gateway_no: row.gateway_no ?? "",
    user_id,
    username,
    trouble,
    // Only this module writes this column.
    trouble_facts: row.trouble_facts as Record<string, string>,
    refunded_at: row.refunded_at === null ? null : unixTime(row.refunded_at),
    refund_reason,
  };
}

function whereOf(filter: Filter): Prisma.OrderWhereInput {
  const where: Prisma.OrderWhereInput = {};
  if (filter.user_id !== 0) where.user_id = filter.user_id;
  if (filter.username !== "") where.user = { OR: userNameConditions(filter.username) };
  if (filter.gateway_id !== 0) where.gateway_id = filter.gateway_id;
  if (filter.trade_no !== "") where.trade_no = filter.trade_no;
  if (filter.gateway_no !== "") where.gateway_no = filter.gateway_no;
  if (filter.status !== "") where.status = filter.status;
  const { start_timestamp: start, end_timestamp: end } = filter;
  if (start > 0 || end > 0) {
    where.created_at = {
      ...(start > 0 ? { gte: new Date(start * 1000) } : {}),
      ...(end > 0 ? { lte: new Date(end * 1000) } : {}),
    };
  }
  return where;
}

function userNameConditions(text: string): Prisma.UserWhereInput[] {
  const id = /^\d{1,9}$/.test(text) ? [{ id: Number(text) }] : [];
  return [{ username: containsText(text) }, { display_name: containsText(text) }, ...id];
}
