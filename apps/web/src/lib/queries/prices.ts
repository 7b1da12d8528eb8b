import type { PriceRow } from "@gateway/shared/billing/price";
import { queryOptions } from "@tanstack/react-query";
import { asList, http } from "#lib/http.ts";

/** All prices of models, for administrators of prices. */
export const pricesQuery = queryOptions({
  queryKey: ["prices", "list"],
  queryFn: () => http.get("/prices", asList<PriceRow[]>()),
  staleTime: 30_000,
});
