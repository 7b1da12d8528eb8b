import { AvailableModels } from "@gateway/shared/model";
import { TokenKey } from "@gateway/shared/token";
import { queryOptions } from "@tanstack/react-query";
import { http } from "#lib/http.ts";

/** The token this screen calls with; the server makes it when it is missing. */
export const playgroundKeyQuery = queryOptions({
  queryKey: ["playground-key"],
  queryFn: () => http.get("/token/playground", TokenKey),
  staleTime: 5 * 60_000,
});

export const modelsQuery = queryOptions({
  queryKey: ["available-models"],
  queryFn: () => http.get("/available_model", AvailableModels),
  staleTime: 60_000,
});
