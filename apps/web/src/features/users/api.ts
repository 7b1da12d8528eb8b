/** Users' accounts, for administrators. */
import type { SessionRow } from "@gateway/shared/accounts/session";
import type {
  QuotaChange,
  UserAction,
  UserChange,
  UserDetail,
  UserInput,
} from "@gateway/shared/accounts/user";
import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { asList, asSent, http } from "#lib/http.ts";
import { allUsers } from "#lib/queries/users.ts";
import { type Failing, inForm } from "#lib/query-client.ts";

export const userQuery = (id: number) =>
  queryOptions({
    queryKey: [...allUsers, "detail", id],
    queryFn: () => http.get(`/user/${id}`, asSent<UserDetail>()),
  });

export const userSessionsQuery = (id: number) =>
  queryOptions({
    queryKey: [...allUsers, "sessions", id],
    queryFn: () => http.get(`/user/${id}/sessions`, asList<SessionRow[]>()),
  });

/** A change of a user refreshes the list and the details. */
function useUserMutation<Input, Output>(mutationFn: (input: Input) => Promise<Output>, meta: Failing = {}) {
  const client = useQueryClient();
  return useMutation({ mutationFn, meta, onSettled: () => client.invalidateQueries({ queryKey: allUsers }) });
}

export const useCreateUser = () =>
  useUserMutation((input: UserInput) => http.post("/user", asSent<UserDetail>(), input), inForm);

/** @param meta `inForm` when a form shows the field errors */
export const useChangeUser = (meta: Failing = {}) =>
  useUserMutation((input: UserChange) => http.put("/user", asSent<UserDetail>(), input), meta);

/** @param meta `quiet` when the caller shows the error */
export const useManageUser = (meta: Failing = {}) =>
  useUserMutation(
    (input: { username: string; action: UserAction }) => http.post("/user/manage", asSent<unknown>(), input),
    meta,
  );

export const useChangeQuota = () =>
  useUserMutation(({ id, ...input }: QuotaChange & { id: number }) =>
    http.post(`/user/quota/${id}`, asSent<{ quota: number }>(), input),
  );

/** Ends one session; without an id, all of them. */
export const useEndSessions = () =>
  useUserMutation(({ id, session }: { id: number; session?: string }) =>
    http.del(`/user/${id}/sessions${session === undefined ? "" : `/${session}`}`, asSent<unknown>()),
  );

/** Fetches a user who is named in the address but not in the list. */
export const fetchUser = (id: string) => http.get(`/user/${encodeURIComponent(id)}`, asSent<UserDetail>());
