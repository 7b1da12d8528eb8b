/** Edits many channels, or all of a tag. Empty fields stay unchanged. Every edit needs a preview first. */
import type { ChannelEditForm, ChannelTagAnswer } from "@gateway/shared/channels/channel-batch";
import { Alert, Button, Drawer, Group, ScrollArea, Stack, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { refreshChannels } from "#features/channels/api.ts";
import { errorReason } from "#lib/errors/error-text.ts";
import { toast } from "#ui/toast.tsx";
import { useIsPhone } from "#ui/use-is-phone.ts";
import { type EditTarget, editMany, offerToRestore } from "./batch-api.ts";
import { BulkFields, editOf, isEmptyDraft, noChange } from "./bulk-fields.tsx";
import { BulkPreview } from "./bulk-preview.tsx";
import classes from "#features/channels/channels.module.css";

type BulkEditorProps = { target: EditTarget; onClose: () => void };

export function BulkEditor({ target, onClose }: BulkEditorProps) {
  const { t } = useTranslation("channels");
  const phone = useIsPhone();
  const client = useQueryClient();
  const [draft, setDraft] = useState(noChange);
  const [seen, setSeen] = useState<ChannelTagAnswer | null>(null);
  const order = (preview: boolean) => {
    const edit: ChannelEditForm = editOf(draft);
    return editMany(target, { edit, key: draft.keys, remove_missing: draft.removeMissing, preview });
  };
  const look = useMutation({
    mutationFn: () => order(true),
    onSuccess: setSeen,
    // The error is shown beside its fields.
    meta: { quiet: true },
  });
  const apply = useMutation({
    mutationFn: () => order(false),
    onSuccess: async (answer) => {
      await refreshChannels(client);
      const { changed, added, removed, failed } = answer;
      const all = t("{{count}} channels changed", { count: changed.length });
      // Created and deleted channels would stay as they are.
      if (changed.length > 0 && added.length + removed.length === 0)
        offerToRestore(client, { all, one: t("Edited with other channels") }, changed);
      else if (failed.length === 0) toast.success(all);
      if (failed.length === 0) onClose();
      else setSeen(answer);
    },
  });
  const unreadable = draft.mapping === null;
  const title =
    target.kind === "tag"
      ? t("Edit all channels of {{tag}}", { tag: target.tag })
      : t("Edit {{count}} channels", { count: target.ids.length });
  const ready = seen !== null && seen.preview;
  const touched = seen === null ? 0 : seen.changed.length + seen.added.length + seen.removed.length;

  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size={phone ? "100%" : 600}
      title={title}
      padding={0}
      styles={{
        title: { fontSize: 16, fontWeight: 600 },
        header: { padding: "14px 24px", borderBottom: "1px solid var(--line)" },
        body: { height: "calc(100dvh - 61px)", display: "flex", flexDirection: "column" },
      }}
    >
      <ScrollArea flex={1} type="auto" scrollbarSize={8}>
        <Stack gap="lg" p="lg">
          {seen === null ? (
            <>
              <Text c="dimmed" fz="sm">
                {t("Empty fields stay unchanged. You can check a preview before you apply the changes.")}
              </Text>
              {look.error ? (
                <Alert color="red" icon={<IconAlertTriangle size={17} />}>
                  {errorReason(look.error, t)}
                </Alert>
              ) : null}
              <BulkFields draft={draft} isTag={target.kind === "tag"} onChange={setDraft} />
            </>
          ) : (
            <BulkPreview answer={seen} />
          )}
        </Stack>
      </ScrollArea>
      <Group justify="flex-end" gap="xs" px={24} className={classes.pickerFoot}>
        {seen === null ? (
          <>
            <Button variant="default" onClick={onClose}>
              {t("Cancel")}
            </Button>
            <Button
              disabled={unreadable || isEmptyDraft(draft)}
              loading={look.isPending}
              onClick={() => look.mutate()}
            >
              {t("Preview")}
            </Button>
          </>
        ) : (
          <>
            <Button variant="default" onClick={() => (ready ? setSeen(null) : onClose())}>
              {ready ? t("Back") : t("Close")}
            </Button>
            {ready ? (
              <Button
                color={seen.removed.length > 0 ? "red" : undefined}
                disabled={touched === 0}
                loading={apply.isPending}
                onClick={() => apply.mutate()}
              >
                {t("Apply to {{count}} channels", { count: touched })}
              </Button>
            ) : null}
          </>
        )}
      </Group>
    </Drawer>
  );
}
