/** The signed-in user's API keys, and their possible groups and models. */
import type { DerivedKeyPage, DerivedKeyRow } from "@gateway/shared/accounts/derived-key";
import type {
  TokenAdminChange,
  CreatedAdminToken,
  TokenAdminForm,
  TokenAdminPage,
  TokenAdminQuery,
  TokenAdminRow,
  TokenChange,
  CreatedToken,
  KeyOverlap,
  TokenForm,
  TokenRow,
} from "@gateway/shared/accounts/token";
import { TokenStatus } from "@gateway/shared/accounts/token-status";
import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { asPage, asSent, http } from "#lib/http.ts";
import { allTokens } from "#lib/queries/tokens.ts";
import { deletion, inForm } from "#lib/query-client.ts";

/** Tokens of all users, for administrators. */
export const allTokensQuery = (query: TokenAdminQuery) =>
  queryOptions({
    queryKey: [...allTokens, "all", query],
    queryFn: () => http.get("/token/admin/search", asPage<TokenAdminPage>(), query),
    placeholderData: keepPreviousData,
  });

export function useCreateToken() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (input: TokenForm) => http.post("/token", asSent<CreatedToken>(), input),
    gcTime: 0,
    meta: inForm,
    onSuccess: () => client.invalidateQueries({ queryKey: allTokens }),
  });
}

type TokenEdit = { before: TokenRow; input: TokenForm };

/**
 * Returns only the difference: calls go on while the form is open, and their spending must not be reverted.
 */
function changeOf({ before, input }: TokenEdit): TokenChange {
  const { remain_quota: wanted = before.remain_quota, ...rest } = input;
  const added = wanted - before.remain_quota;
  return added === 0 ? rest : { ...rest, add_quota: added };
}

export function useChangeToken() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (change: TokenEdit) =>
      http.put(`/token/${change.before.id}`, asSent<TokenRow>(), changeOf(change)),
    meta: inForm,
    onSuccess: () => client.invalidateQueries({ queryKey: allTokens }),
  });
}

/** @param own the user's own token; otherwise an administrator changes it */
export const switchToken = (id: number, on: boolean, own: boolean) =>
  http.patch(own ? `/token/${id}` : `/token/admin/${id}`, asSent<TokenRow>(), {
    status: on ? TokenStatus.enabled : TokenStatus.disabled,
  });

/** @param hours how long the previous key works */
export function useRotateKey() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, hours }: { id: number; hours: KeyOverlap }) =>
      http.post(`/token/${id}/rotate`, asSent<CreatedToken>(), { overlap_hours: hours }),
    gcTime: 0,
    onSuccess: () => client.invalidateQueries({ queryKey: allTokens }),
  });
}

export function useEndPreviousKey() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: number) => http.del(`/token/${id}/previous_key`, asSent<TokenRow>()),
    onSettled: () => client.invalidateQueries({ queryKey: allTokens }),
  });
}

export function useDeleteToken() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: number) => http.del(`/token/${id}`, asSent<unknown>()),
    meta: deletion,
    onSettled: () => client.invalidateQueries({ queryKey: allTokens }),
  });
}

type AdminChange = TokenEdit & { given: Pick<TokenAdminChange, "user_id"> };

export function useAdministerToken() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ given, ...change }: AdminChange) =>
      http.put("/token/admin", asSent<TokenAdminRow>(), {
        ...changeOf(change),
        ...given,
        id: change.before.id,
      }),
    meta: inForm,
    onSuccess: () => client.invalidateQueries({ queryKey: allTokens }),
  });
}

/** Fetches the user's own token that is named in the address but not in the list. */
export const fetchToken = (id: string) => http.get(`/token/${encodeURIComponent(id)}`, asSent<TokenRow>());

/** The same for tokens of all users. */
export async function fetchAnyToken(id: string): Promise<TokenAdminRow | undefined> {
  if (!/^[1-9]\d{0,8}$/.test(id)) return undefined;
  const page = await http.get("/token/admin/search", asPage<TokenAdminPage>(), { token_id: id, size: 1 });
  return page.data[0];
}

export type PageToken = { token: TokenRow; own: boolean; owner: string };

/** The token of a page: the user's own, or for administrators any. */
export const onePageTokenQuery = (id: number, self: number, administers: boolean) =>
  queryOptions({
    queryKey: [...allTokens, "page", id, self, administers],
    queryFn: async (): Promise<PageToken> => {
      const anyToken = administers ? await fetchAnyToken(String(id)) : undefined;
      if (anyToken === undefined || anyToken.user_id === self)
        return { token: await fetchToken(String(id)), own: true, owner: "" };
      return { token: anyToken, own: false, owner: anyToken.owner_name };
    },
    refetchInterval: 30_000,
    meta: { quiet: true },
  });

export function useCreateTokenFor() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (input: TokenAdminForm) => http.post("/token/admin", asSent<CreatedAdminToken>(), input),
    gcTime: 0,
    meta: inForm,
    onSuccess: () => client.invalidateQueries({ queryKey: allTokens }),
  });
}

/** The derived keys of one of the user's own tokens that were used. */
export const derivedKeysQuery = (token: number, query: { page: number; size: number; order: string }) =>
  queryOptions({
    queryKey: [...allTokens, "derived", token, query],
    queryFn: () => http.get(`/token/${token}/derived_keys`, asPage<DerivedKeyPage>(), query),
    placeholderData: keepPreviousData,
    refetchInterval: 30_000,
  });

export function useRevokeDerivedKey(token: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => http.del(`/token/${token}/derived_keys/${id}`, asSent<DerivedKeyRow>()),
    onSettled: () => client.invalidateQueries({ queryKey: [...allTokens, "derived", token] }),
  });
}
