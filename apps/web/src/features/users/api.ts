/** Other people's accounts, for administrators. */
import { Page, Points } from "@gateway/shared/paging";
import { SessionRow } from "@gateway/shared/session";
import {
  type QuotaChange,
  type UserAction,
  type UserChange,
  UserDetail,
  type UserInput,
  UserListRow,
  type UserQuery,
} from "@gateway/shared/user";
import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { z } from "zod";
import { http } from "#lib/http.ts";
import { type Failing, inForm } from "#lib/query-client.ts";

const all = ["user"] as const;

export const fetchUsers = (query: UserQuery) => http.get("/user", Page(UserListRow), query);

export const usersQuery = (query: UserQuery) =>
  queryOptions({
    queryKey: [...all, "list", query],
    queryFn: () => fetchUsers(query),
    placeholderData: keepPreviousData,
  });

export const userQuery = (id: number) =>
  queryOptions({
    queryKey: [...all, "detail", id],
    queryFn: () => http.get(`/user/${id}`, UserDetail),
  });

export const userSessionsQuery = (id: number) =>
  queryOptions({
    queryKey: [...all, "sessions", id],
    queryFn: () => http.get(`/user/${id}/sessions`, z.array(SessionRow)),
  });

/** Symbols of all enabled groups. */
export const groupSymbolsQuery = queryOptions({
  queryKey: ["group-symbols"],
  queryFn: () => http.get("/group", z.array(z.string())),
  staleTime: 60_000,
});

/** A change of anybody shows in the list and in the details. */
function useUserMutation<Input, Output>(mutationFn: (input: Input) => Promise<Output>, meta: Failing = {}) {
  const client = useQueryClient();
  return useMutation({ mutationFn, meta, onSettled: () => client.invalidateQueries({ queryKey: all }) });
}

export const useCreateUser = () =>
  useUserMutation((input: UserInput) => http.post("/user", UserDetail, input), inForm);

/** @param meta inForm: a form shows what is wrong with its fields */
export const useChangeUser = (meta: Failing = {}) =>
  useUserMutation((input: UserChange) => http.put("/user", UserDetail, input), meta);

/** @param meta quiet: the caller tells what went wrong */
export const useManageUser = (meta: Failing = {}) =>
  useUserMutation(
    (input: { username: string; action: UserAction }) => http.post("/user/manage", z.unknown(), input),
    meta,
  );

export const useChangeQuota = () =>
  useUserMutation(({ id, ...input }: QuotaChange & { id: number }) =>
    http.post(`/user/quota/${id}`, z.object({ quota: Points }), input),
  );

/** One session, or all without an id. */
export const useEndSessions = () =>
  useUserMutation(({ id, session }: { id: number; session?: string }) =>
    http.del(`/user/${id}/sessions${session === undefined ? "" : `/${session}`}`, z.unknown()),
  );
