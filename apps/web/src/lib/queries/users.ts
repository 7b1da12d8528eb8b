import type { UserListRow, UserQuery } from "@gateway/shared/accounts/user";
import type { Page } from "@gateway/shared/paging";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { asPage, http } from "#lib/http.ts";

/** Key prefix of every query about accounts. Mutations invalidate it. */
export const allUsers = ["user"] as const;

export const fetchUsers = (query: UserQuery) => http.get("/user", asPage<Page<UserListRow>>(), query);

export const usersQuery = (query: UserQuery) =>
  queryOptions({
    queryKey: [...allUsers, "list", query],
    queryFn: () => fetchUsers(query),
    placeholderData: keepPreviousData,
  });
