import { sealCode } from "#domain/credits/redemptions.ts";
import { sealConfig } from "#domain/payments/payment-deps.ts";
import { addPrices, checkPrice } from "#domain/pricing/prices.ts";
import { seedPrices } from "#domain/pricing/seed-prices.ts";
import type { OrderRecord, PaymentRecord, PriceRecord, RedemptionRecord } from "#migration/records.ts";
import type { Db } from "#platform/database/db.ts";
import { findExistingIds, inBatches, type WriteContext } from "./write-context.ts";

/** Replaces the price list of a first start. What is not in the source has no price: no one decided on ours. */
export async function writePrices(context: WriteContext, records: AsyncIterable<PriceRecord>): Promise<void> {
  const { tx, book } = context;
  // The versions stay, so that the next start does not add what the source did not have.
  await seedPrices(tx);
  await tx.price.deleteMany();
  await inBatches(context, "prices", records, async (batch) => {
    const fitting = batch.filter((price) => {
      try {
        checkPrice(price);
        return true;
      } catch {
        book.skip("prices", "price_refused", price.model);
        return false;
      }
    });
    await addPrices(tx, fitting);
    book.imported("prices", fitting.length);
  });
}

export async function writeRedemptions(context: WriteContext, records: AsyncIterable<RedemptionRecord>) {
  const { tx, book, secrets, now } = context;
  await inBatches(context, "redemptions", records, async (batch) => {
    const { count } = await tx.redemption.createMany({
      data: batch.map((code) => ({
        id: code.id,
        user_id: code.userId,
        name: code.name,
        ...sealCode(secrets, code.key),
        status: code.status,
        quota: code.quota,
        redeemed_by: code.redeemedBy,
        created_time: code.createdTime ?? now,
        redeemed_time: code.redeemedTime ?? null,
        expires_at: code.expiresAt ?? null,
      })),
      skipDuplicates: true,
    });
    for (let repeated = batch.length - count; repeated > 0; repeated -= 1)
      book.skip("redemptions", "code_repeated");
    book.imported("redemptions", count);
  });
}

export async function writePayments(context: WriteContext, records: AsyncIterable<PaymentRecord>) {
  const { tx, book, secrets, now } = context;
  await inBatches(context, "payments", records, async (batch) => {
    const { count } = await tx.paymentGateway.createMany({
      data: batch.map((gateway) => ({
        id: gateway.id,
        uuid: gateway.uuid,
        type: gateway.type,
        name: gateway.name,
        icon: gateway.icon,
        notify_domain: gateway.notifyDomain,
        currency: gateway.currency,
        fixed_fee: gateway.fixedFee,
        percent_fee: gateway.percentFee,
        config_encrypted: sealConfig(secrets, gateway.uuid, textsOf(gateway.config)),
        sort: gateway.sort,
        enable: gateway.enable,
        created_at: gateway.createdAt ?? now,
        deleted_at: gateway.deletedAt ?? null,
      })),
      skipDuplicates: true,
    });
    for (let repeated = batch.length - count; repeated > 0; repeated -= 1)
      book.skip("payments", "payment_repeated");
    book.imported("payments", count);
  });
}

function textsOf(config: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(config).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])),
  );
}

export async function writeOrders(context: WriteContext, records: AsyncIterable<OrderRecord>) {
  const { tx, book, now } = context;
  await inBatches(context, "orders", records, async (batch) => {
    const payers = await findExistingIds(
      tx,
      "users",
      batch.map((order) => order.userId),
    );
    const gateways = await findExistingIds(
      tx,
      "payments",
      batch.map((order) => order.gatewayId),
    );
    const fitting = batch.filter((order) => {
      const fits = payers.has(order.userId) && gateways.has(order.gatewayId);
      if (!fits) book.skip("orders", "order_orphan", order.tradeNo);
      return fits;
    });
    const numbers = await paidNumbers(tx, fitting);
    const { count } = await tx.order.createMany({
      data: fitting.map((order) => ({
        id: order.id,
        trade_no: order.tradeNo,
        gateway_no: onlyOnce(numbers, order),
        user_id: order.userId,
        gateway_id: order.gatewayId,
        amount: order.amount,
        order_amount: order.orderAmount,
        order_currency: order.orderCurrency,
        fee: order.fee,
        discount: order.discount,
        quota: order.quota,
        status: order.status,
        paid_at: order.status === "success" ? (order.updatedAt ?? order.createdAt ?? now) : null,
        created_at: order.createdAt ?? now,
        updated_at: order.updatedAt ?? order.createdAt ?? now,
      })),
      skipDuplicates: true,
    });
    for (let repeated = fitting.length - count; repeated > 0; repeated -= 1)
      book.skip("orders", "order_repeated");
    book.imported("orders", count);
  });
}

/** Payments of this batch that belong to earlier orders. */
async function paidNumbers(tx: Db, batch: readonly OrderRecord[]): Promise<Set<string>> {
  const rows = await tx.order.findMany({
    where: {
      gateway_id: { in: [...new Set(batch.map((order) => order.gatewayId))] },
      gateway_no: { in: batch.map((order) => order.gatewayNo).filter((number) => number !== "") },
    },
    select: { gateway_id: true, gateway_no: true },
  });
  return new Set(rows.map((row) => paymentOf(row.gateway_id, row.gateway_no ?? "")));
}

const paymentOf = (gatewayId: number, number: string) => `${gatewayId} ${number}`;

/** One payment is one order's. */
function onlyOnce(numbers: Set<string>, { gatewayId, gatewayNo }: OrderRecord): string | null {
  const key = paymentOf(gatewayId, gatewayNo);
  if (gatewayNo === "" || numbers.has(key)) return null;
  numbers.add(key);
  return gatewayNo;
}
