/** Context of every screen: theme, messages, server data, toasts. */
import { localStorageColorSchemeManager, MantineProvider } from "@mantine/core";
import { QueryClientProvider, useQuery } from "@tanstack/react-query";
import i18next from "i18next";
import { type ReactNode, useEffect, useMemo, useRef } from "react";
import { useTranslation } from "react-i18next";
import { hasLeaveGuard, mayLeave } from "#lib/address/history.ts";
import { setUnauthenticatedHandler } from "#lib/http.ts";
import { onReachabilityChange } from "#lib/live/connection.ts";
import { createQueryClient } from "#lib/query-client.ts";
import { clearSession, forgetUser, selfQuery } from "#lib/session.ts";
import { SiteContext, statusQuery } from "#lib/site.ts";
import { reportError, toast } from "#ui/toast.tsx";
import { Toasts } from "#ui/toasts.tsx";
import { cssVariables, createConsoleTheme } from "./theme.ts";

export const queryClient = createQueryClient(reportError);
setUnauthenticatedHandler((sentAt) => {
  const account = queryClient.getQueryState(selfQuery.queryKey);
  // The request was sent before the user signed in.
  if (account && account.dataUpdatedAt > sentAt) return;
  const wasOpen = Boolean(account?.data);
  if (wasOpen && hasLeaveGuard()) {
    forgetUser();
    void mayLeave("session");
    return;
  }
  clearSession(queryClient);
  if (wasOpen) toast.info(i18next.t("Sign in again"));
});

// Events may have been missed while the server was unreachable.
onReachabilityChange((reach) => {
  if (reach === "reached") void queryClient.invalidateQueries({ refetchType: "active" });
});

const colorSchemes = localStorageColorSchemeManager({ key: "theme" });

const versionCheckMs = 5 * 60_000;
/** After a failed request, the page shows what the browser stored. */
const failedCheckMs = 5_000;

/** Provides the site's status and follows it: the title, and a server version newer than this page. */
function SiteStatusProvider({ children }: { children: ReactNode }) {
  const { t } = useTranslation();
  const site = useQuery({
    ...statusQuery,
    refetchInterval: ({ state }) => (state.error === null ? versionCheckMs : failedCheckMs),
  });
  const loaded = useRef<string | null>(null);
  const name = site.data?.system_name;
  const version = site.dataUpdatedAt === 0 ? undefined : site.data?.version;
  useEffect(() => {
    if (!version) return;
    loaded.current ??= version;
    if (loaded.current !== version) toast.notice(t("A new version is available. Refresh with Shift+F5."));
  }, [version, t]);
  useEffect(() => {
    if (name) document.title = name;
  }, [name]);
  return <SiteContext value={site.data}>{children}</SiteContext>;
}

export function Providers({ children }: { children: ReactNode }) {
  const close = useTranslation().t("Close");
  const theme = useMemo(() => createConsoleTheme(close), [close]);
  return (
    <QueryClientProvider client={queryClient}>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={cssVariables}
        colorSchemeManager={colorSchemes}
        defaultColorScheme="auto"
      >
        <SiteStatusProvider>
          <Toasts />
          {children}
        </SiteStatusProvider>
      </MantineProvider>
    </QueryClientProvider>
  );
}
