/** Queries and mutations of model changes. */
import type {
  ModelChangeIgnore,
  ModelChangePage,
  ModelChangeQuery,
} from "@gateway/shared/models/model-change";
import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { refreshChannels } from "#features/channels/api.ts";
import { editMany } from "#features/channels/bulk/batch-api.ts";
import { faultText } from "#lib/errors/error-text.ts";
import { asPage, asSent, http } from "#lib/http.ts";
import { allChannels } from "#lib/queries/channels.ts";
import { toast } from "#ui/toast.tsx";

export const modelChangesQuery = (query: ModelChangeQuery) =>
  queryOptions({
    queryKey: [...allChannels, "model-changes", query],
    queryFn: () => http.get("/channel/model_changes", asPage<ModelChangePage>(), query),
    placeholderData: keepPreviousData,
  });

/** How many models providers added and removed; quiet, for the mark at the menu of the list. */
export const modelChangeCountQuery = queryOptions({
  ...modelChangesQuery({ page: 1, size: 1, ignored: 0 }),
  staleTime: 60_000,
  meta: { quiet: true },
});

type Edit = { id: number; mode: "add" | "remove"; models: string[] };

/** Adds models to a channel, or removes some. */
export function useApplyChanges() {
  const { t } = useTranslation("channels");
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, mode, models }: Edit) =>
      editMany(
        { kind: "ids", ids: [id] },
        { edit: { models: { mode, values: models } }, key: "", remove_missing: false, preview: false },
      ),
    onSuccess: ({ failed: [failed] }, { mode, models }) => {
      if (failed !== undefined) toast.error(faultText(t, failed));
      else if (mode === "add") toast.success(t("{{count}} models added", { count: models.length }));
      else toast.success(t("{{count}} models removed", { count: models.length }));
      return refreshChannels(client);
    },
  });
}

export function useIgnoreChanges() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, ...body }: ModelChangeIgnore & { id: number }) =>
      http.put(`/channel/${id}/model_changes`, asSent<null>(), body),
    onSuccess: () => refreshChannels(client),
  });
}
