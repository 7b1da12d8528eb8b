/** Prices of models, for administrators of prices. */
import type { PriceRow } from "@gateway/shared/billing/price";
import { queryOptions } from "@tanstack/react-query";
import { asList, http } from "#lib/http.ts";

/** Key prefix of every query about prices. Mutations invalidate it. */
export const allPrices = ["prices"] as const;

export const pricesQuery = queryOptions({
  queryKey: [...allPrices, "list"],
  queryFn: () => http.get("/prices", asList<PriceRow[]>()),
});

/** Models with a price or in a channel. */
export const modelNamesQuery = queryOptions({
  queryKey: [...allPrices, "model-names"],
  queryFn: () => http.get("/prices/model_list", asList<string[]>()),
});
