import { Nothing } from "@gateway/shared/envelope";
import { SettingsView } from "@gateway/shared/site/settings";
import { SettingsFile, SettingsPreview } from "@gateway/shared/site/settings-transfer";
import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { z } from "zod";
import { http } from "#lib/http.ts";
import { inForm } from "#lib/query-client.ts";
import type { Drafts } from "./drafts.ts";
import type { TestAction } from "./section.ts";

export const settingsQuery = queryOptions({
  queryKey: ["option"],
  queryFn: () => http.get("/option", SettingsView),
});

/** Saves several settings. Everything on screen may depend on them, so all queries are invalidated. */
export function useSaveSettings() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (values: Drafts) => http.put("/option/batch", Nothing, { values }),
    meta: inForm,
    onSuccess: () => client.invalidateQueries(),
  });
}

/** Returns the recipient of a test mail, else "". */
export const useSettingTest = () =>
  useMutation({
    mutationFn: async (test: TestAction) => {
      if (test.kind === "mail")
        return (await http.post("/option/mail/test", z.object({ to: z.string() }))).to;
      await http.post("/option/notice/test", Nothing, { channel: test.channel });
      return "";
    },
  });

export const useExportSettings = () =>
  useMutation({ mutationFn: () => http.get("/option/export", SettingsFile) });

export const usePreviewSettings = () =>
  useMutation({
    mutationFn: (file: SettingsFile) => http.post("/option/import/preview", SettingsPreview, file),
  });

export function useImportSettings() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (file: SettingsFile) => http.post("/option/import", Nothing, file),
    onSuccess: () => client.invalidateQueries(),
  });
}
