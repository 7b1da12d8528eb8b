import type { AvailableModels } from "@gateway/shared/models/model";
import type { ModelsHealth } from "@gateway/shared/models/model-health";
import { queryOptions } from "@tanstack/react-query";
import { asSent, http } from "#lib/http.ts";

/** Models that the user may call, with prices; without an account the public ones. */
export const modelsQuery = queryOptions({
  queryKey: ["available-models"],
  queryFn: () => http.get("/available_model", asSent<AvailableModels>()),
  staleTime: 60_000,
});

/** Health over 24 hours of the models that the visitor can use. The server computes it every few seconds. */
export const modelsHealthQuery = queryOptions({
  queryKey: ["model-health"],
  queryFn: () => http.get("/model_health", asSent<ModelsHealth>()),
  staleTime: 30_000,
  meta: { quiet: true },
});
