/** The default home page, when the operator has set no content. */
import { Anchor, Button, Container, Group, Skeleton, Stack, Text, Title } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { IconArrowRight, IconArrowsShuffle, IconReceipt2, IconSearch, IconWorld } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { ProviderIcon, providerOfModel } from "#components/icons/provider-icon.tsx";
import { ModelChip } from "#components/model-chip.tsx";
import { CodeSamples } from "#components/samples/code-samples.tsx";
import { sampleModel } from "#components/samples/sample-model.ts";
import { modelsQuery } from "#lib/queries/models.ts";
import { useSelf } from "#lib/session.ts";
import { useServerAddress } from "#lib/site.ts";
import { CopyButton } from "#ui/copy.tsx";
import { Empty, LoadError } from "#ui/empty.tsx";
import classes from "./home-page.module.css";

const shownAtFirst = 24;

export function Welcome() {
  const { t } = useTranslation("site");
  const self = useSelf();
  const address = useServerAddress();
  const models = useQuery(modelsQuery);
  const names = Object.keys(models.data ?? {}).sort((a, b) => a.localeCompare(b));
  return (
    <>
      <section className={classes.hero}>
        <Container size={1200} px={{ base: "md", sm: "lg" }} className={classes.heroGrid}>
          <Stack gap="lg" justify="center">
            <h1 className={classes.headline}>{t("One API for every AI model")}</h1>
            <Text fz={{ base: 16, sm: 18 }} c="dimmed" maw={520}>
              {t(
                "Keep your SDK. Change the base URL and the API key to use every provider through one account, with itemized billing.",
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
              <Anchor href="#models" fw={500}>
                {t("See the models")}
              </Anchor>
            </Group>
          </Stack>
          <CodeSamples sample={{ address, model: sampleModel(models.data ?? {}) }} />
        </Container>
      </section>
      <Container size={1200} px={{ base: "md", sm: "lg" }} py={{ base: 40, sm: 72 }}>
        <div className={classes.promises}>
          <Promise
            icon={<IconWorld size={22} stroke={1.6} />}
            title={t("Works with your SDK")}
            text={t(
              "OpenAI, Anthropic and Gemini clients work with every provider, including streams, tools and images.",
            )}
          />
          <Promise
            icon={<IconArrowsShuffle size={22} stroke={1.6} />}
            title={t("Automatic failover")}
            text={t(
              "Several channels can serve a model. If a channel fails before the first token, the gateway uses the next one.",
            )}
          />
          <Promise
            icon={<IconReceipt2 size={22} stroke={1.6} />}
            title={t("Exact billing")}
            text={t("Every call shows its tokens, prices and total. Failed calls are not charged.")}
          />
        </div>
      </Container>
      <ModelGrid
        names={names}
        pending={models.isPending}
        failed={models.data ? null : models.error}
        onRetry={() => void models.refetch()}
      />
    </>
  );
}

function Promise({ icon, title, text }: { icon: React.ReactNode; title: string; text: string }) {
  return (
    <div>
      <div className={classes.promiseIcon}>{icon}</div>
      <Title order={2} fz="lg" mt="md">
        {title}
      </Title>
      <Text c="dimmed" mt={6}>
        {text}
      </Text>
    </div>
  );
}

type ModelGridProps = { names: string[]; pending: boolean; failed: Error | null; onRetry: () => void };

function ModelGrid({ names, pending, failed, onRetry }: ModelGridProps) {
  const { t } = useTranslation("site");
  const [search, setSearch] = useState("");
  const [all, setAll] = useState(false);
  const [searchText] = useDebouncedValue(search.trim().toLowerCase(), 120);
  const matches = names.filter((name) => name.toLowerCase().includes(searchText));
  const shown = all || searchText ? matches : matches.slice(0, shownAtFirst);
  const providers = [...new Set(names.map(providerOfModel).filter((provider) => provider !== null))];
  return (
    <section id="models" className={classes.models}>
      <Container size={1200} px={{ base: "md", sm: "lg" }}>
        <Group justify="space-between" align="flex-end" mb="lg">
          <div>
            <Title order={2} fz={24}>
              {t("Models available now")}
            </Title>
            <Group gap={10} mt={8} c="dimmed">
              {providers.slice(0, 12).map((provider) => (
                <ProviderIcon key={provider} name={provider} size={18} />
              ))}
              {names.length > 0 ? (
                <Text fz="sm">{t("{{count}} models", { count: names.length })}</Text>
              ) : null}
            </Group>
          </div>
          {names.length > shownAtFirst ? (
            <label className={classes.search}>
              <IconSearch size={15} aria-hidden />
              <input
                type="search"
                placeholder={t("Find a model")}
                aria-label={t("Find a model")}
                value={search}
                onChange={(event) => setSearch(event.currentTarget.value)}
              />
            </label>
          ) : null}
        </Group>
        {pending ? (
          <Skeleton height={120} />
        ) : failed ? (
          <LoadError error={failed} onRetry={onRetry} />
        ) : names.length === 0 ? (
          <Empty
            title={t("No models yet")}
            hint={t("Models appear here when the operator adds a channel.")}
          />
        ) : (
          <div className={classes.chips}>
            {shown.map((name) => (
              <ModelChip key={name} model={name} />
            ))}
            {shown.length < matches.length ? (
              <Button variant="subtle" size="compact-md" onClick={() => setAll(true)}>
                {t("Show all {{count}}", { count: matches.length })}
              </Button>
            ) : null}
          </div>
        )}
      </Container>
    </section>
  );
}
