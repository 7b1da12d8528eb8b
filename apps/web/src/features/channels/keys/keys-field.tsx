/** The keys of a channel: the stored ones, and a field for new ones. */
import type { ProviderInfo } from "@gateway/shared/channels/provider";
import { Alert, SegmentedControl, Stack, Text, Textarea } from "@mantine/core";
import { IconKey } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { ChannelDraft, DraftForm } from "#features/channels/editor/draft.ts";
import { useCan } from "#lib/session.ts";
import { countKeys } from "./count-keys.ts";
import { KeyList } from "./key-list.tsx";
import classes from "./keys.module.css";

type KeysFieldProps = {
  form: DraftForm;
  provider: ProviderInfo | undefined;
  /** Undefined for an unsaved channel. */
  id: number | undefined;
  hasKeys: boolean;
  /** The address, the proxy or the provider differs from the one that the stored keys were entered for. */
  moved: boolean;
};

export function KeysField({ form, provider, id, hasKeys, moved }: KeysFieldProps) {
  const { t } = useTranslation("channels");
  const isRoot = useCan("configure");
  const keyCount = countKeys(form.values.key ?? "");
  return (
    <Stack gap="sm">
      {id !== undefined && hasKeys ? <KeyList id={id} /> : null}
      {hasKeys && moved ? <MovedKeys isRoot={isRoot} /> : null}
      <Textarea
        label={hasKeys ? t("New API keys") : t("API keys")}
        autosize
        minRows={2}
        maxRows={8}
        spellCheck={false}
        autoComplete="off"
        classNames={{ input: classes.keys }}
        placeholder={
          hasKeys && (isRoot || !moved) ? t("Leave it empty to keep the stored keys") : provider?.key_hint
        }
        description={
          provider && !provider.needs_key && !(hasKeys && moved && !isRoot)
            ? t("Optional for this provider. Enter one key per line.")
            : t(
                "Enter one key per line. Calls are distributed over all keys. Keys are stored encrypted and never shown again.",
              )
        }
        {...form.getInputProps("key")}
      />
      {keyCount > 0 ? (
        <Stack gap={6} align="flex-start">
          {hasKeys && (isRoot || !moved) ? (
            <SegmentedControl
              size="xs"
              aria-label={t("How to handle the stored keys")}
              data={[
                { value: "append", label: t("Add to the stored keys") },
                { value: "replace", label: t("Replace the stored keys") },
              ]}
              value={keyModeOf(form.values, moved)}
              onChange={(mode) => form.setFieldValue("key_mode", mode === "append" ? "append" : "replace")}
            />
          ) : null}
          <Text c="dimmed" fz="xs" aria-live="polite">
            {t("{{count}} keys pasted", { count: keyCount })}
          </Text>
        </Stack>
      ) : null}
    </Stack>
  );
}

/** Explains why the keys must be entered again, or where they would be sent. */
function MovedKeys({ isRoot }: { isRoot: boolean }) {
  const { t } = useTranslation("channels");
  return (
    <Alert
      variant="light"
      color="amber"
      icon={<IconKey size={18} />}
      title={isRoot ? t("The stored keys will be sent to another address") : t("Enter the API keys again")}
    >
      <Text fz="sm">
        {isRoot
          ? t(
              "You changed the provider, the API address or the proxy. Enter other keys to replace the stored ones.",
            )
          : t(
              "You changed the provider, the API address or the proxy. Stored keys are only sent to the address they were entered for.",
            )}
      </Text>
    </Alert>
  );
}

/** Keeps stored keys by default, unless they would be sent to another address. */
export function keyModeOf({ key_mode }: ChannelDraft, moved: boolean): "append" | "replace" {
  return key_mode ?? (moved ? "replace" : "append");
}
