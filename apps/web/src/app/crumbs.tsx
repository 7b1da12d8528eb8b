import { Anchor, Breadcrumbs, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Link, useLocation } from "react-router-dom";
import { phrase } from "#lib/i18n.ts";
import { pathTo } from "./screens.ts";

const maxItems = 8;
const home = phrase("Dashboard");

/** Where we are: the dashboard, the group, the screen. */
export function Crumbs() {
  const { t } = useTranslation();
  const { pathname } = useLocation();
  const id = pathname.split("/")[2] ?? "";
  // The first group is called like its first screen: said once, it is enough.
  const titles = pathTo(id)
    .filter((title) => title !== home)
    .slice(0, maxItems - 1);
  if (titles.length === 0 || id === "dashboard") return null;
  return (
    <nav aria-label={t("Breadcrumbs")}>
      <Breadcrumbs separator="/" separatorMargin={8} mb={10}>
        <Anchor component={Link} to="/panel/dashboard" c="dimmed" fz="sm">
          {t(home)}
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
