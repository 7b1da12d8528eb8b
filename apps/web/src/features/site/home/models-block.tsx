/** The models that visitors can use, with a search. A click copies a name. */
import { Group, Skeleton, Text, TextInput, Title } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ModelChip } from "#components/model-chip.tsx";
import { modelsQuery } from "#lib/queries/models.ts";
import { Empty, LoadError } from "#ui/empty.tsx";
import { ShowAll } from "./show-all.tsx";
import classes from "./home.module.css";

const shownAtFirst = 24;

export function ModelsBlock() {
  const { t } = useTranslation("site");
  const models = useQuery(modelsQuery);
  const [search, setSearch] = useState("");
  const [all, setAll] = useState(false);
  const names = Object.keys(models.data ?? {}).sort((a, b) => a.localeCompare(b));
  const searchText = search.trim().toLowerCase();
  const matches = names.filter((name) => name.toLowerCase().includes(searchText));
  const shown = all || searchText ? matches : matches.slice(0, shownAtFirst);
  return (
    <>
      <Group justify="space-between" align="flex-end" mb="lg">
        <div>
          <Title order={2} fz={24}>
            {t("Models available now")}
          </Title>
          {names.length > 0 ? (
            <Text fz="sm" c="dimmed" mt={4}>
              {t("{{count}} models", { count: names.length })}
            </Text>
          ) : null}
        </div>
        {names.length > shownAtFirst ? (
          <TextInput
            type="search"
            aria-label={t("Find a model")}
            placeholder={t("Find a model")}
            leftSection={<IconSearch size={15} />}
            className={classes.search ?? ""}
            value={search}
            onChange={(event) => setSearch(event.currentTarget.value)}
          />
        ) : null}
      </Group>
      {models.isPending ? (
        <Skeleton height={120} />
      ) : models.error && !models.data ? (
        <LoadError error={models.error} onRetry={() => void models.refetch()} />
      ) : names.length === 0 ? (
        <Empty title={t("No models yet")} hint={t("Models appear here when the operator adds a channel.")} />
      ) : (
        <>
          <div className={classes.chips}>
            {shown.map((name) => (
              <ModelChip key={name} model={name} />
            ))}
          </div>
          {matches.length === 0 ? <Text c="dimmed">{t("No model matches")}</Text> : null}
          <ShowAll shown={shown.length} total={matches.length} onShow={() => setAll(true)} />
        </>
      )}
    </>
  );
}
