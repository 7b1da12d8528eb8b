import { type AdminRights, mayEnter, Role } from "@gateway/shared/accounts/roles";
import { Tabs } from "@mantine/core";
import { lazy, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useSearchParams } from "react-router-dom";
/** The default screen: the gateway's overview for administrators, the user's own usage for everyone else. */
import { FIRST_CALLS, hidesFirstSteps } from "#features/dashboard/first-calls.ts";
import { loadScreenMessages } from "#lib/screen-messages.ts";
import { useSelf } from "#lib/session.ts";
import { ErrorBoundary } from "#ui/error-boundary.tsx";

const withMessages = async <T,>(page: Promise<T>, part: "overview" | "usage"): Promise<T> =>
  (await Promise.all([page, loadScreenMessages(part)]))[0];

const loadOverview = () => withMessages(import("#features/overview/overview-page.tsx"), "overview");
const loadUsage = () => withMessages(import("#features/dashboard/dashboard-page.tsx"), "usage");
const OverviewPage = lazy(loadOverview);
const UsagePage = lazy(loadUsage);
const FirstSteps = lazy(() =>
  withMessages(import("#features/dashboard/first-steps.tsx"), "usage").then((module) => ({
    default: module.FirstSteps,
  })),
);

/**
 * Loads the user's first screen together with the frame.
 * @param role role that this browser remembers
 */
export async function prepareFirstScreen(role: number): Promise<void> {
  const own = new URLSearchParams(window.location.search).get("view") === "usage";
  await (role >= Role.admin && !own ? loadOverview() : loadUsage());
}

export function FirstScreen() {
  const self = useSelf();
  const [search, setSearch] = useSearchParams();
  if (!self) return null;
  const firstSteps = self.request_count <= FIRST_CALLS && !hidesFirstSteps() ? <Steps /> : null;
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

function Steps() {
  return (
    <ErrorBoundary>
      <FirstSteps />
    </ErrorBoundary>
  );
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
