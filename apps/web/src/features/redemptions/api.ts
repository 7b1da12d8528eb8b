/** Redemption codes, for administrators. */
import type {
  RedemptionChange,
  RedemptionInput,
  RedemptionPage,
  RedemptionQuery,
  RedemptionRow,
} from "@gateway/shared/billing/redemption";
import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { asList, asPage, asSent, http } from "#lib/http.ts";
import { deletion, inForm } from "#lib/query-client.ts";

const allCodes = ["redemption"] as const;

export const fetchCodes = (query: RedemptionQuery) =>
  http.get("/redemption", asPage<RedemptionPage>(), query);

export const codesQuery = (query: RedemptionQuery) =>
  queryOptions({
    queryKey: [...allCodes, query],
    queryFn: () => fetchCodes(query),
    placeholderData: keepPreviousData,
  });

export function useRefresh() {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: allCodes });
}

export function useCreateCodes() {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: async (input: RedemptionInput) => {
      const newCodes = await http.post("/redemption", asList<RedemptionRow[]>(), input);
      return newCodes.map((code) => code.key);
    },
    gcTime: 0,
    meta: inForm,
    onSuccess: refresh,
  });
}

export function useChangeCode() {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: ({ id, change }: { id: number; change: RedemptionChange }) =>
      http.put(`/redemption/${id}`, asSent<RedemptionRow>(), change),
    meta: inForm,
    onSuccess: refresh,
  });
}

export const patchCode = (id: number, change: { status: 1 | 2 }) =>
  http.patch(`/redemption/${id}`, asSent<RedemptionRow>(), change);

export function useDeleteCodes() {
  const refresh = useRefresh();
  return useMutation({
    /** Deletes them one by one: each gets its own audit entry. */
    mutationFn: async (ids: number[]) => {
      for (const id of ids) await http.del(`/redemption/${id}`, asSent<null>());
    },
    meta: deletion,
    onSettled: refresh,
  });
}

/** Fetches a code that is named in the address but not in the list. */
export const fetchCode = (id: string) =>
  http.get(`/redemption/${encodeURIComponent(id)}`, asSent<RedemptionRow>());
