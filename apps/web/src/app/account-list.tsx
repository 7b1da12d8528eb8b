import { Drawer, Group, Menu, NavLink, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconHelpCircle, IconLogout, IconSettings, IconWallet } from "@tabler/icons-react";
import { cloneElement, type ReactElement } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { useFormat } from "#lib/quota.ts";
import { signOut, useSelf } from "#lib/session.ts";
import { useIsPhone } from "#ui/use-is-phone.ts";
import { UserAvatar } from "./avatar-menu.tsx";

type ButtonProps = { onClick?: () => void };

/** The account menu: a popover below its button, on phones a drawer at the bottom. */
export function AccountList({ button }: { button: ReactElement<ButtonProps> }) {
  const { t } = useTranslation();
  const phone = useIsPhone();
  const self = useSelf();
  const format = useFormat();
  const [opened, { open, close }] = useDisclosure(true);
  const leave = async () => {
    close();
    await signOut();
  };
  const head = (
    <>
      <Text fw={600} truncate>
        {self?.display_name || self?.username}
      </Text>
      <Text fz="sm" c="dimmed" truncate>
        {self?.email || self?.group_name}
      </Text>
    </>
  );
  if (phone)
    return (
      <>
        {cloneElement(button, { onClick: open })}
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
            <div style={{ minWidth: 0 }}>{head}</div>
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
  return (
    <Menu position="bottom-end" width={220} defaultOpened>
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown>
        <div style={{ padding: "8px 12px" }}>{head}</div>
        <Menu.Divider />
        <Menu.Item component={Link} to="/panel/profile" leftSection={<IconSettings size={16} />}>
          {t("Settings")}
        </Menu.Item>
        <Menu.Item component={Link} to="/panel/help" leftSection={<IconHelpCircle size={16} />}>
          {t("Help")}
        </Menu.Item>
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => void leave()}>
          {t("Sign out")}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
