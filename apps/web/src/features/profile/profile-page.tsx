/** Who I am here, and how the console looks for me. */
import { roleName } from "@gateway/shared/roles";
import {
  Badge,
  Group,
  SegmentedControl,
  Select,
  SimpleGrid,
  Stack,
  Text,
  useMantineColorScheme,
} from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { currentLanguage, languages, phrase, setLanguage } from "#lib/i18n.ts";
import { useFormat } from "#lib/quota.ts";
import { useSelf } from "#lib/session.ts";
import { Page, Section } from "#ui/page.tsx";
import { RelativeTime } from "#ui/relative-time.tsx";

const roleTitles = {
  guest: phrase("Guest"),
  user: phrase("User"),
  reliable: phrase("Trusted user"),
  admin: phrase("Administrator"),
  root: phrase("Super administrator"),
  unknown: phrase("Unknown role"),
} as const;

export default function ProfilePage() {
  const { t } = useTranslation();
  return (
    <Page title={t("Profile")} description={t("Your account, and how the console looks on this device.")}>
      <Account />
      <Looks />
    </Page>
  );
}

function Account() {
  const { t } = useTranslation();
  const format = useFormat();
  const self = useSelf();
  if (!self) return null;
  return (
    <Section title={t("Account")} aside={<Badge>{t(roleTitles[roleName(self.role)])}</Badge>}>
      <SimpleGrid cols={{ base: 2, md: 3 }} spacing="lg" verticalSpacing="md">
        <Fact label={t("Username")}>{self.username}</Fact>
        <Fact label={t("Display name")}>{self.display_name || "–"}</Fact>
        <Fact label={t("Email")}>{self.email ?? "–"}</Fact>
        <Fact label={t("Group")}>
          {t("{{name}} (ratio {{ratio}})", { name: self.group_name, ratio: self.group_ratio })}
        </Fact>
        <Fact label={t("Requests per minute")}>{format.whole(self.group_api_rate)}</Fact>
        <Fact label={t("Balance")}>{format.quota(self.quota)}</Fact>
        <Fact label={t("Used so far")}>{format.quota(self.used_quota)}</Fact>
        <Fact label={t("Requests so far")}>{format.whole(self.request_count)}</Fact>
        <Fact label={t("Last sign-in")}>
          <RelativeTime seconds={self.last_login_time} />
        </Fact>
      </SimpleGrid>
    </Section>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <Text fz="sm" c="dimmed">
        {label}
      </Text>
      <Text component="div" className="tabular">
        {children}
      </Text>
    </div>
  );
}

function Looks() {
  const { t } = useTranslation();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Section title={t("Appearance")} hint={t("Kept in this browser only.")}>
      <Group gap="xl" align="flex-end">
        <Select
          label={t("Language")}
          w={220}
          data={languages.map((language) => ({ value: language.id, label: language.name }))}
          value={currentLanguage()}
          onChange={(value) => value && void setLanguage(value)}
          allowDeselect={false}
        />
        <Stack gap={4}>
          <Text fz="sm" fw={500} id="theme-label">
            {t("Theme")}
          </Text>
          <SegmentedControl
            aria-labelledby="theme-label"
            data={[
              { value: "light", label: t("Light") },
              { value: "dark", label: t("Dark") },
              { value: "auto", label: t("Like the system") },
            ]}
            value={colorScheme}
            onChange={(value) => setColorScheme(value)}
          />
        </Stack>
      </Group>
    </Section>
  );
}
