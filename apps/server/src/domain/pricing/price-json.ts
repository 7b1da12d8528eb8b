/** Converts prices between JSON, with numeric ratios, and the domain, with exact decimal strings. */
import type { ListedPrice, PriceRow as PriceJson } from "@gateway/shared/billing/price";
import { trimEndOf } from "@gateway/shared/trim-end";
import { unixTime } from "#platform/clock.ts";
import { activePrice, type PriceRow, type SavePrice } from "./prices.ts";

type PriceFromJson = Omit<ListedPrice, "extra_ratios" | "tiers" | "locked"> &
  Partial<{ [K in "extra_ratios" | "tiers" | "locked"]: ListedPrice[K] | null | undefined }>;

export function priceFromJson(json: PriceFromJson): SavePrice {
  return {
    model: json.model,
    type: json.type,
    channelType: json.channel_type,
    input: decimal(json.input),
    output: decimal(json.output),
    extras: Object.fromEntries(
      Object.entries(json.extra_ratios ?? {}).map(([kind, value]) => [kind, decimal(value)]),
    ),
    tiers: (json.tiers ?? []).map(({ above, input, output }) => ({
      above,
      input: decimal(input),
      output: decimal(output),
    })),
    locked: json.locked ?? false,
  };
}

/** Keeps ten decimals; further digits of a float are noise. */
function decimal(value: number): string {
  return trimEndOf(trimEndOf(value.toFixed(10), "0"), ".");
}

export function priceToJson(price: SavePrice): ListedPrice {
  return {
    model: price.model,
    type: price.type,
    channel_type: price.channelType,
    input: Number(price.input),
    output: Number(price.output),
    locked: price.locked,
    extra_ratios: Object.fromEntries(
      Object.entries(price.extras).map(([kind, value]) => [kind, Number(value)]),
    ),
    tiers: price.tiers.map(({ above, input, output }) => ({
      above,
      input: Number(input),
      output: Number(output),
    })),
  };
}

export function savedPrice(row: PriceRow): SavePrice {
  const { model, type, input, output, extras, tiers } = activePrice(row);
  return { model, type, input, output, extras, tiers, channelType: row.channel_type, locked: row.locked };
}

export function priceRowToJson(row: PriceRow): PriceJson {
  return {
    ...priceToJson(savedPrice(row)),
    version_id: row.version_id,
    updated_time: unixTime(row.updated_time),
  };
}
