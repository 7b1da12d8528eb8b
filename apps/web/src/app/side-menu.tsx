/** The left menu: groups, items, collapses. As a rail it shows icons, and collapses fly out. */
import { Badge, Collapse, Menu, Text, Tooltip, UnstyledButton } from "@mantine/core";
import { IconChevronDown } from "@tabler/icons-react";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useLocation } from "react-router-dom";
import { useSelf } from "#lib/session.ts";
import { useSite } from "#lib/site.ts";
import { UserAvatar } from "./avatar-menu.tsx";
import { MenuScroll } from "./menu-scroll.tsx";
import { type Screen, type VisibleEntry, visibleMenu } from "./screens.ts";
import classes from "./side-menu.module.css";

type SideMenuProps = { rail: boolean; onChoose?: () => void };

export function SideMenu({ rail, onChoose }: SideMenuProps) {
  const { t } = useTranslation();
  const self = useSelf();
  const site = useSite();
  const groups = useMemo(() => (self ? visibleMenu(self) : []), [self]);
  return (
    <div className={classes.menu} data-rail={rail || undefined}>
      <Link to="/panel/profile" className={classes.user} onClick={onChoose} title={t("Profile")}>
        <UserAvatar size={36} />
        {rail ? null : (
          <div className={classes.userText}>
            <Text fw={600} truncate lh={1.3}>
              {self?.username}
            </Text>
            <Text fz="xs" c="dimmed" truncate>
              {t("Welcome back")}
            </Text>
          </div>
        )}
      </Link>
      <MenuScroll>
        <nav aria-label={t("Console")}>
          {groups.map((group) => (
            <div key={group.id} className={classes.group}>
              {rail ? null : <div className={classes.groupTitle}>{t(group.title)}</div>}
              {group.entries.map((entry) => (
                <Entry
                  key={entry.type === "item" ? entry.screen.id : entry.id}
                  entry={entry}
                  rail={rail}
                  onChoose={onChoose}
                />
              ))}
            </div>
          ))}
        </nav>
      </MenuScroll>
      {site?.version ? (
        <div className={classes.foot}>
          <Badge color="gray" variant="default" aria-disabled fw={400} title={site.version}>
            {rail ? site.version.split(".").slice(0, 2).join(".") : site.version}
          </Badge>
        </div>
      ) : null}
    </div>
  );
}

function Entry({ entry, rail, onChoose }: SideMenuProps & { entry: VisibleEntry }) {
  const { t } = useTranslation();
  switch (entry.type) {
    case "item":
      return <ItemLink screen={entry.screen} rail={rail} onChoose={onChoose} />;
    case "collapse":
      return rail ? <FlyOut entry={entry} /> : <Section entry={entry} onChoose={onChoose} />;
    default:
      return <Text c="red">{t("Menu Items Error")}</Text>;
  }
}

function useIsActive(id: string): boolean {
  const { pathname } = useLocation();
  return pathname === `/panel/${id}` || pathname.startsWith(`/panel/${id}/`);
}

function ItemLink({ screen, rail, onChoose }: SideMenuProps & { screen: Screen }) {
  const { t } = useTranslation();
  const active = useIsActive(screen.id);
  const title = t(screen.title);
  const Picture = screen.icon;
  return (
    <Tooltip label={title} position="right" disabled={!rail} openDelay={0}>
      <Link
        to={`/panel/${screen.id}`}
        className={classes.item}
        aria-current={active ? "page" : undefined}
        aria-label={title}
        onClick={onChoose}
      >
        <Picture size={18} stroke={1.7} />
        {rail ? null : <span>{title}</span>}
      </Link>
    </Tooltip>
  );
}

type CollapseEntry = Extract<VisibleEntry, { type: "collapse" }>;

function Section({ entry, onChoose }: { entry: CollapseEntry; onChoose?: () => void }) {
  const { t } = useTranslation();
  const { pathname } = useLocation();
  const hasPage = entry.screens.some((screen) => pathname.startsWith(`/panel/${screen.id}`));
  const [{ open, at }, setState] = useState({ open: hasPage, at: pathname });
  // Going to one of its screens opens it, whatever was clicked before.
  if (at !== pathname) setState({ open: open || hasPage, at: pathname });
  const Picture = entry.icon;
  return (
    <div>
      <UnstyledButton
        className={classes.item}
        aria-expanded={open}
        onClick={() => setState({ open: !open, at })}
      >
        <Picture size={18} stroke={1.7} />
        <span>{t(entry.title)}</span>
        <IconChevronDown size={15} className={classes.arrow} data-open={open || undefined} />
      </UnstyledButton>
      <Collapse expanded={open} transitionDuration={160}>
        <div className={classes.nested}>
          {entry.screens.map((screen) => (
            <ItemLink key={screen.id} screen={screen} rail={false} onChoose={onChoose} />
          ))}
        </div>
      </Collapse>
    </div>
  );
}

function FlyOut({ entry }: { entry: CollapseEntry }) {
  const { t } = useTranslation();
  const Picture = entry.icon;
  return (
    <Menu position="right-start" trigger="click-hover" width={200}>
      <Menu.Target>
        <UnstyledButton className={classes.item} aria-label={t(entry.title)}>
          <Picture size={18} stroke={1.7} />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t(entry.title)}</Menu.Label>
        {entry.screens.map((screen) => (
          <Menu.Item
            key={screen.id}
            component={Link}
            to={`/panel/${screen.id}`}
            leftSection={<screen.icon size={16} />}
          >
            {t(screen.title)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
