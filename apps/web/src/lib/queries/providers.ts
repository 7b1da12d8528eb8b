import type { ProviderInfo } from "@gateway/shared/channels/provider";
import { queryOptions } from "@tanstack/react-query";
import { asList, http } from "#lib/http.ts";

/** The providers that a channel can use. */
export const providersQuery = queryOptions({
  queryKey: ["providers"],
  queryFn: () => http.get("/providers", asList<ProviderInfo[]>()),
  staleTime: 600_000,
});
