import type { UserGroupMap } from "@gateway/shared/channels/group";
import { queryOptions } from "@tanstack/react-query";
import { asList, asSent, http } from "#lib/http.ts";

/** Key prefix of every query about groups. Mutations invalidate it. */
export const allGroups = ["group"] as const;

/** Groups that the signed-in user, or a visitor, may use, by symbol. */
export const usableGroupsQuery = queryOptions({
  queryKey: [...allGroups, "usable"],
  queryFn: () => http.get("/user_group_map", asSent<UserGroupMap>()),
  staleTime: 60_000,
});

/** Symbols of all enabled groups, for administrators. */
export const groupSymbolsQuery = queryOptions({
  queryKey: [...allGroups, "symbols"],
  queryFn: () => http.get("/group", asList<string[]>()),
  staleTime: 60_000,
});
