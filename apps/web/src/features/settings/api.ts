import type { BackupList } from "@gateway/shared/site/backup-list";
import type { AccentPreview } from "@gateway/shared/site/formats/accent";
import type { LogExportStatus } from "@gateway/shared/site/log-export";
import type { ReleaseCheckStatus } from "@gateway/shared/site/release-check";
import type { SettingsView } from "@gateway/shared/site/settings";
import type { SettingsFile, SettingsPreview } from "@gateway/shared/site/settings-transfer";
import { keepPreviousData, queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { asSent, http } from "#lib/http.ts";
import { inForm } from "#lib/query-client.ts";
import type { Drafts } from "./drafts.ts";
import type { TestAction } from "./sections/section.ts";

const nothing = asSent<null>();

export const settingsQuery = queryOptions({
  queryKey: ["option"],
  queryFn: () => http.get("/option", asSent<SettingsView>()),
});

/** What the console would look like with an accent colour; undefined keeps the last one. */
export const accentPreviewQuery = (color: string | undefined) =>
  queryOptions({
    queryKey: ["option", "accent", color],
    queryFn: () => http.get("/option/accent", asSent<AccentPreview>(), { color }),
    enabled: color !== undefined,
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    meta: { quiet: true },
  });

const runningRefreshMs = 2_000;
const refreshMs = 60_000;

export const backupsQuery = queryOptions({
  queryKey: ["option", "backups"],
  queryFn: () => http.get("/option/backups", asSent<BackupList>()),
  refetchInterval: ({ state }) => (state.data?.progress ? runningRefreshMs : refreshMs),
  meta: { quiet: true },
});

export function useStartBackup() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => http.post("/option/backups/run", nothing),
    onSettled: () => client.invalidateQueries({ queryKey: backupsQuery.queryKey }),
  });
}

export const logExportQuery = queryOptions({
  queryKey: ["option", "log-export"],
  queryFn: () => http.get("/option/log-export", asSent<LogExportStatus>()),
  refetchInterval: ({ state }) => (state.data?.is_running === true ? runningRefreshMs : refreshMs),
  meta: { quiet: true },
});

export function useStartLogExport() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => http.post("/option/log-export/run", nothing),
    onSettled: () => client.invalidateQueries({ queryKey: logExportQuery.queryKey }),
  });
}

export const releaseCheckQuery = queryOptions({
  queryKey: ["option", "release-check"],
  queryFn: () => http.get("/option/release-check", asSent<ReleaseCheckStatus>()),
  meta: { quiet: true },
});

export function useCheckRelease() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => http.post("/option/release-check/run", asSent<ReleaseCheckStatus>()),
    onSuccess: (status) => client.setQueryData(releaseCheckQuery.queryKey, status),
  });
}

const problemsQuery = queryOptions({
  queryKey: ["settings-problems"],
  queryFn: () => import("./problems.ts"),
  staleTime: Number.POSITIVE_INFINITY,
  meta: { quiet: true },
});

export const chatLinkProblemsQuery = queryOptions({
  queryKey: ["settings-problems", "chat-links"],
  queryFn: () => import("./inputs/chat-link-problems.ts"),
  staleTime: Number.POSITIVE_INFINITY,
  meta: { quiet: true },
});

/**
 * Returns the check of values, whose schemas are loaded with the first change. Until then it finds nothing. The server
 * checks every value again.
 */
export function useProblems(wanted: boolean) {
  const { data } = useQuery({ ...problemsQuery, enabled: wanted });
  return data?.settingProblem ?? (() => undefined);
}

/** Saves several settings. Everything on screen may depend on them, so all queries are invalidated. */
export function useSaveSettings() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (values: Drafts) => http.put("/option/batch", nothing, { values }),
    meta: inForm,
    onSuccess: () => client.invalidateQueries(),
  });
}

/** What a test has found: the recipient of a mail, or the number of pages of a search. */
export type TestResult = { to?: string; pages?: number };

export const useSettingTest = () =>
  useMutation({
    mutationFn: async (test: TestAction): Promise<TestResult> => {
      if (test.kind === "mail") return http.post("/option/mail/test", asSent<{ to: string }>());
      if (test.kind === "search") return http.post("/option/web-search/test", asSent<{ pages: number }>());
      await http.post("/option/notice/test", nothing, { channel: test.channel });
      return {};
    },
  });

export const useExportSettings = () =>
  useMutation({ mutationFn: () => http.get("/option/export", asSent<SettingsFile>()) });

export const usePreviewSettings = () =>
  useMutation({
    mutationFn: (file: SettingsFile) => http.post("/option/import/preview", asSent<SettingsPreview>(), file),
  });

export function useImportSettings() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (file: SettingsFile) => http.post("/option/import", nothing, file),
    onSuccess: () => client.invalidateQueries(),
  });
}
