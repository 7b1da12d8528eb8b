/** Actions for all channels. */
import { ActionIcon, Badge, Indicator, Menu, Tooltip } from "@mantine/core";
import {
  IconBan,
  IconDots,
  IconDownload,
  IconEraser,
  IconGauge,
  IconListCheck,
  IconPlug,
  IconTrash,
  IconUpload,
  IconWallet,
} from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { deleteDisabledChannels } from "#features/channels/bulk/batch-api.ts";
import { useChannelDeletion } from "#features/channels/bulk/use-channel-deletion.ts";
import { modelChangeCountQuery } from "#features/channels/model-changes/api.ts";
import { useMayChange } from "#lib/changes.ts";
import { confirm } from "#ui/confirm.tsx";

type PageMenuProps = {
  onTest: () => void;
  onDisableModel: () => void;
  onRemoveModel: () => void;
  onBalances: () => void;
  onChanges: () => void;
  onImport: () => void;
  onExport: () => void;
};

export function PageMenu({
  onTest,
  onDisableModel,
  onRemoveModel,
  onBalances,
  onChanges,
  onImport,
  onExport,
}: PageMenuProps) {
  const { t } = useTranslation("channels");
  const mayChange = useMayChange();
  const counts = useQuery(modelChangeCountQuery).data?.counts;
  const changed = counts === undefined ? 0 : counts.added + counts.removed;
  const clean = useChannelDeletion(deleteDisabledChannels);
  const askAndClean = async () => {
    const sure = await confirm({
      title: t("Delete all disabled channels?"),
      body: t("This deletes manually and automatically disabled channels and their keys."),
      action: t("Delete"),
    });
    if (sure) clean.mutate();
  };
  return (
    <Indicator disabled={changed === 0} size={9} offset={4}>
      <Menu position="bottom-end" width={270}>
        <Tooltip label={t("For all channels")}>
          <Menu.Target>
            <ActionIcon
              size={36}
              variant="default"
              aria-label={t("For all channels")}
              loading={clean.isPending}
            >
              <IconDots size={18} />
            </ActionIcon>
          </Menu.Target>
        </Tooltip>
        <Menu.Dropdown>
          {mayChange ? (
            <>
              <Menu.Item leftSection={<IconGauge size={16} />} onClick={onTest}>
                {t("Test all")}
              </Menu.Item>
              <Menu.Item leftSection={<IconWallet size={16} />} onClick={onBalances}>
                {t("Refresh balances")}
              </Menu.Item>
              <Menu.Item leftSection={<IconBan size={16} />} onClick={onDisableModel}>
                {t("Disable a model everywhere")}
              </Menu.Item>
              <Menu.Item leftSection={<IconEraser size={16} />} onClick={onRemoveModel}>
                {t("Remove a model")}
              </Menu.Item>
              <Menu.Divider />
              <Menu.Item leftSection={<IconUpload size={16} />} onClick={onImport}>
                {t("Import")}
              </Menu.Item>
            </>
          ) : null}
          <Menu.Item
            leftSection={<IconListCheck size={16} />}
            rightSection={changed > 0 ? <Badge size="sm">{changed}</Badge> : null}
            onClick={onChanges}
          >
            {t("Model changes")}
          </Menu.Item>
          <Menu.Item component={Link} to="/panel/mcp" leftSection={<IconPlug size={16} />}>
            {t("MCP servers")}
          </Menu.Item>
          <Menu.Item leftSection={<IconDownload size={16} />} onClick={onExport}>
            {t("Export")}
          </Menu.Item>
          {mayChange ? (
            <>
              <Menu.Divider />
              <Menu.Item color="red" leftSection={<IconTrash size={16} />} onClick={() => void askAndClean()}>
                {t("Delete disabled channels")}
              </Menu.Item>
            </>
          ) : null}
        </Menu.Dropdown>
      </Menu>
    </Indicator>
  );
}
