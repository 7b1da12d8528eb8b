import { UserListRow, type UserQuery } from "@gateway/shared/accounts/user";
import { Page } from "@gateway/shared/paging";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { z } from "zod";
import { http } from "#lib/http.ts";

/** Key prefix of every query about accounts. Mutations invalidate it. */
export const allUsers = ["user"] as const;

export const fetchUsers = (query: UserQuery) => http.get("/user", Page(UserListRow), query);

export const usersQuery = (query: UserQuery) =>
  queryOptions({
    queryKey: [...allUsers, "list", query],
    queryFn: () => fetchUsers(query),
    placeholderData: keepPreviousData,
  });

/** Symbols of all enabled groups. */
export const groupSymbolsQuery = queryOptions({
  queryKey: ["group-symbols"],
  queryFn: () => http.get("/group", z.array(z.string())),
  staleTime: 60_000,
});
