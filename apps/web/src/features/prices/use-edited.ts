import type { PriceRow } from "@gateway/shared/billing/price";
import { useCallback, useState } from "react";
import { NEW, useOpened } from "#lib/address/opened.ts";
import type { Edited } from "./price-values.ts";

/**
 * Target of the price form, kept in the address: `edit=new`, or the comma-separated names of models with the
 * same price. Names without a price open the form of a new one.
 */
export function useEdited(
  prices: PriceRow[] | undefined,
): [Edited | "missing" | null, (edited: Edited) => void, () => void] {
  const { key, open, close } = useOpened();
  // Initial target of the form: renaming a model on save must not close the form early.
  const [begun, setBegun] = useState<{ key: string; edited: Edited | "missing" } | null>(null);
  if (key !== "" && prices !== undefined && begun?.key !== key)
    setBegun({ key, edited: editedOf(key, prices) });
  if (key === "" && begun !== null) setBegun(null);
  const edit = useCallback(({ models }: Edited) => open(models.join(",") || NEW), [open]);
  return [begun?.key === key ? begun.edited : null, edit, close];
}

function editedOf(key: string, prices: PriceRow[]): Edited | "missing" {
  if (key === NEW) return { models: [] };
  const models = key.split(",").filter((model) => model !== "");
  const price = prices.find((row) => row.model === models[0]);
  if (price) return { price, models };
  return models.length > 0 ? { models } : "missing";
}
