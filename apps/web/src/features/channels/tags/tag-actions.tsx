import type { ChannelTag } from "@gateway/shared/channels/channel-batch";
import { ChannelStatus } from "@gateway/shared/channels/channel-status";
import { ActionIcon, Menu, Tooltip } from "@mantine/core";
import { IconDots, IconGauge, IconPencil, IconPlayerPause, IconPower, IconTrash } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { refreshChannels } from "#features/channels/api.ts";
import { deleteTag, offerToEnable, switchTag, tagMembersQuery } from "#features/channels/bulk/batch-api.ts";
import { useChannelDeletion } from "#features/channels/bulk/use-channel-deletion.ts";
import { useMayChange } from "#lib/changes.ts";
import { faultText } from "#lib/errors/error-text.ts";
import { confirm } from "#ui/confirm.tsx";
import { toast } from "#ui/toast.tsx";

type TagActionsProps = { tag: ChannelTag; onTest: () => void; onEdit: () => void };

/** Actions for all channels of a tag. Disabling can be undone; enabling and deleting need a confirmation. */
export function TagActions({ tag: { tag, total, enabled }, onTest, onEdit }: TagActionsProps) {
  const { t } = useTranslation("channels");
  const mayChange = useMayChange();
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: (on: boolean) => switchTag(tag, on),
    onSuccess: ({ failed }) => {
      const [first] = failed;
      if (first) toast.error(`${first.name}: ${faultText(t, first)}`);
      return refreshChannels(client);
    },
  });
  const remove = useChannelDeletion(() => deleteTag(tag));
  const askAndEnable = async () => {
    const sure = await confirm({
      title: t("Enable all {{count}} channels of {{tag}}?", { count: total, tag }),
      body: t("This includes manually disabled channels."),
      action: t("Enable"),
      danger: false,
    });
    if (sure) change.mutate(true);
  };
  const disable = async () => {
    const members = await client.fetchQuery({ ...tagMembersQuery(tag), staleTime: 0 });
    // Those that were disabled before stay disabled after an undo.
    const ids = members.filter(({ status }) => status === ChannelStatus.enabled).map(({ id }) => id);
    await change.mutateAsync(false);
    offerToEnable(client, t("{{count}} channels of {{tag}} disabled", { count: ids.length, tag }), ids);
  };
  const askAndDelete = async () => {
    const sure = await confirm({
      title: t("Delete {{tag}} and its {{count}} channels?", { tag, count: total }),
      body: t("Their keys are deleted. Their calls stay in the log."),
      action: t("Delete"),
    });
    if (sure) remove.mutate();
  };
  if (!mayChange) return null;
  return (
    <>
      <Tooltip label={t("Test")}>
        <ActionIcon aria-label={t("Test {{model}}", { model: tag })} onClick={onTest}>
          <IconGauge size={17} stroke={1.7} />
        </ActionIcon>
      </Tooltip>
      <Tooltip label={t("Edit all")}>
        <ActionIcon aria-label={t("Edit all channels of {{tag}}", { tag })} onClick={onEdit}>
          <IconPencil size={17} stroke={1.7} />
        </ActionIcon>
      </Tooltip>
      <Menu position="bottom-end" width={210}>
        <Menu.Target>
          <ActionIcon aria-label={t("More actions for {{name}}", { name: tag })} loading={change.isPending}>
            <IconDots size={17} stroke={1.7} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            leftSection={<IconPower size={16} />}
            disabled={enabled === total}
            onClick={() => void askAndEnable()}
          >
            {t("Enable all")}
          </Menu.Item>
          <Menu.Item
            leftSection={<IconPlayerPause size={16} />}
            disabled={enabled === 0}
            onClick={() => void disable()}
          >
            {t("Disable all")}
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item color="red" leftSection={<IconTrash size={16} />} onClick={() => void askAndDelete()}>
            {t("Delete with its channels")}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </>
  );
}
