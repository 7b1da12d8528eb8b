/**
 * Export and import of channels as a file. Keys are exported only
 * on root's request. An import reports each channel's result.
 */
import type { ChannelImportAnswer } from "@gateway/shared/channels/channel-batch";
import { Alert, Button, Checkbox, FileButton, Group, Stack, Text } from "@mantine/core";
import { IconAlertTriangle, IconUpload } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { refreshChannels } from "#features/channels/api.ts";
import { exportChannels, importChannels } from "#features/channels/bulk/batch-api.ts";
import { downloadJson } from "#lib/download.ts";
import { faultText } from "#lib/errors/error-text.ts";
import { fieldNameOf } from "#lib/labels/channel-fields.ts";
import { useCan } from "#lib/session.ts";
import { DialogButtons } from "#ui/form/dialog-buttons.tsx";
import { HelpModal } from "#ui/form/help-modal.tsx";
import { toast } from "#ui/toast.tsx";
import classes from "#features/channels/runs/runs.module.css";

/** @param ids channels to export; undefined for all */
export function ExportChannelsDialog({ ids, onClose }: { ids: number[] | undefined; onClose: () => void }) {
  const { t } = useTranslation("channels");
  const isRoot = useCan("configure");
  const [withKeys, setWithKeys] = useState(false);
  const save = useMutation({
    mutationFn: () => exportChannels(ids, withKeys),
    onSuccess: (file) => {
      downloadJson(`channels-${new Date().toISOString().slice(0, 10)}.json`, file);
      toast.success(t("{{count}} channels exported", { count: file.channels.length }));
      onClose();
    },
  });
  return (
    <HelpModal
      help="providers#fields-of-a-channel"
      opened
      onClose={onClose}
      title={
        ids === undefined ? t("Export all channels") : t("Export {{count}} channels", { count: ids.length })
      }
    >
      <Stack gap="md">
        <Text fz="sm">
          {t(
            "Exports all settings of the channels as a JSON file, without their keys. Imported channels stay disabled until you enter a key.",
          )}
        </Text>
        {isRoot ? (
          <Checkbox
            label={t("Include the keys as plain text")}
            description={t(
              "Anyone with the file can use your provider accounts. The export is recorded in the audit log.",
            )}
            checked={withKeys}
            onChange={(event) => setWithKeys(event.currentTarget.checked)}
          />
        ) : null}
        <DialogButtons>
          <Button variant="default" onClick={onClose}>
            {t("Cancel")}
          </Button>
          <Button color={withKeys ? "red" : undefined} loading={save.isPending} onClick={() => save.mutate()}>
            {t("Export")}
          </Button>
        </DialogButtons>
      </Stack>
    </HelpModal>
  );
}

/** Returns the channels of an export or of a plain list; undefined for anything else. */
export function channelsIn(text: string): unknown[] | undefined {
  try {
    const file: unknown = JSON.parse(text);
    if (Array.isArray(file)) return file;
    if (typeof file !== "object" || file === null || !("channels" in file)) return undefined;
    return Array.isArray(file.channels) ? file.channels : undefined;
  } catch {
    return undefined;
  }
}

/** Batch size below the server's limit on a request body, including keys and hundreds of models. */
const portion = 50;

export function ImportChannelsDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation("channels");
  const client = useQueryClient();
  const [fault, setFault] = useState("");
  const [chosen, setChosen] = useState<{ name: string; channels: unknown[] } | null>(null);
  const [answer, setAnswer] = useState<ChannelImportAnswer | null>(null);
  const bring = useMutation({
    mutationFn: async (channels: unknown[]) => {
      const whole: ChannelImportAnswer = { created: [], failed: [] };
      for (let at = 0; at < channels.length; at += portion) {
        const part = await importChannels(channels.slice(at, at + portion));
        whole.created.push(...part.created.map((each) => ({ ...each, index: each.index + at })));
        whole.failed.push(...part.failed.map((each) => ({ ...each, index: each.index + at })));
        setAnswer({ ...whole });
      }
      await refreshChannels(client);
    },
  });
  const read = async (file: File | null) => {
    if (file === null) return;
    setAnswer(null);
    const channels = channelsIn(await file.text());
    setFault(channels === undefined || channels.length === 0 ? t("This file contains no channels.") : "");
    setChosen(channels === undefined || channels.length === 0 ? null : { name: file.name, channels });
  };
  const waiting = answer?.created.filter((each) => each.needs_key).length ?? 0;
  return (
    <HelpModal help="providers#fields-of-a-channel" opened onClose={onClose} title={t("Import channels")}>
      <Stack gap="md">
        <Text fz="sm">{t("Select a file that was exported from this or another installation.")}</Text>
        <Group gap="sm">
          <FileButton accept="application/json,.json" onChange={(file) => void read(file)}>
            {(props) => (
              <Button variant="default" leftSection={<IconUpload size={16} />} {...props}>
                {t("Choose a file")}
              </Button>
            )}
          </FileButton>
          {chosen === null ? null : (
            <Text fz="sm" c="dimmed">
              {chosen.name} · {t("{{count}} channels", { count: chosen.channels.length })}
            </Text>
          )}
        </Group>
        {fault === "" ? null : (
          <Alert color="red" icon={<IconAlertTriangle size={17} />}>
            {fault}
          </Alert>
        )}
        {answer === null ? null : (
          <Stack gap={6} role="status">
            <Text fz="sm" c="green" fw={500}>
              {t("{{count}} channels imported", { count: answer.created.length })}
            </Text>
            {waiting > 0 ? (
              <Text fz="sm" c="amber">
                {t("{{count}} of them stay disabled until you enter their key.", { count: waiting })}
              </Text>
            ) : null}
            {answer.failed.map((each) => (
              <div key={each.index}>
                <Text fz="sm" c="red" fw={500}>
                  {each.name || t("Entry {{number}}", { number: each.index + 1 })}
                </Text>
                <Text fz="xs" c="dimmed" className={classes.wrap}>
                  {each.field === "" ? "" : `${t(fieldNameOf(each.field))}: `}
                  {faultText(t, each)}
                </Text>
              </div>
            ))}
          </Stack>
        )}
        <DialogButtons>
          <Button variant="default" onClick={onClose}>
            {answer === null ? t("Cancel") : t("Close")}
          </Button>
          <Button
            disabled={chosen === null || (answer !== null && !bring.isPending)}
            loading={bring.isPending}
            onClick={() => chosen !== null && bring.mutate(chosen.channels)}
          >
            {t("Import")}
          </Button>
        </DialogButtons>
      </Stack>
    </HelpModal>
  );
}
