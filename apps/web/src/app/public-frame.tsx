/** Header and footer of the public pages. */
import { ActionIcon, Anchor, Button, Container, Group, Menu } from "@mantine/core";
import { IconMenu2 } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Link, NavLink, Outlet } from "react-router-dom";
import { LanguageMenu } from "#components/language-menu.tsx";
import { Footer } from "#features/site/footer.tsx";
import { NoticeButton } from "#features/site/notice.tsx";
import { useSelf, wasSignedIn } from "#lib/session.ts";
import { useSite } from "#lib/site.ts";
import { ThemeToggle, useOtherTheme } from "#ui/theme-toggle.tsx";
import { useIsNarrow, useIsPhone } from "#ui/use-is-phone.ts";
import { Brand } from "./brand.tsx";
import { publicLinks } from "./public-links.ts";
import classes from "./public-frame.module.css";

export function PublicFrame() {
  const { t } = useTranslation();
  const phone = useIsPhone();
  const narrow = useIsNarrow();
  const self = useSelf();
  const signedIn = self === undefined ? wasSignedIn() : self !== null;
  const links = publicLinks(signedIn, useSite()?.status_page === true);
  return (
    <div className={classes.frame}>
      <a className="skip-link" href="#content">
        {t("Skip to content")}
      </a>
      <header className={classes.header}>
        <Container size={1200} px={{ base: "md", sm: "lg" }} className={classes.bar}>
          <Brand />
          {narrow ? null : (
            <nav className={classes.links} aria-label={t("Main")}>
              {links.map((link) => (
                <Anchor
                  key={link.to}
                  component={NavLink}
                  to={link.to}
                  end={link.to === "/"}
                  className={classes.link ?? ""}
                  underline="never"
                >
                  {t(link.title)}
                </Anchor>
              ))}
            </nav>
          )}
          <Group gap={phone ? 0 : 4} ml="auto" wrap="nowrap">
            <NoticeButton />
            {phone ? null : <ThemeToggle />}
            <LanguageMenu />
            <Button
              component={Link}
              to={signedIn ? "/panel" : "/login"}
              ml={6}
              size={phone ? "compact-sm" : "sm"}
              variant={signedIn ? "filled" : "default"}
            >
              {signedIn ? t("Console") : t("Sign in")}
            </Button>
            {narrow ? <PublicMenu links={links} withTheme={phone} /> : null}
          </Group>
        </Container>
      </header>
      <main id="content" className={classes.main}>
        <Outlet />
      </main>
      <Footer />
    </div>
  );
}

type PublicMenuProps = { links: ReturnType<typeof publicLinks>; withTheme: boolean };

/** What the header has no room for: links on a narrow window, and the theme on a phone. */
function PublicMenu({ links, withTheme }: PublicMenuProps) {
  const { t } = useTranslation();
  const theme = useOtherTheme();
  return (
    <Menu position="bottom-end" width={200}>
      <Menu.Target>
        <ActionIcon size={36} aria-label={t("Menu")}>
          <IconMenu2 size={19} stroke={1.7} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {links.map((link) => (
          <Menu.Item key={link.to} component={Link} to={link.to}>
            {t(link.title)}
          </Menu.Item>
        ))}
        {withTheme ? (
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

/** A console screen on a public page: the same content in the public container. */
export function PublicScreen() {
  return (
    <Container size={1200} px={{ base: "md", sm: "lg" }} py="lg" className={classes.screen}>
      <Outlet />
    </Container>
  );
}
