/** User groups, for administrators. */
import type {
  UserGroupDetail,
  UserGroupInput,
  UserGroupPage,
  UserGroupQuery,
} from "@gateway/shared/channels/group";
import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { asPage, asSent, http } from "#lib/http.ts";
import { allGroups } from "#lib/queries/groups.ts";
import { deletion, inForm } from "#lib/query-client.ts";

export const groupsQuery = (query: UserGroupQuery) =>
  queryOptions({
    queryKey: [...allGroups, "list", query],
    queryFn: () => http.get("/user_group", asPage<UserGroupPage>(), query),
    placeholderData: keepPreviousData,
  });

/** Group names appear all over the console, so a change refreshes every list of them. */
export function useRefresh() {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: allGroups });
}

export function useSaveGroup() {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: ({ id, input }: { id: number | undefined; input: UserGroupInput }) => {
      if (id === undefined) return http.post("/user_group", asSent<UserGroupDetail>(), input);
      // The identifier of a group never changes.
      const { symbol: _symbol, ...change } = input;
      return http.put(`/user_group/${id}`, asSent<UserGroupDetail>(), change);
    },
    meta: inForm,
    onSuccess: refresh,
  });
}

/** Changes only the ratio, so that a form that someone else saves meanwhile keeps its other fields. */
export function useChangeRatio() {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: ({ id, ratio }: { id: number; ratio: number }) =>
      http.put(`/user_group/${id}`, asSent<UserGroupDetail>(), { ratio }),
    meta: inForm,
    onSuccess: refresh,
  });
}

export const switchGroup = (id: number, enable: boolean) =>
  http.put(`/user_group/enable/${id}?enable=${enable}`, asSent<UserGroupDetail>());

export function useDeleteGroup() {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (id: number) => http.del(`/user_group/${id}`, asSent<null>()),
    meta: deletion,
    onSettled: refresh,
  });
}

/** Fetches a group that is named in the address but not in the list. */
export const fetchGroup = (id: string) =>
  http.get(`/user_group/${encodeURIComponent(id)}`, asSent<UserGroupDetail>());
