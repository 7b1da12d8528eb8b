/** The form of a section of the settings: which fields it shows, their values and errors, and saving. */
import { isBalanceSetting, isPriceSetting, isRootSetting } from "@gateway/shared/site/root-settings";
import type { SettingKey, SettingsView } from "@gateway/shared/site/settings";
import type { TFunction } from "i18next";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useMayChange } from "#lib/changes.ts";
import { issueText } from "#lib/errors/error-text.ts";
import { ApiError } from "#lib/http.ts";
import { useCan, useMayEnter } from "#lib/session.ts";
import { confirm } from "#ui/confirm.tsx";
import { toast } from "#ui/toast.tsx";
import { useProblems, useSaveSettings } from "./api.ts";
import { autofillDrafts, type Drafts, type DraftValue, savedValue } from "./drafts.ts";
import { labelOf } from "./sections/fields.ts";
import type { SettingSection, TestAction } from "./sections/section.ts";
import { useTestSettings } from "./test-button.tsx";

export type SectionFormProps = {
  section: SettingSection;
  settings: SettingsView;
  drafts: Drafts;
  onDraft: (key: SettingKey, value: DraftValue) => void;
  onDiscard: (keys: SettingKey[]) => void;
  onSaved: (saved: Drafts) => void;
};

/** Returns whether this user may not change a setting. */
function useLocks(): (key: SettingKey) => boolean {
  const mayChange = useMayChange();
  const isRoot = useCan("configure");
  const mayPay = useMayEnter("balances", "edit");
  const mayPrice = useMayEnter("prices", "edit");
  return (key) =>
    !mayChange ||
    (!isRoot && isRootSetting(key)) ||
    (!mayPay && isBalanceSetting(key)) ||
    (!mayPrice && isPriceSetting(key));
}

export function useSectionForm(props: SectionFormProps) {
  const { section, settings, drafts, onDraft, onDiscard, onSaved } = props;
  const { t } = useTranslation("settings");
  const save = useSaveSettings();
  const test = useTestSettings();
  const isLocked = useLocks();
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
    if (drafts.PasswordLoginEnabled === false && !(await confirmNoPasswords(t))) return;
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

  return {
    shown,
    folded,
    isLocked,
    mayTest,
    /** Sent after saving. */
    tested,
    dirty,
    faulty,
    isSaving: save.isPending,
    valueOf,
    errorOf,
    change,
    discard,
    submit,
  };
}

function confirmNoPasswords(t: TFunction<"settings">): Promise<boolean> {
  return confirm({
    title: t("Disable sign-in with a password?"),
    body: t("If no other sign-in method works, no one can sign in, including you."),
    action: t("Disable"),
  });
}
