/** Values of the price form: one price and its models. */
import { PriceGroupInput, type PriceRow, PriceValues } from "@gateway/shared/billing/price";
import type { z } from "zod";
import type { SchemaForm } from "#ui/form/form.ts";

export const PriceFormValues = PriceValues.extend({ models: PriceGroupInput.shape.models });
export type PriceFormValues = z.input<typeof PriceFormValues>;
export type PriceForm = SchemaForm<PriceFormValues>;

/** Target of the drawer: a new price, models without a price, or one price and its models. */
export type PriceFormTarget = { price?: PriceRow; models: string[] };

export function toPriceFormValues({ price, models }: PriceFormTarget): PriceFormValues {
  return {
    models: [...models],
    type: price?.type ?? "tokens",
    channel_type: price?.channel_type ?? 0,
    input: price?.input ?? Number.NaN,
    output: price?.output ?? Number.NaN,
    locked: price?.locked ?? false,
    extra_ratios: { ...price?.extra_ratios },
    tiers: structuredClone(price?.tiers ?? []),
  };
}

/** Clears fields that do not apply to a price per call. */
export function clearUnusedFields(values: PriceFormValues): PriceFormValues {
  if (values.type !== "times") return values;
  const extra_ratios = Object.fromEntries(
    Object.entries(values.extra_ratios ?? {}).filter(([kind]) => kind.startsWith("tool:")),
  );
  return { ...values, output: 0, tiers: [], extra_ratios };
}
