/** Links to calls that are readable without signing in. */
import type { CreatedShare, SharedCall, ShareInput, SharePage } from "@gateway/shared/usage/share";
import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { apiUrl, asPage, asSent, http } from "#lib/http.ts";

const allShares = ["call-share"] as const;

export const sharesQuery = (page: number) =>
  queryOptions({
    queryKey: [...allShares, page],
    queryFn: () => http.get("/call_share", asPage<SharePage>(), { page, size: 20 }),
    placeholderData: keepPreviousData,
  });

/** @param id of the entry in the log */
export function useShareCall(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (input: ShareInput) =>
      http.post(`/log/${encodeURIComponent(id)}/share`, asSent<CreatedShare>(), input),
    gcTime: 0,
    onSuccess: () => client.invalidateQueries({ queryKey: allShares }),
  });
}

export function useRevokeShare() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: number) => http.del(`/call_share/${id}`, asSent<unknown>()),
    onSettled: () => client.invalidateQueries({ queryKey: allShares }),
  });
}

export const sharedCallQuery = (secret: string) =>
  queryOptions({
    queryKey: ["shared-call", secret],
    queryFn: () => http.get(`/shared_call/${encodeURIComponent(secret)}`, asSent<SharedCall>()),
    staleTime: 60_000,
    retry: false,
    meta: { quiet: true },
  });

/** Returns the absolute address of a link, with host and base path. */
export function addressOfShare(secret: string): string {
  return new URL(`../share/${secret}`, apiUrl("/")).href;
}
