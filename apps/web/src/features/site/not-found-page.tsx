import { Anchor, Button, Center, Group, Stack, Text, Title } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Link, useLocation } from "react-router-dom";
import { useSelf } from "#lib/session.ts";
import { usePageTitle } from "#lib/site.ts";
import classes from "./not-found-page.module.css";

export default function NotFoundPage() {
  const { t } = useTranslation();
  usePageTitle(t("This page does not exist"));
  const inConsole = useLocation().pathname.startsWith("/panel");
  const self = useSelf();
  return (
    <Center mih="60vh" p="lg">
      <Stack align="center" ta="center" gap="xs" maw={420}>
        <div className={classes.number} aria-hidden>
          404
        </div>
        <Title order={1} fz={20}>
          {t("This page does not exist")}
        </Title>
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
