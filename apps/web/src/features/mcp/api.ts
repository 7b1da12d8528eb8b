/** MCP servers and bundles. */
import type {
  McpBundleChange,
  McpBundleInput,
  McpBundleRow,
  McpServerChange,
  McpServerInput,
  McpServerRow,
} from "@gateway/shared/channels/mcp";
import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { asList, asSent, http } from "#lib/http.ts";
import { deletion, inForm } from "#lib/query-client.ts";

const all = ["mcp"] as const;

export const serversQuery = queryOptions({
  queryKey: [...all, "servers"],
  queryFn: () => http.get("/mcp_server", asList<McpServerRow[]>()),
});

export const bundlesQuery = queryOptions({
  queryKey: [...all, "bundles"],
  queryFn: () => http.get("/mcp_bundle", asList<McpBundleRow[]>()),
});

export function useSaveServer() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (server: McpServerInput | McpServerChange) =>
      "id" in server
        ? http.put("/mcp_server", asSent<McpServerRow>(), server)
        : http.post("/mcp_server", asSent<McpServerRow>(), server),
    meta: inForm,
    onSuccess: () => client.invalidateQueries({ queryKey: all }),
  });
}

export function useSaveBundle() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (bundle: McpBundleInput | McpBundleChange) =>
      "id" in bundle
        ? http.put("/mcp_bundle", asSent<McpBundleRow>(), bundle)
        : http.post("/mcp_bundle", asSent<McpBundleRow>(), bundle),
    meta: inForm,
    onSuccess: () => client.invalidateQueries({ queryKey: all }),
  });
}

export function useDeleteServer() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: number) => http.del(`/mcp_server/${id}`, asSent<null>()),
    meta: deletion,
    onSettled: () => client.invalidateQueries({ queryKey: all }),
  });
}

export function useDeleteBundle() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: number) => http.del(`/mcp_bundle/${id}`, asSent<null>()),
    meta: deletion,
    onSettled: () => client.invalidateQueries({ queryKey: all }),
  });
}
