/** The default screen: the gateway's overview for administrators, the user's own usage for everyone else. */
import { type AdminRights, mayEnter } from "@gateway/shared/accounts/roles";
import type { Self } from "@gateway/shared/accounts/session";
import { Tabs } from "@mantine/core";
import type { QueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { useSearchParams } from "react-router-dom";
import { canAddChannels, prefetchSteps, prefetchUsage } from "#features/dashboard/api.ts";
import { FIRST_CALLS, hidesFirstSteps } from "#features/dashboard/first-calls.ts";
import { FirstSteps } from "#features/dashboard/first-steps.tsx";
import { loadNamespaces } from "#lib/i18n.ts";
import { readRememberedRights, selfQuery, useSelf, wasSignedIn } from "#lib/session.ts";
import { ErrorBoundary } from "#ui/error-boundary.tsx";
import { FirstRun, FirstRunCard } from "./first-run-card.tsx";
import { loadable } from "./loadable.tsx";
import { queryClient } from "./providers.tsx";

/** Loads a page with its texts. The first steps on both have those of the dashboard. */
const withTexts = async <T,>(page: Promise<T>, ...more: string[]): Promise<T> =>
  (await Promise.all([page, loadNamespaces("dashboard", ...more)]))[0];

const loadOverview = () => withTexts(import("#features/overview/overview-page.tsx"), "overview");
const loadUsage = () => withTexts(import("#features/dashboard/dashboard-page.tsx"));

/** Returns whether the address asks for the user's own usage. */
const asksForUsage = () => new URLSearchParams(window.location.search).get("view") === "usage";

/** Loads the code of the page that a user with these rights sees first. */
const loadFirstPage = (person: AdminRights) => (seesUsage(person) ? UsagePage.load() : OverviewPage.load());

/** Returns whether the address shows this user's own usage. */
const seesUsage = (person: AdminRights) => !seesGateway(person) || asksForUsage();

const OverviewPage = loadable(loadOverview);
const UsagePage = loadable(loadUsage);

export async function loadFirstScreen() {
  // A guess until the session is known, so that both load at the same time.
  const guess = wasSignedIn() ? loadFirstPage(readRememberedRights()) : undefined;
  guess?.catch(() => {});
  const self = await queryClient.ensureQueryData(selfQuery).catch(() => null);
  const page = await (self ? loadFirstPage(self) : guess);
  return { default: FirstScreen, prefetchAbove, ...(page ? { prefetch: page.prefetch } : {}) };
}

const needsSteps = (self: Self) => self.request_count <= FIRST_CALLS && !hidesFirstSteps();

/** The first steps, failed calls and a budget are above the rest of the page, which their data would move. */
async function prefetchAbove(client: QueryClient): Promise<void> {
  const self = client.getQueryData(selfQuery.queryKey);
  if (!self) return;
  await Promise.all([
    needsSteps(self) ? prefetchSteps(client, self) : undefined,
    needsSteps(self) && hasFirstRun(self) ? FirstRun.load() : undefined,
    seesUsage(self) ? prefetchUsage(client, self) : undefined,
  ]);
}

export function FirstScreen() {
  const self = useSelf();
  const [search, setSearch] = useSearchParams();
  if (!self) return null;
  const firstSteps = needsSteps(self) ? <Steps self={self} /> : null;
  if (!seesGateway(self)) return <UsagePage firstSteps={firstSteps} />;
  const own = search.get("view") === "usage";
  const choose = (view: string | null) => setSearch(view === "usage" ? { view } : {});
  const tabs = <ViewTabs value={own ? "usage" : "gateway"} onChange={choose} />;
  return own ? (
    <UsagePage tabs={tabs} firstSteps={firstSteps} />
  ) : (
    <OverviewPage tabs={tabs} firstSteps={firstSteps} />
  );
}

/** Whether the account can add the first channel of the gateway, and has not called it yet. */
const hasFirstRun = (self: Self) => self.request_count === 0 && canAddChannels(self);

function Steps({ self }: { self: Self }) {
  // Until the page is left, so that the first call is shown with its bill.
  const [isFirstRun] = useState(() => hasFirstRun(self));
  return <ErrorBoundary>{isFirstRun ? <FirstRunCard /> : <FirstSteps />}</ErrorBoundary>;
}

/** Returns whether the user may see at least one part of the overview. */
function seesGateway(person: AdminRights): boolean {
  return (["analytics", "logs", "channels"] as const).some((area) => mayEnter(person, area));
}

type ViewTabsProps = { value: "gateway" | "usage"; onChange: (view: string | null) => void };

function ViewTabs({ value, onChange }: ViewTabsProps): ReactNode {
  const { t } = useTranslation();
  return (
    <Tabs value={value} onChange={onChange}>
      <Tabs.List>
        <Tabs.Tab value="gateway">{t("Gateway")}</Tabs.Tab>
        <Tabs.Tab value="usage">{t("My usage")}</Tabs.Tab>
      </Tabs.List>
    </Tabs>
  );
}
