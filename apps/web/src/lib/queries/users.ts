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

/** The first accounts that match by name, email or id. */
export async function findUsers(keyword: string): Promise<{ id: number; name: string }[]> {
  const search = { keyword, size: 20, order: "username" };
  const { data } = await http.get("/user", asPage<Page<UserListRow>>(), search);
  return data.map(({ id, username }) => ({ id, name: username }));
}

/** Uses the list, which also contains accounts above the administrator's own role. */
export async function nameOfUser(id: number): Promise<string> {
  const users = await findUsers(String(id));
  return users.find((user) => user.id === id)?.name ?? `#${id}`;
}
