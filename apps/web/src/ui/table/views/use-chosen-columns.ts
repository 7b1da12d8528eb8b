/** Which columns of a list the user has selected or hidden: those of the link, else those stored in this browser. */
import { useLocalStorage } from "@mantine/hooks";
import { useCallback, useMemo } from "react";
import { useSearchParams } from "react-router-dom";
import { currentLocation } from "#lib/address/history.ts";
import { useQueryString } from "#lib/address/list-params.ts";
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
  const [, setSearch] = useSearchParams();
  const text = new URLSearchParams(useQueryString()).get(COLUMNS);
  const linked = useMemo(
    () => (hasLinks ? readColumns(text, columns) : undefined),
    [hasLinks, text, columns],
  );
  const choose = useCallback(
    (chosen: ChosenColumns) => {
      store(chosen);
      const next = new URLSearchParams(window.location.search);
      if (!hasLinks || !next.has(COLUMNS)) return;
      next.delete(COLUMNS);
      setSearch(next, { replace: true, state: currentLocation().state });
    },
    [store, hasLinks, setSearch],
  );
  return [linked ?? stored, choose];
}
