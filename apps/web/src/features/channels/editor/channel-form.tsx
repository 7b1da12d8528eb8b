/** The form of a channel. Unsaved values can be tested. */
import type { ChannelTestResult } from "@gateway/shared/channels/channel";
import type { ProviderInfo } from "@gateway/shared/channels/provider";
import { trimEndOf } from "@gateway/shared/trim-end";
import { Button } from "@mantine/core";
import { IconGauge } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { keysQuery, useSaveChannel } from "#features/channels/api.ts";
import { countKeys } from "#features/channels/keys/count-keys.ts";
import { keyModeOf } from "#features/channels/keys/keys-field.tsx";
import { testUnsavedChannel } from "#features/channels/runs/channel-tests.ts";
import { TestLine } from "#features/channels/runs/test-line.tsx";
import { useSavedMessage } from "#features/channels/use-saved-message.tsx";
import { fieldNameOf } from "#lib/labels/channel-fields.ts";
import { confirm } from "#ui/confirm.tsx";
import { FormDrawer } from "#ui/form/form-drawer.tsx";
import { useSchemaForm, showFieldErrors } from "#ui/form/form.ts";
import { toast } from "#ui/toast.tsx";
import { AdvancedSection } from "./advanced-section.tsx";
import { BasicsSection } from "./basics-section.tsx";
import { ChannelDraft, type DraftForm, inFormPaths, inputOf, providerFaults } from "./draft.ts";
import { LimitsSection } from "./limits-section.tsx";
import { MappingSection } from "./mapping-section.tsx";
import { ModelsSection } from "./models-section.tsx";
import { RequestSection } from "./request-section.tsx";
import { RoutingSection } from "./routing-section.tsx";

export type ChannelFormStart = {
  /** Undefined for an unsaved channel. */
  id: number | undefined;
  draft: ChannelDraft;
  /** First and last characters of the stored keys, or the references to them. */
  keyHints: string[];
};

type ChannelFormProps = {
  start: ChannelFormStart;
  providers: ProviderInfo[];
  groups: string[];
  opened: boolean;
  onClose: () => void;
};

export function ChannelForm({ start, providers, groups, opened, onClose }: ChannelFormProps) {
  const { t } = useTranslation("channels");
  const { id, keyHints } = start;
  const client = useQueryClient();
  const save = useSaveChannel();
  const showSaved = useSavedMessage();
  const providerOf = (type: number) => providers.find((provider) => provider.type === type);
  const form = useSchemaForm(ChannelDraft, start.draft, (values) =>
    providerFaults(t, values, providerOf(values.type), keyHints.length > 0),
  );
  const provider = providerOf(form.values.type);
  const test = useUnsavedTest(form, id, groups);

  const submit = async (draft: ChannelDraft) => {
    const keyCount = countKeys(draft.key ?? "");
    const moved = isMoved(start.draft, draft);
    const key_mode = keyCount > 0 && keyHints.length > 0 ? keyModeOf(draft, moved) : undefined;
    if (key_mode === "replace") {
      // Keys may have been deleted in the key list since the form was opened.
      const stored = id === undefined ? undefined : client.getQueryData(keysQuery(id).queryKey);
      const sure = await confirm({
        title: t("Replace the stored keys?"),
        body: t("Stored keys to delete: {{stored}}. New keys: {{pasted}}.", {
          stored: stored?.length ?? keyHints.length,
          keyCount,
        }),
        action: t("Replace"),
      });
      if (!sure) return;
    }
    try {
      const saved = await save.mutateAsync({ id, input: inputOf({ ...draft, key_mode }) });
      showSaved(saved, t("{{name}} saved", { name: saved.name }));
      onClose();
    } catch (error) {
      throw inFormPaths(error, draft);
    }
  };

  return (
    <FormDrawer
      opened={opened}
      help={provider?.help ?? "providers"}
      title={
        id === undefined ? t("Add channel") : t("Edit {{name}} (#{{id}})", { name: start.draft.name, id })
      }
      form={form}
      submitLabel={id === undefined ? t("Add channel") : t("Save")}
      onSubmit={submit}
      onClose={onClose}
      width={720}
      fieldName={(path) => t(fieldNameOf(path))}
      extra={
        <Button
          variant="default"
          leftSection={<IconGauge size={16} />}
          loading={test.isPending}
          onClick={() => test.mutate()}
        >
          {t("Test")}
        </Button>
      }
      notice={test.data ? <TestLine result={test.data} /> : null}
    >
      <BasicsSection
        form={form}
        providers={providers}
        provider={provider}
        id={id}
        hasKeys={keyHints.length > 0}
        keyHints={keyHints}
        moved={isMoved(start.draft, form.values)}
      />
      <ModelsSection form={form} provider={provider} id={id} />
      <RoutingSection form={form} groups={groups} />
      <MappingSection form={form} />
      <RequestSection form={form} />
      <LimitsSection form={form} />
      <AdvancedSection form={form} provider={provider} />
    </FormDrawer>
  );
}

/** Returns whether stored keys would be sent to another destination than they were entered for. */
function isMoved(stored: ChannelDraft, now: ChannelDraft): boolean {
  const places = ({ type, base_url = "", proxy = "" }: ChannelDraft) =>
    `${type} ${trimEndOf(base_url.trim(), "/")} ${proxy.trim()}`;
  return places(stored) !== places(now);
}

/**
 * Tests the unsaved channel. A test needs only an address, a
 * key and a model; other required fields get placeholders.
 */
function useUnsavedTest(form: DraftForm, id: number | undefined, groups: string[]) {
  const { t } = useTranslation("channels");
  return useMutation({
    mutationFn: async (): Promise<ChannelTestResult | null> => {
      const draft = form.getValues();
      const needed = [
        "base_url",
        "key",
        "models",
        "model_mapping",
        "model_headers",
        "custom_parameter",
        "proxy",
      ];
      const { errors } = form.validate();
      const faults = Object.entries(errors).filter(([path]) => needed.includes(path.split(".")[0] ?? ""));
      form.setErrors(Object.fromEntries(faults));
      if (faults.length > 0) {
        toast.error(t("Fill in the marked fields before testing"));
        return null;
      }
      const lent = {
        name: draft.name.trim() || "-",
        groups: draft.groups.length > 0 ? draft.groups : groups,
      };
      try {
        return await testUnsavedChannel({ ...inputOf(draft), ...lent, priority: 0, weight: 1 }, id);
      } catch (error) {
        if (!showFieldErrors(form, inFormPaths(error, draft), t)) throw error;
        return null;
      }
    },
  });
}
