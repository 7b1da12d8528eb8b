import { ActionIcon, Avatar, Drawer, Group, Menu, NavLink, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconHelpCircle, IconLogout, IconSettings, IconWallet } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { useFormat } from "#lib/format/quota.ts";
import { signOut, useSelf } from "#lib/session.ts";
import { useIsPhone } from "#ui/use-is-phone.ts";

export function UserAvatar({ size }: { size: number }) {
  const self = useSelf();
  const name = self?.display_name || self?.username || "";
  return (
    <Avatar src={self?.avatar_url || null} name={name} alt={name} size={size} color="iris" radius="xl">
      {name.slice(0, 1).toUpperCase()}
    </Avatar>
  );
}

function AccountName() {
  const self = useSelf();
  return (
    <>
      <Text fw={600} truncate>
        {self?.display_name || self?.username}
      </Text>
      <Text fz="sm" c="dimmed" truncate>
        {self?.email || self?.group_name}
      </Text>
    </>
  );
}

/** Settings and sign out: a menu below the avatar, on phones a drawer at the bottom. */
export function AvatarMenu() {
  return useIsPhone() ? <AccountDrawer /> : <AccountMenu />;
}

function AccountMenu() {
  const { t } = useTranslation();
  return (
    <Menu position="bottom-end" width={220}>
      <Menu.Target>
        <ActionIcon size={40} radius="xl" aria-label={t("Account")}>
          <UserAvatar size={30} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <div style={{ padding: "8px 12px" }}>
          <AccountName />
        </div>
        <Menu.Divider />
        <Menu.Item component={Link} to="/panel/profile" leftSection={<IconSettings size={16} />}>
          {t("Settings")}
        </Menu.Item>
        <Menu.Item component={Link} to="/panel/help" leftSection={<IconHelpCircle size={16} />}>
          {t("Help")}
        </Menu.Item>
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => void signOut()}>
          {t("Sign out")}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function AccountDrawer() {
  const { t } = useTranslation();
  const self = useSelf();
  const format = useFormat();
  const [opened, { open, close }] = useDisclosure();
  const leave = async () => {
    close();
    await signOut();
  };
  return (
    <>
      <ActionIcon
        size={40}
        radius="xl"
        aria-label={t("Account")}
        aria-haspopup="dialog"
        aria-expanded={opened}
        onClick={open}
      >
        <UserAvatar size={30} />
      </ActionIcon>
      <Drawer
        opened={opened}
        onClose={close}
        position="bottom"
        size={320}
        padding="md"
        radius="lg"
        title={t("Account")}
      >
        <Group wrap="nowrap" pb="md">
          <UserAvatar size={40} />
          <div style={{ minWidth: 0 }}>
            <AccountName />
          </div>
        </Group>
        <NavLink
          component={Link}
          to="/panel/topup"
          label={t("Balance {{amount}}", { amount: format.usd(self?.quota ?? 0) })}
          leftSection={<IconWallet size={18} />}
          onClick={close}
        />
        <NavLink
          component={Link}
          to="/panel/profile"
          label={t("Settings")}
          leftSection={<IconSettings size={18} />}
          onClick={close}
        />
        <NavLink
          component={Link}
          to="/panel/help"
          label={t("Help")}
          leftSection={<IconHelpCircle size={18} />}
          onClick={close}
        />
        <NavLink
          component="button"
          label={t("Sign out")}
          leftSection={<IconLogout size={18} />}
          onClick={() => void leave()}
        />
      </Drawer>
    </>
  );
}
