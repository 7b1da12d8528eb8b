/** What is open beside a list (a form, a drawer), kept in the address: Back closes it, a link opens it. */
import { useCallback, useMemo } from "react";
import { useSearchParams } from "react-router-dom";
import { currentLocation, EDITED, leaveEntry } from "./history.ts";
import { useQueryString } from "./list-params.ts";

/** The key of what is to be made, in place of the key of a row. */
export const NEW = "new";

export type Opened = {
  /** The key of the open row, `NEW`, or "" while nothing is open. */
  key: string;
  open: (key: string | number) => void;
  /** Shows another row in the same drawer: Back still closes it. */
  replace: (key: string | number) => void;
  close: () => void;
};

/** Which of our own openings made this entry of the history. */
function openedHere(): string | null {
  const { state } = currentLocation();
  return typeof state === "object" && state !== null && "opened" in state ? String(state.opened) : null;
}

/**
 * @param name the parameter of the address. Forms use the default: the back button then asks before it closes one
 * with changes. Filters and page of the list stay in the address.
 */
export function useOpened(name: string = EDITED): Opened {
  const [, setSearch] = useSearchParams();
  const key = new URLSearchParams(useQueryString()).get(name) ?? "";
  const open = useCallback(
    (next: string | number) => {
      const search = new URLSearchParams(window.location.search);
      if (search.get(name) === String(next)) return;
      search.set(name, String(next));
      setSearch(search, { state: { opened: name } });
    },
    [name, setSearch],
  );
  const replace = useCallback(
    (next: string | number) => {
      const search = new URLSearchParams(window.location.search);
      search.set(name, String(next));
      setSearch(search, { replace: true, state: currentLocation().state });
    },
    [name, setSearch],
  );
  const close = useCallback(() => {
    const search = new URLSearchParams(window.location.search);
    if (!search.has(name)) return;
    if (openedHere() === name) return leaveEntry();
    search.delete(name);
    setSearch(search, { replace: true });
  }, [name, setSearch]);
  return useMemo(() => ({ key, open, replace, close }), [key, open, replace, close]);
}
