/** Changes of the price list, and its scheduled updates. */
import type {
  ListedPrice,
  PriceChanges,
  PriceGroupInput,
  PricePreview,
  PriceRow,
  PriceUpdate,
  SyncMode,
} from "@gateway/shared/billing/price";
import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { ApiError, asList, asSent, http } from "#lib/http.ts";
import { allPrices } from "#lib/queries/prices.ts";
import { deletion, inForm } from "#lib/query-client.ts";

export const updateServiceQuery = queryOptions({
  queryKey: [...allPrices, "update-service"],
  queryFn: () => http.get("/prices/updateService", asSent<string>()),
});

/** Results of the scheduled price updates, newest first. */
export const priceUpdatesQuery = queryOptions({
  queryKey: [...allPrices, "updates"],
  queryFn: () => http.get("/prices/updates", asList<PriceUpdate[]>()),
});

const single = (model: string) => `/prices/single/${encodeURIComponent(model)}`;

/** A single model uses its own endpoint, so that it can be renamed; several are saved in one request. */
async function savePrices({ original_models, models, price }: PriceGroupInput): Promise<void> {
  const [before] = original_models;
  const [model = ""] = models;
  try {
    if (models.length > 1 || original_models.length > 1)
      await http.post("/prices/multiple", asSent<null>(), { original_models, models, price });
    else if (before === undefined) await http.post("/prices/single", asSent<PriceRow>(), { ...price, model });
    else await http.put(single(before), asSent<PriceRow>(), { ...price, model });
  } catch (error) {
    throw onFormFields(error);
  }
}

/** Maps error paths: the form has one field for the models and none called `price`. */
function onFormFields(error: unknown): unknown {
  if (!(error instanceof ApiError)) return error;
  const issues = Object.entries(error.issues).map(([path, issue]) => [
    path.replace(/^price\./, "").replace(/^model$/, "models"),
    issue,
  ]);
  const { status, message, code, params, requestId } = error;
  return new ApiError(status, {
    message,
    code,
    params,
    issues: Object.fromEntries(issues),
    request_id: requestId,
  });
}

export function useSavePrices() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: savePrices,
    meta: inForm,
    onSettled: () => client.invalidateQueries({ queryKey: allPrices }),
  });
}

export function useDeletePrices() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (models: string[]) =>
      http.put("/prices/multiple/delete", asSent<{ deleted: number }>(), { models }),
    meta: deletion,
    onSettled: () => client.invalidateQueries({ queryKey: allPrices }),
  });
}

/** @param url "" for the built-in list of this version */
export function usePreview() {
  return useMutation({
    mutationFn: (url: string) => http.post("/prices/preview", asSent<PricePreview>(), { url }),
    meta: { quiet: true },
    gcTime: 0,
  });
}

export function useTakeOver() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ mode, prices }: { mode: SyncMode; prices: ListedPrice[] }) =>
      http.post(`/prices/sync?updateMode=${mode}`, asSent<PriceChanges>(), prices),
    onSuccess: () => client.invalidateQueries({ queryKey: allPrices }),
  });
}
