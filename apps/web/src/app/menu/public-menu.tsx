import { Menu } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { publicLinks } from "#app/public-links.ts";
import { useSelf, wasSignedIn } from "#lib/session.ts";
import { useSite } from "#lib/site.ts";

/** The links of the public header on a phone. */
export function PublicMenu({ button }: { button: ReactNode }) {
  const { t } = useTranslation();
  const self = useSelf();
  const signedIn = self === undefined ? wasSignedIn() : self !== null;
  return (
    <Menu position="bottom-end" width={200} defaultOpened>
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown>
        {publicLinks(signedIn, useSite()?.status_page === true).map((link) => (
          <Menu.Item key={link.to} component={Link} to={link.to}>
            {t(link.title)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
