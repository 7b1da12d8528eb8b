import type { ModelOwnerRow } from "@gateway/shared/channels/owner";
import { queryOptions } from "@tanstack/react-query";
import { asList, http } from "#lib/http.ts";

/** Names and logos of the owners of models. */
export const ownersQuery = queryOptions({
  queryKey: ["model-owners"],
  queryFn: () => http.get("/model_ownedby", asList<ModelOwnerRow[]>()),
  staleTime: 60_000,
});
