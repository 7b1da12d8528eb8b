/** The channel of the calls. */
import type { LogFacets } from "@gateway/shared/usage/log";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { channelNameQuery, foundChannelsQuery } from "#features/logs/api.ts";
import { type FacetOption, FacetPicker } from "./facet-picker.tsx";

type ChannelPickerProps = {
  value: number;
  facets: LogFacets | undefined;
  onChange: (id: number) => void;
};

/** The channels of the newest calls. While the user types, the server searches by name. */
export function ChannelPicker({ value, facets, onChange }: ChannelPickerProps) {
  const { t } = useTranslation("logs");
  const [text, setText] = useState("");
  const [keyword] = useDebouncedValue(text, 300);
  const channels = useQuery(foundChannelsQuery(keyword)).data;
  const name = useQuery(channelNameQuery(value)).data;
  const counted: FacetOption[] = (facets?.channel_id ?? []).map((each) => ({
    value: each.value,
    label: `${each.value} · ${each.name || t("Deleted channel")}`,
    count: each.count,
  }));
  const others = (text === "" ? [] : (channels ?? []))
    .map((each) => ({ value: String(each.id), label: each.name }))
    .filter((each) => !counted.some((known) => known.value === each.value));
  return (
    <FacetPicker
      label={t("Channel")}
      value={value === 0 ? "" : String(value)}
      valueLabel={name ?? `#${value}`}
      options={[...counted, ...others]}
      onChange={(id) => onChange(Number(id || 0))}
      onSearch={setText}
    />
  );
}
