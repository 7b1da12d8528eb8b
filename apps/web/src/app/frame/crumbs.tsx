import { Anchor, Breadcrumbs, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Link, useLocation } from "react-router-dom";
import { pathTo } from "#app/menu/menu.ts";
import { screenById } from "#app/screens.ts";
import { useSelf } from "#lib/session.ts";

const maxItems = 8;
const home = "dashboard";

/** Breadcrumbs: the dashboard, the group, the screen. */
export function Crumbs() {
  const { t } = useTranslation();
  const { pathname } = useLocation();
  const self = useSelf();
  const id = pathname.split("/")[2] ?? "";
  if (!self || id === home) return null;
  // The home link replaces the group that contains it.
  const [homeGroup] = pathTo(home, self);
  const titles = pathTo(id, self)
    .filter((title) => title !== homeGroup)
    .slice(0, maxItems - 1);
  if (titles.length === 0) return null;
  return (
    <nav aria-label={t("Breadcrumbs")}>
      <Breadcrumbs separator="/" separatorMargin={8} mb={10}>
        <Anchor component={Link} to="/panel/dashboard" c="dimmed" fz="sm">
          {t(screenById(home)?.title ?? "")}
        </Anchor>
        {titles.map((title, index) => (
          <Text
            key={title}
            fz="sm"
            c={index === titles.length - 1 ? undefined : "dimmed"}
            aria-current={index === titles.length - 1 ? "page" : undefined}
          >
            {t(title)}
          </Text>
        ))}
      </Breadcrumbs>
    </nav>
  );
}
