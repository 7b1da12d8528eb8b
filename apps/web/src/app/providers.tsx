/** What surrounds every screen: looks, words, server data, toasts, questions. */
import { localStorageColorSchemeManager, MantineProvider } from "@mantine/core";
import { QueryClientProvider, useQuery } from "@tanstack/react-query";
import i18next from "i18next";
import { lazy, type ReactNode, Suspense, useEffect } from "react";
import { errorNote } from "#lib/error-text.ts";
import { whenUnauthenticated } from "#lib/http.ts";
import { offerLanguage } from "#lib/i18n.ts";
import { createQueryClient } from "#lib/query-client.ts";
import { clearSession } from "#lib/session.ts";
import { statusQuery } from "#lib/site.ts";
import { toast } from "#ui/toast.tsx";
import { cssVariables, theme } from "./theme.ts";

const queryClient = createQueryClient((error) => {
  const note = errorNote(error, i18next.t);
  toast[note.level](note.text);
});
whenUnauthenticated(() => clearSession(queryClient));

// Where toasts appear is not needed for the first paint; those shown before it is there wait in their store.
const Toasts = lazy(() => import("#ui/toasts.tsx").then((module) => ({ default: module.Toasts })));

const colorSchemes = localStorageColorSchemeManager({ key: "theme" });

/** Follows the site: title, default language. */
function SiteEffects() {
  const site = useQuery(statusQuery);
  const name = site.data?.system_name;
  const language = site.isPlaceholderData ? undefined : site.data?.language;
  useEffect(() => {
    if (name) document.title = name;
  }, [name]);
  useEffect(() => {
    if (language) void offerLanguage(language);
  }, [language]);
  return null;
}

export function Providers({ children }: { children: ReactNode }) {
  return (
    <QueryClientProvider client={queryClient}>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={cssVariables}
        colorSchemeManager={colorSchemes}
        defaultColorScheme="auto"
      >
        <Suspense fallback={null}>
          <Toasts />
        </Suspense>
        <SiteEffects />
        {children}
      </MantineProvider>
    </QueryClientProvider>
  );
}
