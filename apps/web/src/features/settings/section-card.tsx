/** A few related settings that are saved together. */
import type { SettingsView } from "@gateway/shared/site/settings";
import { Button, Group, Text, Title } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useMayChange } from "#lib/changes.ts";
import { useServerAddress } from "#lib/site.ts";
import { CopyCode } from "#ui/copy.tsx";
import { HelpLink } from "#ui/form/help-link.tsx";
import { Section } from "#ui/page/page.tsx";
import { BrandPreview } from "./brand-preview.tsx";
import { SettingField } from "./inputs/setting-field.tsx";
import { SearchText } from "./search-text.tsx";
import { anchorOf } from "./section-index.tsx";
import { SectionStatus } from "./status/section-status.tsx";
import { TestButton } from "./test-button.tsx";
import { type SectionFormProps, useSectionForm } from "./use-section-form.ts";
import classes from "./settings.module.css";

export function SectionCard(props: SectionFormProps) {
  const { section, settings, drafts } = props;
  const { t } = useTranslation("settings");
  const address = useServerAddress();
  const mayChange = useMayChange();
  const form = useSectionForm(props);
  return (
    <form
      id={anchorOf(section)}
      className={classes.section}
      onSubmit={(event) => {
        event.preventDefault();
        void form.submit(form.tested);
      }}
      aria-label={t(section.title)}
      noValidate
    >
      <Section padding={0}>
        <div className={classes.head}>
          <Group justify="space-between" gap="xs">
            <Title order={2} fz="md">
              <SearchText>{t(section.title)}</SearchText>
            </Title>
            <Group gap={4}>
              {section.test && !form.folded && form.mayTest ? (
                <TestButton test={section.test} dirty={form.dirty.length > 0} />
              ) : null}
              <HelpLink help={section.help} about={t(section.title)} />
            </Group>
          </Group>
          {section.hint ? (
            <Text c="dimmed" fz="sm" mt={2}>
              <SearchText>{t(section.hint)}</SearchText>
            </Text>
          ) : null}
        </div>
        {mayChange && form.shown.some((field) => form.isLocked(field.key)) ? (
          <Text c="dimmed" fz="sm" px={20} pt={8}>
            {t(
              "Only root can change the disabled settings, because they control who can sign in and where links lead.",
            )}
          </Text>
        ) : null}
        {section.callback ? (
          <Group gap={6} px={20} pt={8} wrap="nowrap">
            <Text c="dimmed" fz="sm" flex="none">
              {t("Callback address")}
            </Text>
            <CopyCode text={address + section.callback} label={t("Callback address")} />
          </Group>
        ) : null}
        <div className={classes.fields}>
          {form.shown.map((field) => (
            <fieldset key={field.key} className={classes.lock} disabled={form.isLocked(field.key)}>
              <SettingField
                field={field}
                value={form.valueOf(field.key)}
                dirty={field.key in drafts}
                secretSet={settings.secrets_set.includes(field.key)}
                error={form.errorOf(field.key)}
                onChange={(value) => form.change(field.key, value)}
              />
            </fieldset>
          ))}
        </div>
        {section.preview === "brand" ? (
          <BrandPreview
            name={String(form.valueOf("SystemName"))}
            logo={String(form.valueOf("Logo"))}
            accent={
              form.errorOf("AccentColor") === undefined ? String(form.valueOf("AccentColor")) : undefined
            }
          />
        ) : null}
        {section.status && section.foldedBy && settings[section.foldedBy as keyof SettingsView] === true ? (
          <SectionStatus status={section.status} />
        ) : null}
        {form.dirty.length > 0 ? <SectionFoot form={form} /> : null}
      </Section>
    </form>
  );
}

function SectionFoot({ form }: { form: ReturnType<typeof useSectionForm> }) {
  const { t } = useTranslation("settings");
  const { tested, faulty, isSaving } = form;
  return (
    <Group className={classes.foot} justify="flex-end" gap="xs">
      <Text fz="sm" c="dimmed" mr="auto" className={classes.unsaved} role="status">
        <span className={classes.dot} aria-hidden /> {t("Not saved")}
      </Text>
      <Button variant="default" onClick={form.discard} disabled={isSaving}>
        {t("Discard")}
      </Button>
      {tested ? (
        <Button variant="default" onClick={() => void form.submit()} disabled={faulty || isSaving}>
          {t("Save")}
        </Button>
      ) : null}
      <Button type="submit" disabled={faulty} loading={isSaving}>
        {tested ? t("Save and test") : t("Save")}
      </Button>
    </Group>
  );
}
