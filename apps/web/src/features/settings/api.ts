import { Nothing } from "@gateway/shared/envelope";
import { SettingsView } from "@gateway/shared/settings";
import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { http } from "#lib/http.ts";
import type { Drafts } from "./drafts.ts";

export const settingsQuery = queryOptions({
  queryKey: ["option"],
  queryFn: () => http.get("/option", SettingsView),
  meta: { quiet: true },
});

/** Saves some settings together. Everything shown may depend on them, so everything is fetched again. */
export function useSaveSettings() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (values: Drafts) => http.put("/option/batch", Nothing, { values }),
    onSuccess: () => client.invalidateQueries(),
  });
}
