/** Requests of the parallel run: comparisons of charges, and their kept reports. */
import type {
  ComparisonDetail,
  ComparisonEvent,
  ComparisonForm,
  ComparisonProduct,
  ComparisonRow,
} from "@gateway/shared/site/comparison";
import { queryOptions } from "@tanstack/react-query";
import { asList, asSent, http } from "#lib/http.ts";
import { readEvents } from "#lib/live/event-stream.ts";

const path = "/migration/comparison";

export const comparableQuery = queryOptions({
  queryKey: ["comparisons", "products"],
  queryFn: () => http.get(`${path}/products`, asList<ComparisonProduct[]>()),
  staleTime: Infinity,
});

export const comparisonsQuery = queryOptions({
  queryKey: ["comparisons", "list"],
  queryFn: () => http.get(path, asList<ComparisonRow[]>()),
});

export const comparisonQuery = (id: number) =>
  queryOptions({
    queryKey: ["comparisons", "one", id],
    queryFn: () => http.get(`${path}/${id}`, asSent<ComparisonDetail>()),
    staleTime: Infinity,
  });

/**
 * Resolves when the comparison has ended. Aborting the signal cancels it on the server.
 * Throws ApiError when the server rejects the request.
 */
export function compare(
  form: ComparisonForm,
  signal: AbortSignal,
  onEvent: (event: ComparisonEvent) => void,
): Promise<void> {
  return readEvents(path, { body: form, signal }, (data) => onEvent(data as ComparisonEvent));
}
