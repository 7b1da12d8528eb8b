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
import { useDrawerParam } from "#lib/address/drawer-param.ts";
import { useMayChange } from "#lib/changes.ts";
import { confirm } from "#ui/confirm.tsx";
import { ANY_MODEL } from "./any-model.ts";

export function PageMenu({ onBalances }: { onBalances: () => void }) {
  const { t } = useTranslation("channels");
  const mayChange = useMayChange();
  const ask = useDrawerParam("ask");
  const removal = useDrawerParam("remove");
  const disabling = useDrawerParam("disable");
  const changes = useDrawerParam("changes");
  const file = useDrawerParam("file");
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
              <Menu.Item leftSection={<IconGauge size={16} />} onClick={() => ask.open("test")}>
                {t("Test all")}
              </Menu.Item>
              <Menu.Item leftSection={<IconWallet size={16} />} onClick={onBalances}>
                {t("Refresh balances")}
              </Menu.Item>
              <Menu.Item leftSection={<IconBan size={16} />} onClick={() => disabling.open(ANY_MODEL)}>
                {t("Disable a model everywhere")}
              </Menu.Item>
              <Menu.Item leftSection={<IconEraser size={16} />} onClick={() => removal.open(ANY_MODEL)}>
                {t("Remove a model")}
              </Menu.Item>
              <Menu.Divider />
              <Menu.Item leftSection={<IconUpload size={16} />} onClick={() => file.open("import")}>
                {t("Import")}
              </Menu.Item>
            </>
          ) : null}
          <Menu.Item
            leftSection={<IconListCheck size={16} />}
            rightSection={changed > 0 ? <Badge size="sm">{changed}</Badge> : null}
            onClick={() => changes.open("all")}
          >
            {t("Model changes")}
          </Menu.Item>
          <Menu.Item component={Link} to="/panel/mcp" leftSection={<IconPlug size={16} />}>
            {t("MCP servers")}
          </Menu.Item>
          <Menu.Item leftSection={<IconDownload size={16} />} onClick={() => file.open("export")}>
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
