/** What the price form holds: one price and the models it is for. */
import { PriceGroupInput, type PriceRow, PriceValues } from "@gateway/shared/billing/price";
import type { z } from "zod";
import type { SchemaForm } from "#ui/form/form.ts";

export const PriceFormValues = PriceValues.extend({ models: PriceGroupInput.shape.models });
export type PriceFormValues = z.input<typeof PriceFormValues>;
export type PriceForm = SchemaForm<PriceFormValues>;

/** What the drawer works on: nothing yet, names without a price, or one price and its models. */
export type Edited = { price?: PriceRow; models: string[] };

export function initialValues({ price, models }: Edited): PriceFormValues {
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

/** A call has one price, so what its other fields hold is no one's business. */
export function cleaned(values: PriceFormValues): PriceFormValues {
  if (values.type !== "times") return values;
  const extra_ratios = Object.fromEntries(
    Object.entries(values.extra_ratios ?? {}).filter(([kind]) => kind.startsWith("tool:")),
  );
  return { ...values, output: 0, tiers: [], extra_ratios };
}
