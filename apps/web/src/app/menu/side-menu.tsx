/** The left menu: the signed-in user, the version, and the groups of screens. */
import { Badge, Text } from "@mantine/core";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { UserAvatar } from "#app/frame/avatar-menu.tsx";
import { readRememberedRights, useSelf } from "#lib/session.ts";
import { useSite } from "#lib/site.ts";
import { MenuGroups } from "./menu-groups.tsx";
import { MenuScroll } from "./menu-scroll.tsx";
import { visibleMenu } from "./menu.ts";
import classes from "./side-menu.module.css";

type SideMenuProps = { rail: boolean; onChoose?: () => void };

export function SideMenu({ rail, onChoose }: SideMenuProps) {
  const { t } = useTranslation();
  const self = useSelf();
  const groups = useMemo(() => visibleMenu(self ?? readRememberedRights()), [self]);
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
          <MenuGroups groups={groups} rail={rail} onChoose={onChoose} />
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
