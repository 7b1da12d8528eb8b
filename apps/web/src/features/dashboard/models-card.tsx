import { Button, Group, Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ModelChip } from "#components/model-chip.tsx";
import { modelsQuery } from "#lib/queries/models.ts";
import { Empty, QueryFallback } from "#ui/empty.tsx";
import { Section } from "#ui/page/page.tsx";

const shownAtFirst = 18;

/** The models of the user's group; a click copies the name. */
export function ModelsCard() {
  const { t } = useTranslation("dashboard");
  const models = useQuery(modelsQuery);
  const [all, setAll] = useState(false);
  const names = Object.keys(models.data ?? {}).sort((a, b) => a.localeCompare(b));
  const shown = all ? names : names.slice(0, shownAtFirst);
  return (
    <Section
      title={t("Available models")}
      hint={t("Click a name to copy it.")}
      aside={
        names.length > 0 ? (
          <Text c="dimmed" fz="sm" className="tabular">
            {names.length}
          </Text>
        ) : null
      }
    >
      {models.data === undefined ? (
        <QueryFallback query={models}>
          <Skeleton height={70} />
        </QueryFallback>
      ) : names.length === 0 ? (
        <Empty
          compact
          title={t("No models yet")}
          hint={t("Models appear here when a channel serves your group.")}
        />
      ) : (
        <Group gap={8}>
          {shown.map((name) => (
            <ModelChip key={name} model={name} />
          ))}
          {names.length > shownAtFirst ? (
            <Button variant="subtle" size="compact-sm" onClick={() => setAll((open) => !open)}>
              {all ? t("Show fewer") : t("Show all {{count}}", { count: names.length })}
            </Button>
          ) : null}
        </Group>
      )}
    </Section>
  );
}
