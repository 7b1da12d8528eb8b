/** A select with server-side search, for lists that are too long to load. */
import { Select, type SelectProps } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, type QueryKey, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";

type SearchHit = { id: number; name: string };

type SearchSelectProps = Omit<SelectProps, "value" | "onChange" | "data" | "label"> & {
  label: string;
  /** 0 means all. */
  value: number;
  onChange: (id: number) => void;
  /** Key prefix of the queries about this kind of object. */
  kind: QueryKey;
  /** Returns the first matches of a keyword; "" matches all. */
  find: (keyword: string) => Promise<SearchHit[]>;
  /** Returns the name of an id that came with the address. */
  nameOf: (id: number) => Promise<string>;
};

export function SearchSelect({ label, value, onChange, kind, find, nameOf, ...props }: SearchSelectProps) {
  const { t } = useTranslation();
  const [picked, setPicked] = useState<SearchHit | null>(null);
  const [text, setText] = useState("");
  const remembered = picked?.id === value;
  const name = useQuery({
    queryKey: [...kind, "name", value],
    queryFn: () => nameOf(value),
    enabled: value > 0 && !remembered,
    staleTime: 60_000,
    // A deleted object has no name.
    meta: { quiet: true },
  }).data;
  const chosen: SearchHit | null =
    value === 0 ? null : remembered ? picked : { id: value, name: name ?? `#${value}` };
  // The displayed name of the selection is not a search.
  const [keyword] = useDebouncedValue(text === chosen?.name ? "" : text.trim(), 300);
  const { data: found = [], isPending } = useQuery({
    queryKey: [...kind, "found", keyword],
    queryFn: () => find(keyword),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });
  const options = chosen === null || found.some(({ id }) => id === value) ? found : [chosen, ...found];
  return (
    <Select
      aria-label={label}
      placeholder={label}
      searchable
      clearable
      checkIconPosition="right"
      data={options.map((option) => ({ value: String(option.id), label: option.name }))}
      // The server has already searched, in more fields than the name.
      filter={({ options: all }) => all}
      onSearchChange={setText}
      value={value === 0 ? null : String(value)}
      onChange={(next) => {
        setPicked(options.find(({ id }) => String(id) === next) ?? null);
        onChange(Number(next ?? 0));
      }}
      nothingFoundMessage={isPending ? t("Loading…") : t("No results")}
      comboboxProps={{ width: 280, position: "bottom-start" }}
      {...props}
    />
  );
}
