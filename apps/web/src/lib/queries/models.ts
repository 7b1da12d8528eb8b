import type { AvailableModels } from "@gateway/shared/models/model";
import { queryOptions } from "@tanstack/react-query";
import { asSent, http } from "#lib/http.ts";

/** Models that the user may call, with prices; without an account the public ones. */
export const modelsQuery = queryOptions({
  queryKey: ["available-models"],
  queryFn: () => http.get("/available_model", asSent<AvailableModels>()),
  staleTime: 60_000,
});
