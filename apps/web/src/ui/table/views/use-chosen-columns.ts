/** Which columns of a list the user has selected or hidden: those of the link, else those stored in this browser. */
import { useLocalStorage } from "@mantine/hooks";
import { useMemo } from "react";
import { useQueryChange, useQueryString } from "#lib/address/list-params.ts";
import { type ChosenColumns, COLUMNS, readColumns } from "./linked-columns.ts";

type ChosenColumnsOptions = {
  /** Key of the list in local storage. */
  list: string;
  columns: readonly { id: string }[];
  /** The list has views, so that a link can name columns. */
  hasLinks: boolean;
};

/** @returns the columns and their setter, which stores them and removes those of a link from the address */
export function useChosenColumns({
  list,
  columns,
  hasLinks,
}: ChosenColumnsOptions): [ChosenColumns, (chosen: ChosenColumns) => void] {
  const [stored, store] = useLocalStorage<ChosenColumns>({
    key: `columns:${list}`,
    defaultValue: {},
    getInitialValueInEffect: false,
  });
  const changeQuery = useQueryChange();
  const text = new URLSearchParams(useQueryString()).get(COLUMNS);
  const linked = useMemo(
    () => (hasLinks ? readColumns(text, columns) : undefined),
    [hasLinks, text, columns],
  );
  const choose = (chosen: ChosenColumns) => {
    store(chosen);
    const isLinked = hasLinks && new URLSearchParams(window.location.search).has(COLUMNS);
    if (isLinked) changeQuery((search) => search.delete(COLUMNS));
  };
  return [linked ?? stored, choose];
}
