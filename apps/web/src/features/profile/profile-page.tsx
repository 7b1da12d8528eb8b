/** The user's account, sign-in methods and console preferences. */
import { Skeleton, Stack, Tabs } from "@mantine/core";
import { lazy, Suspense } from "react";
import { useTranslation } from "react-i18next";
import { useSearchParams } from "react-router-dom";
import { Page } from "#ui/page/page.tsx";
import { AccountSection } from "./account-section.tsx";
import { DetailsSection } from "./details-section.tsx";
import { InviteSection } from "./invite-section.tsx";
import { LooksSection } from "./looks-section.tsx";

const SecurityTab = lazy(async () => ({ default: (await import("./security-tab.tsx")).SecurityTab }));
const AccessTab = lazy(async () => ({ default: (await import("./access-tab.tsx")).AccessTab }));

const tabs = ["general", "security", "access"] as const;

export default function ProfilePage() {
  const { t } = useTranslation("profile");
  const [search, setSearch] = useSearchParams();
  const tab = tabs.find((each) => each === search.get("tab")) ?? "general";
  return (
    <Page
      title={t("Profile")}
      description={t("Your account, and the appearance of the console on this device.")}
    >
      <Tabs
        value={tab}
        keepMounted={false}
        onChange={(next) => setSearch(next && next !== "general" ? { tab: next } : {}, { replace: true })}
      >
        <Tabs.List mb="md">
          <Tabs.Tab value="general">{t("General")}</Tabs.Tab>
          <Tabs.Tab value="security">{t("Security")}</Tabs.Tab>
          <Tabs.Tab value="access">{t("API access")}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="general">
          <Stack>
            <AccountSection />
            <DetailsSection />
            <LooksSection />
            <InviteSection />
          </Stack>
        </Tabs.Panel>
        <Tabs.Panel value="security">
          <Suspense fallback={<LoadingTab />}>
            <SecurityTab />
          </Suspense>
        </Tabs.Panel>
        <Tabs.Panel value="access">
          <Suspense fallback={<LoadingTab />}>
            <AccessTab />
          </Suspense>
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}

/** As high as the first section. Nothing is below the tabs. */
function LoadingTab() {
  return <Skeleton height={220} radius="lg" />;
}
