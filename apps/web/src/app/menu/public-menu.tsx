import { Menu } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { publicLinks } from "#app/public-links.ts";
import { useSelf, wasSignedIn } from "#lib/session.ts";
import { useSite } from "#lib/site.ts";
import { useOtherTheme } from "#ui/theme-toggle.tsx";
import { useIsPhone } from "#ui/use-is-phone.ts";

/** What the public header has no room for: links on a narrow window, and the theme on a phone. */
export function PublicMenu({ button }: { button: ReactNode }) {
  const { t } = useTranslation();
  const self = useSelf();
  const phone = useIsPhone();
  const theme = useOtherTheme();
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
        {phone ? (
          <>
            <Menu.Divider />
            <Menu.Item leftSection={<theme.Icon size={16} stroke={1.7} />} onClick={theme.show}>
              {theme.label}
            </Menu.Item>
          </>
        ) : null}
      </Menu.Dropdown>
    </Menu>
  );
}
