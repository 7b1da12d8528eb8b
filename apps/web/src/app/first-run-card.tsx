/** The first run of an administrator on the dashboard, with the details of its first call. */
import { useLocalStorage } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { firstChannelQuery } from "#features/dashboard/api.ts";
import { FIRST_STEPS_HIDDEN } from "#features/dashboard/first-calls.ts";
import { loadNamespaces } from "#lib/i18n.ts";
import { loadable } from "./loadable.tsx";

export const FirstRun = loadable(async () => {
  const [page] = await Promise.all([
    import("#features/first-run/first-run.tsx"),
    loadNamespaces("first-run"),
  ]);
  return { default: page.FirstRun };
});

const CallSummary = lazy(async () => {
  const [page] = await Promise.all([
    import("#features/logs/detail/call-summary.tsx"),
    loadNamespaces("logs"),
  ]);
  return { default: page.CallSummary };
});

export function FirstRunCard() {
  const channels = useQuery(firstChannelQuery).data;
  const [hidden, hide] = useLocalStorage({
    key: FIRST_STEPS_HIDDEN,
    defaultValue: false,
    getInitialValueInEffect: false,
  });
  if (hidden || channels === undefined) return null;
  return (
    <Suspense>
      <FirstRun
        hasChannel={channels.total_count > 0}
        onHide={() => hide(true)}
        callDetail={(row) => (
          <Suspense>
            <CallSummary row={row} />
          </Suspense>
        )}
      />
    </Suspense>
  );
}
