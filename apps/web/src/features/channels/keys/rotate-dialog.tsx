/** Replaces the stored keys of a channel, without the rest of its form. */
import type { ChannelRow } from "@gateway/shared/channels/channel";
import { Button, Stack, Text, Textarea } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { keysQuery, refreshChannels, replaceKeys, useProvider } from "#features/channels/api.ts";
import { useSavedMessage } from "#features/channels/use-saved-message.tsx";
import { faultText, issueTexts } from "#lib/errors/error-text.ts";
import { ApiError } from "#lib/http.ts";
import { inForm } from "#lib/query-client.ts";
import { DialogButtons } from "#ui/form/dialog-buttons.tsx";
import { HelpModal } from "#ui/form/help-modal.tsx";
import { SaveKeys } from "#ui/form/save-keys.tsx";
import { countKeys } from "./count-keys.ts";
import classes from "./keys.module.css";

export function RotateDialog({ row, onClose }: { row: ChannelRow; onClose: () => void }) {
  const { t } = useTranslation("channels");
  const client = useQueryClient();
  const provider = useProvider(row.type);
  const showSaved = useSavedMessage();
  const stored = useQuery({ ...keysQuery(row.id), meta: { quiet: true } }).data?.length;
  const [typed, setTyped] = useState("");
  const keyCount = countKeys(typed);
  const replace = useMutation({
    mutationFn: () => replaceKeys(row.id, typed),
    meta: inForm,
    onSuccess: async (saved) => {
      showSaved(saved, t("The keys of {{name}} were replaced", { name: row.name }));
      onClose();
      await refreshChannels(client);
    },
  });
  const { error } = replace;
  const problem =
    error instanceof ApiError ? (issueTexts(t, error)["key"] ?? faultText(t, error)) : error?.message;
  return (
    <HelpModal
      opened
      onClose={onClose}
      title={t("Rotate the key of {{name}}", { name: row.name })}
      help="providers"
    >
      <form
        noValidate
        // In a field of several lines, Enter begins another one.
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) event.currentTarget.requestSubmit();
        }}
        onSubmit={(event) => {
          event.preventDefault();
          if (keyCount > 0 && !replace.isPending) replace.mutate();
        }}
      >
        <Stack>
          <Textarea
            data-autofocus
            label={t("New API keys")}
            description={t(
              "Enter one key per line. Calls are distributed over all keys. Keys are stored encrypted and never shown again.",
            )}
            autosize
            minRows={2}
            maxRows={8}
            spellCheck={false}
            autoComplete="off"
            classNames={{ input: classes.keys }}
            placeholder={provider?.key_hint}
            value={typed}
            error={problem}
            onChange={(event) => {
              replace.reset();
              setTyped(event.currentTarget.value);
            }}
          />
          <Text fz="sm" aria-live="polite">
            {stored === undefined || keyCount === 0
              ? t("The stored keys are deleted. Calls in progress continue with the old key.")
              : t("Stored keys to delete: {{stored}}. New keys: {{pasted}}.", { stored, pasted: keyCount })}
          </Text>
          <DialogButtons>
            <SaveKeys />
            <Button variant="default" onClick={onClose}>
              {t("Cancel")}
            </Button>
            <Button type="submit" disabled={keyCount === 0} loading={replace.isPending}>
              {t("Replace")}
            </Button>
          </DialogButtons>
        </Stack>
      </form>
    </HelpModal>
  );
}
