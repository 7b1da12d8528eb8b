/** A few related settings that are saved together. */
import { isBalanceSetting, isPriceSetting, isRootSetting } from "@gateway/shared/site/root-settings";
import type { SettingKey, SettingsView } from "@gateway/shared/site/settings";
import { Button, Group, Text, Title } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useMayChange } from "#lib/changes.ts";
import { issueText } from "#lib/errors/error-text.ts";
import { ApiError } from "#lib/http.ts";
import { useCan, useMayEnter } from "#lib/session.ts";
import { useServerAddress } from "#lib/site.ts";
import { confirm } from "#ui/confirm.tsx";
import { CopyCode } from "#ui/copy.tsx";
import { HelpLink } from "#ui/form/help-link.tsx";
import { Section } from "#ui/page/page.tsx";
import { toast } from "#ui/toast.tsx";
import { useProblems, useSaveSettings } from "./api.ts";
import { BrandPreview } from "./brand-preview.tsx";
import { type DraftValue, type Drafts, autofillDrafts, savedValue } from "./drafts.ts";
import { SettingField } from "./inputs/setting-field.tsx";
import { SearchText } from "./search-text.tsx";
import { anchorOf } from "./section-index.tsx";
import { labelOf } from "./sections/fields.ts";
import type { SettingSection, TestAction } from "./sections/section.ts";
import { SectionStatus } from "./status/section-status.tsx";
import { TestButton, useTestSettings } from "./test-button.tsx";
import classes from "./settings.module.css";

type SectionCardProps = {
  section: SettingSection;
  settings: SettingsView;
  drafts: Drafts;
  onDraft: (key: SettingKey, value: DraftValue) => void;
  onDiscard: (keys: SettingKey[]) => void;
  onSaved: (saved: Drafts) => void;
};

export function SectionCard({ section, settings, drafts, onDraft, onDiscard, onSaved }: SectionCardProps) {
  const { t } = useTranslation("settings");
  const save = useSaveSettings();
  const test = useTestSettings();
  const address = useServerAddress();
  const mayChange = useMayChange();
  const isRoot = useCan("configure");
  const mayPay = useMayEnter("balances", "edit");
  const mayPrice = useMayEnter("prices", "edit");
  const isLocked = (key: SettingKey) =>
    !mayChange ||
    (!isRoot && isRootSetting(key)) ||
    (!mayPay && isBalanceSetting(key)) ||
    (!mayPrice && isPriceSetting(key));
  // The test is only for users who may change a setting of the section.
  const mayTest = section.fields.some((field) => !isLocked(field.key));
  const [refused, setRefused] = useState<ApiError["issues"]>({});
  const dirty = section.fields.map((field) => field.key).filter((key) => key in drafts);
  const problemOf = useProblems(dirty.length > 0);
  const valueOf = (key: SettingKey) => drafts[key] ?? savedValue(settings, key);
  const { foldedBy } = section;
  const folded = foldedBy !== undefined && valueOf(foldedBy) !== true;
  const shown = section.fields.filter(({ key, shownFor }) =>
    folded ? key === foldedBy : shownFor === undefined || valueOf(shownFor.key) === shownFor.value,
  );
  const errorOf = (key: SettingKey) => {
    const draft = drafts[key];
    const issue = (draft === undefined ? undefined : problemOf(key, draft ?? "")) ?? refused[key];
    return issue === undefined ? undefined : issueText(t, { ...issue });
  };
  // A field may have been rejected because of another field.
  const change = (key: SettingKey, value: DraftValue) => {
    setRefused({});
    onDraft(key, value);
    const field = section.fields.find((one) => one.key === key);
    const also = {
      ...autofillDrafts(field?.fills, [valueOf(key) ?? "", value], settings, drafts),
      ...field?.known?.[String(value)],
    };
    for (const [other, filled] of Object.entries(also)) onDraft(other as SettingKey, filled);
  };
  const discard = () => {
    setRefused({});
    onDiscard(dirty);
  };
  const faulty = dirty.some((key) => problemOf(key, drafts[key] ?? "") !== undefined);

  const tested = mayTest && section.test && valueOf(section.test.needs) ? section.test : undefined;

  /** Saves the changes, and then tests them if the section has a test. */
  const submit = async (then?: TestAction) => {
    if (dirty.length === 0 || faulty) return;
    if (drafts.PasswordLoginEnabled === false && !(await confirmNoPasswords())) return;
    setRefused({});
    try {
      await save.mutateAsync(Object.fromEntries(dirty.map((key) => [key, drafts[key] ?? ""])));
      onSaved(Object.fromEntries(dirty.map((key) => [key, drafts[key]])));
      toast.success(t("Saved"));
      if (then) test.send(then);
    } catch (error) {
      // An error without field errors was already reported as a toast.
      if (!(error instanceof ApiError)) return;
      setRefused(error.issues);
      for (const [key, issue] of Object.entries(error.issues))
        if (!shown.some((field) => field.key === key))
          toast.error(
            t("{{what}}: {{reason}}", { what: t(labelOf(key) ?? key), reason: issueText(t, issue) }),
          );
    }
  };
  const confirmNoPasswords = () =>
    confirm({
      title: t("Disable sign-in with a password?"),
      body: t("If no other sign-in method works, no one can sign in, including you."),
      action: t("Disable"),
    });

  return (
    <form
      id={anchorOf(section)}
      className={classes.section}
      onSubmit={(event) => {
        event.preventDefault();
        void submit(tested);
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
              {section.test && !folded && mayTest ? (
                <TestButton test={section.test} dirty={dirty.length > 0} />
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
        {mayChange && shown.some((field) => isLocked(field.key)) ? (
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
          {shown.map((field) => (
            <fieldset key={field.key} className={classes.lock} disabled={isLocked(field.key)}>
              <SettingField
                field={field}
                value={valueOf(field.key)}
                dirty={field.key in drafts}
                secretSet={settings.secrets_set.includes(field.key)}
                error={errorOf(field.key)}
                onChange={(value) => change(field.key, value)}
              />
            </fieldset>
          ))}
        </div>
        {section.preview === "brand" ? (
          <BrandPreview
            name={String(valueOf("SystemName"))}
            logo={String(valueOf("Logo"))}
            accent={errorOf("AccentColor") === undefined ? String(valueOf("AccentColor")) : undefined}
          />
        ) : null}
        {section.status && foldedBy && settings[foldedBy as keyof SettingsView] === true ? (
          <SectionStatus status={section.status} />
        ) : null}
        {dirty.length > 0 ? (
          <Group className={classes.foot} justify="flex-end" gap="xs">
            <Text fz="sm" c="dimmed" mr="auto" className={classes.unsaved} role="status">
              <span className={classes.dot} aria-hidden /> {t("Not saved")}
            </Text>
            <Button variant="default" onClick={discard} disabled={save.isPending}>
              {t("Discard")}
            </Button>
            {tested ? (
              <Button variant="default" onClick={() => void submit()} disabled={faulty || save.isPending}>
                {t("Save")}
              </Button>
            ) : null}
            <Button type="submit" disabled={faulty} loading={save.isPending}>
              {tested ? t("Save and test") : t("Save")}
            </Button>
          </Group>
        ) : null}
      </Section>
    </form>
  );
}
