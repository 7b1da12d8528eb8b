import type { AvailableModels } from "@gateway/shared/channels/model";
import { queryOptions } from "@tanstack/react-query";
import { asSent, http } from "#lib/http.ts";

/** Models that the reader may call, with their prices; without an account those that are public. */
export const modelsQuery = queryOptions({
  queryKey: ["available-models"],
  queryFn: () => http.get("/available_model", asSent<AvailableModels>()),
  staleTime: 60_000,
});
