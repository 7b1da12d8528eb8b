/** The default home page, when the operator has set no content. */
import { Anchor, Button, Container, Group, Stack, Text } from "@mantine/core";
import { IconArrowRight } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { lazy } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { sampleModel } from "#components/samples/sample-model.ts";
import { modelsQuery } from "#lib/queries/models.ts";
import { useSelf } from "#lib/session.ts";
import { useServerAddress, useSite } from "#lib/site.ts";
import { CopyButton } from "#ui/copy.tsx";
import { LazyBoundary } from "#ui/lazy-part.tsx";
import { SampleCall } from "./sample-call.tsx";
import classes from "./home.module.css";

const HomeSections = lazy(() =>
  import("./home-sections.tsx").then((module) => ({ default: module.HomeSections })),
);

export function Welcome() {
  const { t } = useTranslation("site");
  const self = useSelf();
  const site = useSite();
  const address = useServerAddress();
  const models = useQuery(modelsQuery).data;
  // A status that an older version stored has no blocks.
  const blocks = site?.home_blocks ?? [];
  const withExample = blocks.includes("example");
  return (
    <>
      <section className={classes.hero}>
        <Container
          size={1200}
          px={{ base: "md", sm: "lg" }}
          className={classes.heroGrid}
          data-alone={!withExample || undefined}
        >
          <Stack gap="lg" justify="center">
            <h1 className={classes.headline}>{t("One address for every AI model")}</h1>
            <Text fz={{ base: 16, sm: 18 }} c="dimmed" maw={540}>
              {t(
                "For developers and teams who use several AI providers. Keep your SDK or coding agent, change its address and key, and see the cost of every call.",
              )}
            </Text>
            <div className={classes.address}>
              <Text ff="monospace" fz="sm" truncate>
                {address}/v1
              </Text>
              <CopyButton text={`${address}/v1`} label={t("Address")} />
            </div>
            <Group>
              <Button
                component={Link}
                to={self ? "/panel" : "/login"}
                size="md"
                rightSection={<IconArrowRight size={17} />}
              >
                {self ? t("Open the console") : t("Get started")}
              </Button>
              <Anchor component={Link} to="/price" fw={500}>
                {t("See models and prices")}
              </Anchor>
            </Group>
          </Stack>
          {withExample ? <SampleCall models={models ?? {}} model={sampleModel(models ?? {})} /> : null}
        </Container>
      </section>
      {blocks.some((block) => block !== "example") ? (
        <LazyBoundary fallback={<div className={classes.pending} />}>
          <HomeSections blocks={blocks} />
        </LazyBoundary>
      ) : null}
    </>
  );
}
