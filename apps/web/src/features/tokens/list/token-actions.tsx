import type { TokenRow } from "@gateway/shared/accounts/token";
import { TokenStatus } from "@gateway/shared/accounts/token-status";
import { ActionIcon, Menu, Text } from "@mantine/core";
import {
  IconChartBar,
  IconDots,
  IconEdit,
  IconPlugConnected,
  IconPlayerPause,
  IconPlayerPlay,
  IconRefresh,
  IconTrash,
} from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { useDeleteToken } from "#features/tokens/api.ts";
import { useTokenSwitch } from "#features/tokens/use-token-switch.ts";
import { confirm } from "#ui/confirm.tsx";
import { toast } from "#ui/toast.tsx";
import { ChatMenu } from "./chat-menu.tsx";

export function TokenActions({ token, onEdit }: { token: TokenRow; onEdit: () => void }) {
  const { t } = useTranslation("tokens");
  const switching = useTokenSwitch(token, true);
  const deleting = useDeleteToken();
  const off = token.status === TokenStatus.disabled;

  const remove = async () => {
    const sure = await confirm({
      title: t("Delete “{{name}}”?", { name: token.name }),
      body: (
        <Text>
          {t("Applications that use this key stop working immediately. A deleted key cannot be restored.")}
        </Text>
      ),
      action: t("Delete"),
    });
    if (sure) deleting.mutate(token.id, { onSuccess: () => toast.success(t("Token deleted")) });
  };

  return (
    <>
      <ChatMenu token={token} />
      <Menu position="bottom-end" width={180}>
        <Menu.Target>
          <ActionIcon size={30} aria-label={t("More actions for {{name}}", { name: token.name })}>
            <IconDots size={17} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            leftSection={<IconChartBar size={15} />}
            component={Link}
            to={`/panel/token/${token.id}`}
          >
            {t("Usage")}
          </Menu.Item>
          <Menu.Item
            leftSection={<IconPlugConnected size={15} />}
            component={Link}
            to={`/panel/connect?token=${token.id}`}
          >
            {t("Connect a client")}
          </Menu.Item>
          <Menu.Item leftSection={<IconEdit size={15} />} onClick={onEdit}>
            {t("Edit")}
          </Menu.Item>
          <Menu.Item
            leftSection={<IconRefresh size={15} />}
            component={Link}
            to={`/panel/token/${token.id}?rotate=${token.id}`}
          >
            {t("Rotate key")}
          </Menu.Item>
          <Menu.Item
            leftSection={off ? <IconPlayerPlay size={15} /> : <IconPlayerPause size={15} />}
            onClick={() => switching.mutate(off)}
          >
            {off ? t("Enable") : t("Disable")}
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item color="red" leftSection={<IconTrash size={15} />} onClick={() => void remove()}>
            {t("Delete")}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </>
  );
}
