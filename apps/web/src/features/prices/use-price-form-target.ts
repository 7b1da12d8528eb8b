import type { PriceRow } from "@gateway/shared/billing/price";
import { useState } from "react";
import { NEW, useDrawerParam } from "#lib/address/drawer-param.ts";
import type { PriceFormTarget } from "./price-values.ts";

/**
 * Target of the price form, kept in the address: `edit=new`, or the comma-separated names of models with the
 * same price. Names without a price open the form of a new one.
 */
export function usePriceFormTarget(
  prices: PriceRow[] | undefined,
): [PriceFormTarget | "missing" | null, (edited: PriceFormTarget) => void, () => void] {
  const { key, open, close } = useDrawerParam();
  // Initial target of the form: renaming a model on save must not close the form early.
  const [initialTarget, setBegun] = useState<{ key: string; edited: PriceFormTarget | "missing" } | null>(
    null,
  );
  if (key !== "" && prices !== undefined && initialTarget?.key !== key)
    setBegun({ key, edited: targetOf(key, prices) });
  if (key === "" && initialTarget !== null) setBegun(null);
  const edit = ({ models }: PriceFormTarget) => open(models.join(",") || NEW);
  return [initialTarget?.key === key ? initialTarget.edited : null, edit, close];
}

function targetOf(key: string, prices: PriceRow[]): PriceFormTarget | "missing" {
  if (key === NEW) return { models: [] };
  const models = key.split(",").filter((model) => model !== "");
  const price = prices.find((row) => row.model === models[0]);
  if (price) return { price, models };
  return models.length > 0 ? { models } : "missing";
}
