/** The left menu: six groups of screens. The collapsed rail shows only icons. */
import { Badge, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useRef } from "react";
import { useTranslation } from "react-i18next";
import { Link, useLocation } from "react-router-dom";
import { UserAvatar } from "#app/avatar-menu.tsx";
import { loadAhead } from "#app/load-ahead.ts";
import type { Screen } from "#app/screens.ts";
import { rememberedRights, useSelf } from "#lib/session.ts";
import { useSite } from "#lib/site.ts";
import { Tooltip } from "#ui/floating/tooltip.tsx";
import { MenuScroll } from "./menu-scroll.tsx";
import { visibleMenu } from "./menu.ts";
import classes from "./side-menu.module.css";

type SideMenuProps = { rail: boolean; onChoose?: () => void };

export function SideMenu({ rail, onChoose }: SideMenuProps) {
  const { t } = useTranslation();
  const self = useSelf();
  const groups = useMemo(() => visibleMenu(self ?? rememberedRights()), [self]);
  return (
    <div className={classes.menu} data-rail={rail || undefined}>
      <div className={classes.head}>
        <Link to="/panel/profile" className={classes.user} onClick={onChoose} title={t("Profile")}>
          <UserAvatar size={32} />
          {rail ? null : (
            <div className={classes.userText}>
              <Text fw={600} truncate lh={1.25}>
                {self?.username}
              </Text>
              <Text fz="xs" c="dimmed" truncate lh={1.25}>
                {t("Welcome back")}
              </Text>
            </div>
          )}
        </Link>
        <Version rail={rail} />
      </div>
      <MenuScroll>
        <nav aria-label={t("Console")}>
          {groups.map((group) => (
            <div key={group.id} className={classes.group}>
              {rail ? null : (
                <div className={classes.groupTitle} id={`menu-${group.id}`}>
                  {t(group.title)}
                </div>
              )}
              <ul
                className={classes.list}
                {...(rail ? { "aria-label": t(group.title) } : { "aria-labelledby": `menu-${group.id}` })}
              >
                {group.screens.map((screen) => (
                  <li key={screen.id}>
                    <ItemLink screen={screen} rail={rail} onChoose={onChoose} />
                  </li>
                ))}
              </ul>
            </div>
          ))}
        </nav>
      </MenuScroll>
    </div>
  );
}

function Version({ rail }: { rail: boolean }) {
  const version = useSite()?.version;
  if (!version) return null;
  return (
    <Badge
      className={classes.version}
      color="gray"
      variant="default"
      aria-disabled
      fw={400}
      title={version}
      px={6}
    >
      {rail ? version.split(".").slice(0, 2).join(".") : version}
    </Badge>
  );
}

function useIsActive(id: string): boolean {
  const { pathname } = useLocation();
  return pathname === `/panel/${id}` || pathname.startsWith(`/panel/${id}/`);
}

function ItemLink({ screen, rail, onChoose }: SideMenuProps & { screen: Screen }) {
  const { t } = useTranslation();
  const active = useIsActive(screen.id);
  const client = useQueryClient();
  const title = t(screen.title);
  const Picture = screen.icon;
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    // The menu may be higher than the window.
    if (active) link.current?.scrollIntoView({ block: "nearest" });
  }, [active]);
  const ahead = () => void loadAhead(screen, client);
  const item = (
    <Link
      ref={link}
      to={`/panel/${screen.id}`}
      className={classes.item}
      aria-current={active ? "page" : undefined}
      aria-label={title}
      onClick={onChoose}
      onPointerEnter={ahead}
      onFocus={ahead}
    >
      <Picture size={17} stroke={1.7} />
      {rail ? null : <span>{title}</span>}
    </Link>
  );
  return rail ? (
    <Tooltip label={title} position="right">
      {item}
    </Tooltip>
  ) : (
    item
  );
}
