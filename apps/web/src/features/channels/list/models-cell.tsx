import type { ChannelRow } from "@gateway/shared/channels/channel";
import { Button, Group, Popover, ScrollArea, Text, TextInput, UnstyledButton } from "@mantine/core";
import { IconCopy, IconSearch } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ModelChip } from "#components/model-chip.tsx";
import { copyText } from "#ui/copy.tsx";
import classes from "#features/channels/channels.module.css";

/** Number of models from which the list has a search box. */
const searchFrom = 12;

/** The number of models; a click lists them. */
export function ModelsCell({ row }: { row: ChannelRow }) {
  const { t } = useTranslation("channels");
  const [search, setSearch] = useState("");
  const searchText = search.trim().toLowerCase();
  const shown = row.models.filter((model) => model.toLowerCase().includes(searchText));
  return (
    <Popover position="bottom" width={380} trapFocus onClose={() => setSearch("")}>
      <Popover.Target>
        <UnstyledButton
          className={classes.count}
          aria-label={t("{{count}} models", { count: row.models.length })}
        >
          {row.models.length}
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown p={0}>
        <Group justify="space-between" px="sm" pt={10} pb={6} wrap="nowrap">
          <Text fw={600} fz="sm">
            {t("{{count}} models", { count: row.models.length })}
          </Text>
          <Button
            variant="subtle"
            size="compact-xs"
            leftSection={<IconCopy size={13} />}
            onClick={() => void copyText(row.models.join(","), t("Models"))}
          >
            {t("Copy all")}
          </Button>
        </Group>
        {row.models.length >= searchFrom ? (
          <TextInput
            size="xs"
            mx="sm"
            mb={6}
            type="search"
            aria-label={t("Find a model")}
            placeholder={t("Find a model")}
            leftSection={<IconSearch size={14} />}
            value={search}
            onChange={(event) => setSearch(event.currentTarget.value)}
          />
        ) : null}
        <ScrollArea.Autosize mah={280} type="auto" scrollbarSize={8}>
          <Group gap={6} px="sm" pb="sm" pt={2}>
            {shown.map((model) => (
              <ModelChip key={model} model={model} />
            ))}
            {shown.length === 0 ? (
              <Text c="dimmed" fz="sm">
                {t("No model matches")}
              </Text>
            ) : null}
          </Group>
        </ScrollArea.Autosize>
      </Popover.Dropdown>
    </Popover>
  );
}
