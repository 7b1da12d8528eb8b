/** Descriptions of models. */
import type {
  ImportMode,
  ModelInfoChange,
  ModelInfoImportResult,
  ModelInfoInput,
  ModelInfoRow,
} from "@gateway/shared/models/model-info";
import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { asList, asSent, http } from "#lib/http.ts";
import { modelsQuery } from "#lib/queries/models.ts";
import { deletion, inForm } from "#lib/query-client.ts";

const all = ["model-info"] as const;

export const modelInfoQuery = queryOptions({
  queryKey: all,
  queryFn: () => http.get("/model_info", asList<ModelInfoRow[]>()),
});

/** The price list shows these descriptions, so it is refreshed too. */
function useRefresh() {
  const client = useQueryClient();
  return () =>
    Promise.all([
      client.invalidateQueries({ queryKey: all }),
      client.invalidateQueries({ queryKey: modelsQuery.queryKey }),
    ]);
}

export function useSaveModelInfo() {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (info: ModelInfoInput | ModelInfoChange) =>
      "id" in info
        ? http.put("/model_info", asSent<ModelInfoRow>(), info)
        : http.post("/model_info", asSent<ModelInfoRow>(), info),
    meta: inForm,
    onSuccess: refresh,
  });
}

export function useDeleteModelInfo() {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (id: number) => http.del(`/model_info/${id}`, asSent<null>()),
    meta: deletion,
    onSettled: refresh,
  });
}

export function useImportModelInfo() {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (input: { url?: string; models?: unknown; mode: ImportMode }) =>
      http.post("/model_info/import", asSent<ModelInfoImportResult>(), input),
    meta: { quiet: true },
    onSuccess: refresh,
  });
}
