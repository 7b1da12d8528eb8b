/** The user's account, sign-in methods and console preferences. */
import { Stack, Tabs } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useSearchParams } from "react-router-dom";
import { Page } from "#ui/page/page.tsx";
import { AccessTokenSection } from "./access-token.tsx";
import { AccountSection } from "./account-section.tsx";
import { DetailsSection } from "./details-section.tsx";
import { DevicesSection } from "./devices-section.tsx";
import { EmailSection } from "./email-section.tsx";
import { InviteSection } from "./invite-section.tsx";
import { LooksSection } from "./looks-section.tsx";
import { SessionsSection } from "./sessions-section.tsx";
import { BindingsSection } from "./sign-in/bindings-section.tsx";
import { PasskeysSection } from "./sign-in/passkeys-section.tsx";
import { PasswordSection } from "./sign-in/password-section.tsx";
import { SecondFactorSection } from "./sign-in/second-factor.tsx";
import { TelegramSection } from "./telegram-section.tsx";

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
          <Stack>
            <PasswordSection />
            <EmailSection />
            <PasskeysSection />
            <SecondFactorSection />
            <BindingsSection />
            <TelegramSection />
            <SessionsSection />
          </Stack>
        </Tabs.Panel>
        <Tabs.Panel value="access">
          <Stack>
            <DevicesSection />
            <AccessTokenSection />
          </Stack>
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}
