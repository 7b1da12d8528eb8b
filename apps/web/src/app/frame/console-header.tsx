import { ActionIcon, Anchor, Group, Kbd, Text, Tooltip, UnstyledButton } from "@mantine/core";
import {
  IconLayoutSidebarLeftCollapse,
  IconLayoutSidebarLeftExpand,
  IconMenu2,
  IconSearch,
} from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { Brand } from "#app/brand.tsx";
import { LanguageMenu } from "#components/language-menu.tsx";
import { Bell } from "#features/inbox/bell.tsx";
import { NoticeButton } from "#features/site/notice.tsx";
import { ThemeToggle } from "#ui/theme-toggle.tsx";
import { useIsNarrow, useIsPhone } from "#ui/use-is-phone.ts";
import { AvatarMenu } from "./avatar-menu.tsx";
import { BalanceLink } from "./balance-link.tsx";
import classes from "./console-header.module.css";

export const commandKey = /Mac|iP/.test(navigator.userAgent) ? "⌘" : "Ctrl";

type HeaderProps = { menuOpen: boolean; onToggleMenu: () => void; onSearch: () => void };

export function ConsoleHeader({ menuOpen, onToggleMenu, onSearch }: HeaderProps) {
  const { t } = useTranslation();
  const narrow = useIsNarrow();
  const phone = useIsPhone();
  const toggleLabel = menuOpen ? t("Collapse menu") : t("Expand menu");
  const ToggleIcon = narrow
    ? IconMenu2
    : menuOpen
      ? IconLayoutSidebarLeftCollapse
      : IconLayoutSidebarLeftExpand;
  const toggle = (
    <Tooltip label={toggleLabel}>
      <ActionIcon size={36} aria-label={toggleLabel} aria-expanded={menuOpen} onClick={onToggleMenu}>
        <ToggleIcon size={20} stroke={1.7} />
      </ActionIcon>
    </Tooltip>
  );
  return (
    <header className={classes.header}>
      {narrow ? toggle : null}
      <div className={classes.brand}>
        <Brand compact={phone} />
      </div>
      {narrow ? null : toggle}
      {phone ? null : (
        <nav className={classes.links} aria-label={t("Public pages")}>
          <Anchor component={Link} to="/" c="dimmed" fw={500}>
            {t("Home")}
          </Anchor>
          <Anchor component={Link} to="/about" c="dimmed" fw={500}>
            {t("About")}
          </Anchor>
        </nav>
      )}
      <Group gap={2} ml="auto" wrap="nowrap">
        {narrow ? (
          <ActionIcon size={36} aria-label={t("Search")} onClick={onSearch}>
            <IconSearch size={19} stroke={1.7} />
          </ActionIcon>
        ) : (
          <UnstyledButton className={classes.search} onClick={onSearch}>
            <IconSearch size={15} />
            <Text span fz="sm" c="dimmed">
              {t("Go to…")}
            </Text>
            <Kbd size="xs">{commandKey} K</Kbd>
          </UnstyledButton>
        )}
        {phone ? null : <BalanceLink />}
        <NoticeButton />
        <Bell />
        <ThemeToggle />
        <LanguageMenu />
        <AvatarMenu />
      </Group>
    </header>
  );
}
