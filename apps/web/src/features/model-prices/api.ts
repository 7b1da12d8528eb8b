import type { UserGroupMap } from "@gateway/shared/channels/group";
import type { ModelOwnerRow } from "@gateway/shared/channels/owner";
import type { ModelsHealth } from "@gateway/shared/models/model-health";
import { queryOptions } from "@tanstack/react-query";
import { asList, asSent, http } from "#lib/http.ts";

/** Names and logos of the owners of models. */
export const ownersQuery = queryOptions({
  queryKey: ["model-owners"],
  queryFn: () => http.get("/model_ownedby", asList<ModelOwnerRow[]>()),
  staleTime: 60_000,
});

export const groupsQuery = queryOptions({
  queryKey: ["group", "map"],
  queryFn: () => http.get("/user_group_map", asSent<UserGroupMap>()),
  staleTime: 60_000,
});

/** Health of the models over 24 hours. The server computes it every few seconds. */
export const healthQuery = queryOptions({
  queryKey: ["model-health"],
  queryFn: () => http.get("/model_health", asSent<ModelsHealth>()),
  staleTime: 30_000,
  refetchInterval: 60_000,
  meta: { quiet: true },
});
