import { UserGroupMap } from "@gateway/shared/channels/group";
import { AvailableModels } from "@gateway/shared/channels/model";
import { ModelOwnerRow } from "@gateway/shared/channels/owner";
import { queryOptions } from "@tanstack/react-query";
import { z } from "zod";
import { http } from "#lib/http.ts";

export const modelsQuery = queryOptions({
  queryKey: ["available-models"],
  queryFn: () => http.get("/available_model", AvailableModels),
  staleTime: 60_000,
});

/** Names and logos of those who make models. */
export const ownersQuery = queryOptions({
  queryKey: ["model-owners"],
  queryFn: () => http.get("/model_ownedby", z.array(ModelOwnerRow)),
  staleTime: 60_000,
});

export const groupsQuery = queryOptions({
  queryKey: ["group", "map"],
  queryFn: () => http.get("/user_group_map", UserGroupMap),
  staleTime: 60_000,
});
