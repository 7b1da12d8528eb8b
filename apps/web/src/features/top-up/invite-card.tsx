/** The user's invitation: code, link, and results. */
import { SimpleGrid, Stack, Text, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useFormat } from "#lib/format/quota.ts";
import { useSelf } from "#lib/session.ts";
import { CopyButton } from "#ui/copy.tsx";
import { Section } from "#ui/page/page.tsx";
import classes from "./top-up.module.css";

export function InviteCard() {
  const { t } = useTranslation("top-up");
  const format = useFormat();
  const self = useSelf();
  if (!self) return null;
  const link = new URL(`register?aff=${encodeURIComponent(self.aff_code)}`, document.baseURI).href;
  return (
    <Section
      title={t("Invite others")}
      hint={t(
        "Users who sign up with your link count as invited by you. The operator may reward both of you.",
      )}
    >
      <Stack gap="sm">
        <CopyField label={t("Invitation link")} value={link} />
        <CopyField label={t("Invitation code")} value={self.aff_code} />
        <SimpleGrid cols={2}>
          <div>
            <Text c="dimmed" fz="xs">
              {t("Invited")}
            </Text>
            <Text className={classes.value}>{format.whole(self.aff_count)}</Text>
          </div>
          <div>
            <Text c="dimmed" fz="xs">
              {t("Invitation rewards")}
            </Text>
            <Text className={classes.value}>{format.quota(self.aff_quota)}</Text>
          </div>
        </SimpleGrid>
      </Stack>
    </Section>
  );
}

function CopyField({ label, value }: { label: string; value: string }) {
  return (
    <TextInput
      label={label}
      readOnly
      classNames={{ input: classes.code }}
      value={value}
      onFocus={(event) => event.currentTarget.select()}
      rightSection={<CopyButton text={value} label={label} />}
    />
  );
}
