/** The filters of the channel list, kept in the address. */
import type { ChannelQuery } from "@gateway/shared/channels/channel";
import { ActionIcon, Box, Button, Group, Indicator, Popover, Select, Stack } from "@mantine/core";
import { IconFilter } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useGroupNames } from "#components/group-name.tsx";
import { ProviderIcon } from "#components/icons/provider-icon.tsx";
import { tagNamesQuery } from "#features/channels/api.ts";
import { groupProviders } from "#features/channels/provider-groups.ts";
import { providerWord } from "#features/channels/provider-labels.ts";
import { statusChoices, statusOf } from "#features/channels/status.ts";
import { groupSymbolsQuery } from "#lib/queries/groups.ts";
import { providersQuery } from "#lib/queries/providers.ts";
import { ClearFilters, FilterSelect, SearchBox } from "#ui/table/filters.tsx";
import { useIsPhone } from "#ui/use-is-phone.ts";

type ChannelFilterValues = Pick<
  ChannelQuery,
  "keyword" | "type" | "status" | "group" | "model" | "tag" | "filter_tag" | "test_model" | "other"
>;

export const noFilters: ChannelFilterValues = {
  keyword: "",
  type: 0,
  status: 0,
  group: "",
  model: "",
  tag: "",
  filter_tag: 0,
  test_model: "",
  other: "",
};

export function filterCount(query: ChannelFilterValues): number {
  return Object.entries(noFilters).filter(([name, none]) => query[name as keyof ChannelFilterValues] !== none)
    .length;
}

const rare = ["filter_tag", "test_model", "other"] as const;

type ChannelFiltersProps = {
  query: ChannelFilterValues;
  onChange: (patch: Partial<ChannelFilterValues>) => void;
};

export function ChannelFilters({ query, onChange }: ChannelFiltersProps) {
  const { t } = useTranslation("channels");
  const phone = useIsPhone();
  const active = filterCount(query);
  const [unfolded, setUnfolded] = useState(false);
  const search = (
    <SearchBox
      value={query.keyword}
      onChange={(keyword) => onChange({ keyword })}
      placeholder={t("Name, tag or ID")}
      width={170}
    />
  );
  const clear = active > 0 ? <ClearFilters onClear={() => onChange(noFilters)} /> : null;

  if (!phone)
    return (
      <>
        {search}
        <Choices query={query} onChange={onChange} />
        <More query={query} onChange={onChange} />
        {clear}
      </>
    );
  return (
    <>
      <Group gap="xs" wrap="nowrap" w="100%">
        <Box flex={1}>{search}</Box>
        <Button
          variant={active > 0 ? "light" : "default"}
          leftSection={<IconFilter size={15} />}
          aria-expanded={unfolded}
          onClick={() => setUnfolded((open) => !open)}
        >
          {active > 0 ? t("Filters ({{number}})", { number: active }) : t("Filters")}
        </Button>
      </Group>
      {unfolded ? (
        <>
          <Choices query={query} onChange={onChange} />
          <RareChoices query={query} onChange={onChange} />
          {clear}
        </>
      ) : null}
    </>
  );
}

function Choices({ query, onChange }: ChannelFiltersProps) {
  const { t } = useTranslation("channels");
  const providers = useQuery(providersQuery).data ?? [];
  const groups = useQuery(groupSymbolsQuery).data ?? [];
  const groupName = useGroupNames();
  const tags = useQuery(tagNamesQuery).data ?? [];
  const phone = useIsPhone();
  // All filters share a line with the tools of the list.
  const width = phone ? {} : { w: 140 };
  const iconOf = (type: string) => providers.find((provider) => String(provider.type) === type)?.icon ?? "";
  const same = (name: string) => ({ value: name, label: name });
  return (
    <>
      <FilterSelect
        {...width}
        label={t("Provider")}
        value={query.type === 0 ? "" : String(query.type)}
        onChange={(type) => onChange({ type: Number(type) })}
        searchable
        data={groupProviders(providers).map(([group, members]) => ({
          group: t(group),
          items: members.map(({ type, label }) => ({ value: String(type), label: providerWord(t, label) })),
        }))}
        leftSection={
          query.type === 0 ? undefined : <ProviderIcon name={iconOf(String(query.type))} size={15} />
        }
        renderOption={({ option }) => (
          <Group gap={8} wrap="nowrap">
            {option.value === "" ? null : <ProviderIcon name={iconOf(option.value)} size={15} />}
            {option.label}
          </Group>
        )}
      />
      <FilterSelect
        {...width}
        label={t("Status")}
        value={query.status === 0 ? "" : String(query.status)}
        onChange={(status) => onChange({ status: Number(status) })}
        data={statusChoices.map((status) => ({ value: String(status), label: t(statusOf(status).word) }))}
      />
      <FilterSelect
        {...width}
        label={t("Group")}
        value={query.group}
        onChange={(group) => onChange({ group })}
        data={groups.map((symbol) => ({ value: symbol, label: groupName(symbol) }))}
      />
      {tags.length > 0 || query.tag ? (
        <FilterSelect
          {...width}
          label={t("Tag")}
          value={query.tag}
          onChange={(tag) => onChange({ tag })}
          searchable
          data={[...new Set([...tags, query.tag])].filter((tag) => tag !== "").map(same)}
        />
      ) : null}
      <SearchBox
        value={query.model}
        onChange={(model) => onChange({ model })}
        placeholder={t("Model")}
        width={120}
      />
    </>
  );
}

/** Rarely used filters, behind a button with the number of active ones. */
function More({ query, onChange }: ChannelFiltersProps) {
  const { t } = useTranslation("channels");
  const active = rare.filter((name) => query[name] !== noFilters[name]).length;
  return (
    <Popover position="bottom-start" width={280} trapFocus>
      <Indicator label={active} size={16} disabled={active === 0} offset={3}>
        <Popover.Target>
          <ActionIcon size={36} variant="default" aria-label={t("More filters")} title={t("More filters")}>
            <IconFilter size={16} />
          </ActionIcon>
        </Popover.Target>
      </Indicator>
      <Popover.Dropdown>
        <Stack gap="sm">
          <RareChoices query={query} onChange={onChange} />
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

function RareChoices({ query, onChange }: ChannelFiltersProps) {
  const { t } = useTranslation("channels");
  return (
    <>
      <Select
        label={t("With or without a tag")}
        w="100%"
        data={[
          { value: "0", label: t("Both") },
          { value: "1", label: t("Without a tag") },
          { value: "2", label: t("With a tag") },
        ]}
        value={String(query.filter_tag)}
        // Redundant with a tag filter.
        disabled={query.tag !== ""}
        allowDeselect={false}
        onChange={(choice) => onChange({ filter_tag: Number(choice) })}
        comboboxProps={{ withinPortal: false }}
      />
      <SearchBox
        label={t("Test model begins with")}
        placeholder="gpt-4o"
        width="100%"
        value={query.test_model}
        onChange={(test_model) => onChange({ test_model })}
      />
      <SearchBox
        label={t("Version, region or plugin begins with")}
        placeholder="2025-"
        width="100%"
        value={query.other}
        onChange={(other) => onChange({ other })}
      />
    </>
  );
}
