import type { ChannelRow } from "@gateway/shared/channels/channel";
import { ActionIcon, Menu } from "@mantine/core";
import {
  IconChartBar,
  IconCopyPlus,
  IconDots,
  IconExternalLink,
  IconEye,
  IconGauge,
  IconHistory,
  IconKey,
  IconPencil,
  IconTrash,
} from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { deleteChannel, refreshChannels, useProvider } from "#features/channels/api.ts";
import { copyChannel } from "#features/channels/bulk/batch-api.ts";
import { TestMenu } from "#features/channels/runs/test-menu.tsx";
import { useMayChange } from "#lib/changes.ts";
import { confirm } from "#ui/confirm.tsx";
import { toast } from "#ui/toast.tsx";

type ChannelActionsProps = {
  row: ChannelRow;
  onEdit: (id: number) => void;
  onTimeline: (id: number) => void;
  onRotate: (id: number) => void;
  onDeleted: (id: number) => void;
};

export function ChannelActions({ row, onEdit, onTimeline, onRotate, onDeleted }: ChannelActionsProps) {
  const { t } = useTranslation("channels");
  const mayChange = useMayChange();
  const website = useProvider(row.type)?.website;
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: () => deleteChannel(row.id),
    // The toast comes before the new list, because this component is unmounted with its row.
    onSuccess: () => {
      toast.success(t("{{name}} deleted", { name: row.name }));
      onDeleted(row.id);
      return refreshChannels(client);
    },
  });
  const copy = useMutation({
    mutationFn: () => copyChannel(row.id),
    onSuccess: async (made) => {
      toast.info(t("{{name}} is disabled until you enable it", { name: made.name }));
      await refreshChannels(client);
      onEdit(made.id);
    },
  });
  const askAndDelete = async () => {
    const sure = await confirm({
      title: t("Delete {{name}}?", { name: row.name }),
      body: t("Its keys are deleted. Its calls stay in the log."),
      action: t("Delete"),
    });
    if (sure) remove.mutate();
  };
  return (
    <>
      {mayChange ? (
        <TestMenu row={row}>
          <ActionIcon aria-label={t("Test {{model}}", { model: row.name })} title={t("Test")}>
            <IconGauge size={17} stroke={1.7} />
          </ActionIcon>
        </TestMenu>
      ) : null}
      <Menu position="bottom-end" width={200}>
        <Menu.Target>
          <ActionIcon aria-label={t("More actions for {{name}}", { name: row.name })}>
            <IconDots size={17} stroke={1.7} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            leftSection={mayChange ? <IconPencil size={16} /> : <IconEye size={16} />}
            onClick={() => onEdit(row.id)}
          >
            {mayChange ? t("Edit") : t("View details")}
          </Menu.Item>
          {mayChange ? (
            <Menu.Item leftSection={<IconKey size={16} />} onClick={() => onRotate(row.id)}>
              {t("Rotate the key")}
            </Menu.Item>
          ) : null}
          {mayChange ? (
            <Menu.Item
              leftSection={<IconCopyPlus size={16} />}
              disabled={copy.isPending}
              onClick={() => copy.mutate()}
            >
              {t("Duplicate")}
            </Menu.Item>
          ) : null}
          <Menu.Item
            leftSection={<IconChartBar size={16} />}
            component={Link}
            to={`/panel/channel/${row.id}`}
          >
            {t("Health and traffic")}
          </Menu.Item>
          <Menu.Item leftSection={<IconHistory size={16} />} onClick={() => onTimeline(row.id)}>
            {t("Timeline")}
          </Menu.Item>
          {website ? (
            <Menu.Item
              leftSection={<IconExternalLink size={16} />}
              component="a"
              href={website}
              target="_blank"
              rel="noopener noreferrer"
            >
              {t("Open the provider's website")}
            </Menu.Item>
          ) : null}
          {mayChange ? (
            <>
              <Menu.Divider />
              <Menu.Item
                color="red"
                leftSection={<IconTrash size={16} />}
                onClick={() => void askAndDelete()}
              >
                {t("Delete")}
              </Menu.Item>
            </>
          ) : null}
        </Menu.Dropdown>
      </Menu>
    </>
  );
}
