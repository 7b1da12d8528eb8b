import { Anchor, Button, Center, Group, Stack, Text, Title } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Link, useLocation } from "react-router-dom";
import { useSelf } from "#lib/session.ts";
import { usePageTitle } from "#lib/site.ts";
import classes from "./not-found-page.module.css";

/** The heading of an address that no screen has, the same in every language. */
const UNKNOWN = "Unexpected Application Error!";

/** The page at /404, and in place of a screen at every unknown address. */
export default function NotFoundPage() {
  const { t } = useTranslation("site");
  usePageTitle(t("This page does not exist"));
  const { pathname } = useLocation();
  const inConsole = pathname.startsWith("/panel");
  const is404Address = pathname === "/404" || pathname === "/panel/404";
  const self = useSelf();
  return (
    <Center mih="60vh" p="lg">
      <Stack align="center" ta="center" gap="xs" maw={420}>
        <div className={classes.number} aria-hidden>
          404
        </div>
        <Title order={1} fz={20} lang={is404Address ? undefined : "en"}>
          {is404Address ? t("This page does not exist") : UNKNOWN}
        </Title>
        {is404Address ? null : <Text fw={600}>{t("This page does not exist")}</Text>}
        <Text c="dimmed">{t("The address may be mistyped, or the page has moved.")}</Text>
        <Group mt="md">
          <Button component={Link} to={inConsole ? "/panel/dashboard" : "/"}>
            {inConsole ? t("Go to the dashboard") : t("Go to the home page")}
          </Button>
          {self && !inConsole ? (
            <Button component={Link} to="/panel" variant="default">
              {t("Open the console")}
            </Button>
          ) : null}
          <Anchor component="button" type="button" onClick={() => window.history.back()}>
            {t("Go back")}
          </Anchor>
        </Group>
      </Stack>
    </Center>
  );
}
