/** Sign-in providers that root adds. */
import type {
  IdentityProviderChange,
  IdentityProviderInput,
  IdentityProviderMetadata,
  IdentityProviderRow,
} from "@gateway/shared/accounts/identity-provider";
import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { asList, asSent, http } from "#lib/http.ts";
import { deletion, inForm } from "#lib/query-client.ts";
import { statusQuery } from "#lib/site.ts";

const allProviders = ["identity-providers"] as const;

export const identityProvidersQuery = queryOptions({
  queryKey: allProviders,
  queryFn: () => http.get("/identity_provider", asList<IdentityProviderRow[]>()),
});

/** Reloads the providers, and the status: the sign-in methods of all pages. */
function useReload() {
  const client = useQueryClient();
  return () =>
    Promise.all([
      client.invalidateQueries({ queryKey: allProviders }),
      client.invalidateQueries({ queryKey: statusQuery.queryKey }),
    ]);
}

export function useSaveProvider() {
  const reload = useReload();
  return useMutation({
    mutationFn: (input: IdentityProviderInput | IdentityProviderChange) =>
      "id" in input
        ? http.put("/identity_provider", asSent<IdentityProviderRow>(), input)
        : http.post("/identity_provider", asSent<IdentityProviderRow>(), input),
    meta: inForm,
    onSuccess: reload,
  });
}

export function useDeleteProvider() {
  const reload = useReload();
  return useMutation({
    mutationFn: (id: number) => http.del(`/identity_provider/${id}`, asSent<null>()),
    meta: deletion,
    onSettled: reload,
  });
}

export const useTestIssuer = () =>
  useMutation({
    mutationFn: (issuer: string) =>
      http.post("/identity_provider/test", asSent<IdentityProviderMetadata>(), { issuer }),
    meta: { quiet: true },
  });

export function useCreateScimToken() {
  const reload = useReload();
  return useMutation({
    mutationFn: (id: number) => http.post(`/identity_provider/${id}/scim_token`, asSent<{ token: string }>()),
    onSuccess: reload,
  });
}

export function useRevokeScimToken() {
  const reload = useReload();
  return useMutation({
    mutationFn: (id: number) => http.del(`/identity_provider/${id}/scim_token`, asSent<null>()),
    onSuccess: reload,
  });
}
