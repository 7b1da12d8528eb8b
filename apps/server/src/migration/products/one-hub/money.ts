import { type PaymentType, paymentConfigs } from "@gateway/shared/billing/payment-config";
import { defaultExtras } from "#domain/pricing/pricing.ts";
import type { ReadContext } from "#migration/products/product.ts";
import type { OrderRecord, PaymentRecord, PriceRecord } from "#migration/records.ts";
import {
  truncateText,
  decimal,
  deletion,
  flag,
  int,
  json,
  points,
  record,
  seconds,
  text,
} from "#migration/row.ts";
import type { SourceRow } from "#migration/sources/source.ts";

const anthropic = 14;
const defaultWrite = "1.25";

/** The table has no key: of two rows of a model the last one counted. */
export async function* oneHubPrices({ source, book }: ReadContext): AsyncGenerator<PriceRecord> {
  const prices = new Map<string, PriceRecord>();
  for await (const row of source.rows({ table: "prices" })) {
    book.read("prices");
    const model = text(row, "model").trim();
    if (prices.has(model)) {
      book.skip("prices", "price_repeated", model);
      prices.delete(model);
    }
    const price = priceOf(row, model, book);
    if (price !== undefined) prices.set(model, price);
  }
  yield* prices.values();
}

function priceOf(row: SourceRow, model: string, book: ReadContext["book"]): PriceRecord | undefined {
  const input = decimal(text(row, "input"));
  const output = decimal(text(row, "output"));
  if (input === undefined || output === undefined || Number(input) < 0 || Number(output) < 0) {
    book.skip("prices", "price_unusable", model);
    return undefined;
  }
  const type = text(row, "type") === "times" ? "times" : "tokens";
  return {
    model,
    type,
    channelType: int(row, "channel_type"),
    input,
    output,
    extras: type === "times" ? {} : extrasOf(row, model, book),
    tiers: [],
    locked: flag(row, "locked"),
  };
}

function extrasOf(row: SourceRow, model: string, book: ReadContext["book"]): Record<string, string> {
  const extras: Record<string, string> = {};
  for (const [kind, value] of Object.entries(record(json(row, "extra_ratios")))) {
    const ratio = decimal(value);
    if (Object.hasOwn(defaultExtras, kind) && ratio !== undefined && Number(ratio) >= 0) extras[kind] = ratio;
    else if (ratio !== "1") book.attention("price_extra", `${model}: ${kind}`);
  }
  // One Hub charged what is kept for an hour like what is kept for five minutes.
  if (extras["cached_write_tokens"] !== undefined || int(row, "channel_type") === anthropic)
    extras["cached_write_1h_tokens"] = extras["cached_write_tokens"] ?? defaultWrite;
  return extras;
}

export async function* oneHubPayments({ source, book }: ReadContext): AsyncGenerator<PaymentRecord> {
  if (!source.columns.has("payments")) return;
  for await (const row of source.rows({ table: "payments", orderBy: "id" })) {
    book.read("payments");
    const id = int(row, "id");
    const type = text(row, "type").trim();
    const uuid = text(row, "uuid").trim();
    if (!(type in paymentConfigs) || uuid === "" || id <= 0) {
      book.skip("payments", "payment_type", `${id}: ${type}`);
      continue;
    }
    const given = record(json(row, "config"));
    const checked = paymentConfigs[type as PaymentType].safeParse(given);
    const deletedAt = deletion(row);
    if (!checked.success && deletedAt === undefined)
      book.attention("payment_incomplete", `${id}: ${text(row, "name")}`);
    yield {
      id,
      uuid: truncateText(uuid, 36),
      type,
      name: truncateText(text(row, "name"), 255),
      icon: truncateText(text(row, "icon"), 300),
      notifyDomain: truncateText(text(row, "notify_domain"), 300),
      currency: truncateText(text(row, "currency"), 5) || "CNY",
      fixedFee: decimal(text(row, "fixed_fee"), 2) ?? "0",
      percentFee: decimal(text(row, "percent_fee"), 4) ?? "0",
      config: checked.success ? checked.data : given,
      sort: int(row, "sort"),
      enable: flag(row, "enable", true) && checked.success,
      createdAt: seconds(row, "created_at"),
      deletedAt,
    };
  }
}

const dayMs = 86_400_000;

export async function* oneHubOrders({ source, book, now }: ReadContext): AsyncGenerator<OrderRecord> {
  if (!source.columns.has("orders")) return;
  for await (const row of source.rows({ table: "orders", orderBy: "id" })) {
    if (deletion(row) !== undefined) continue;
    book.read("orders");
    const id = int(row, "id");
    const tradeNo = text(row, "trade_no").trim();
    if (id <= 0 || tradeNo === "") {
      book.skip("orders", "order_without_number", `order ${id}`);
      continue;
    }
    const createdAt = seconds(row, "created_at");
    const written = text(row, "status");
    const status = ["success", "failed", "closed"].includes(written) ? written : "pending";
    const isOld = createdAt === undefined || now.getTime() - createdAt.getTime() > dayMs;
    yield {
      id,
      userId: int(row, "user_id"),
      gatewayId: int(row, "gateway_id"),
      tradeNo: truncateText(tradeNo, 50),
      gatewayNo: truncateText(text(row, "gateway_no").trim(), 200),
      amount: int(row, "amount"),
      orderAmount: decimal(text(row, "order_amount"), 2) ?? "0",
      orderCurrency: truncateText(text(row, "order_currency"), 5),
      fee: decimal(text(row, "fee"), 2) ?? "0",
      discount: decimal(text(row, "discount"), 2) ?? "0",
      quota: points(row, "quota"),
      status: status === "pending" && isOld ? "closed" : status,
      createdAt,
      updatedAt: seconds(row, "updated_at"),
    };
  }
}
