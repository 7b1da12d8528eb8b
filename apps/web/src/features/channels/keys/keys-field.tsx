/** The keys of a channel: the stored ones, and a field for new ones. */
import { parseKeyReference, referenceForms, referenceSource } from "@gateway/shared/channels/key-reference";
import type { ProviderInfo } from "@gateway/shared/channels/provider";
import { Alert, Anchor, Code, SegmentedControl, Stack, Text, Textarea } from "@mantine/core";
import { IconKey } from "@tabler/icons-react";
import type { TFunction } from "i18next";
import { Fragment, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import type { ChannelDraft, DraftForm } from "#features/channels/editor/draft.ts";
import { useCan } from "#lib/session.ts";
import { countKeys } from "./count-keys.ts";
import { KeyList } from "./key-list.tsx";
import { SignInField, storedIdentity } from "./sign-in-field.tsx";
import classes from "./keys.module.css";

type KeysFieldProps = {
  form: DraftForm;
  provider: ProviderInfo | undefined;
  /** Undefined for an unsaved channel. */
  id: number | undefined;
  hasKeys: boolean;
  /** What the list shows of the stored keys. */
  keyHints: string[];
  /** The address, the proxy or the provider differs from the one that the stored keys were entered for. */
  moved: boolean;
};

export function KeysField({ form, provider, id, hasKeys, keyHints, moved }: KeysFieldProps) {
  const { t } = useTranslation("channels");
  const isRoot = useCan("configure");
  const keyCount = countKeys(form.values.key ?? "");
  const [onlyKey, ...others] = keyHints;
  const stored = others.length === 0 ? onlyKey : undefined;
  const cloud = provider?.identity ?? null;
  const [usesIdentity, setUsesIdentity] = useState(storedIdentity(stored, cloud) !== undefined);
  const isReferenced = keyHints.some((hint) => referenceSource(hint) !== undefined);
  const { error, ...input } = form.getInputProps("key");
  return (
    <Stack gap="sm">
      {id !== undefined && hasKeys ? <KeyList id={id} /> : null}
      {hasKeys && moved && !isReferenced ? <MovedKeys isRoot={isRoot} /> : null}
      {isReferenced && !isRoot ? (
        <Text c="dimmed" fz="xs">
          {t("The key is stored elsewhere. Only the root account can change it, or where it is sent.")}
        </Text>
      ) : null}
      {isRoot && cloud !== null ? (
        <SignInField form={form} cloud={cloud} stored={stored} onIdentity={setUsesIdentity} />
      ) : null}
      {usesIdentity && isRoot && cloud !== null ? null : (
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
          {...input}
          error={error ?? referenceProblem(t, form.values.key ?? "", isRoot)}
        />
      )}
      {isRoot && !(usesIdentity && cloud !== null) ? <ReferenceHint /> : null}
      {keyCount > 0 && !(usesIdentity && cloud !== null) ? (
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

/** Returns what is wrong with a reference among the entered keys. */
function referenceProblem(t: TFunction<"channels">, text: string, isRoot: boolean): string | undefined {
  for (const line of text.split("\n")) {
    const key = line.trim();
    const source = referenceSource(key);
    if (source === undefined) continue;
    if (!isRoot) return t("Only the root account can enter a reference to a key.");
    if (parseKeyReference(key) === undefined)
      return t("This reference is not valid. Its form is {{form}}.", { form: referenceForms[source] });
  }
  return undefined;
}

/** Explains that a key can be stored elsewhere. */
function ReferenceHint() {
  const { t } = useTranslation("channels");
  return (
    <Text c="dimmed" fz="xs">
      {t("In place of a key, you can enter where it is stored:")}{" "}
      {(["env", "file", "vault", "aws-sm"] as const).map((source) => (
        <Fragment key={source}>
          <Code fz="xs">{referenceForms[source]}</Code>{" "}
        </Fragment>
      ))}
      <Anchor component={Link} to="/panel/help/channel-keys" target="_blank" fz="xs">
        {t("Keys that are stored elsewhere")}
      </Anchor>
    </Text>
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
