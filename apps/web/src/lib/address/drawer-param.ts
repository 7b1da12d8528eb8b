/** The open form or drawer of a list, kept in the address: Back closes it, and a link can open it. */
import { useCallbackRef } from "@mantine/hooks";
import { useMemo } from "react";
import { useSearchParams } from "react-router-dom";
import { currentLocation, EDITED, leaveEntry } from "./history.ts";
import { useQueryChange, useQueryString } from "./list-params.ts";

/** Parameters of forms and drawers, which are not part of a saved view. */
export const drawerParams = [
  EDITED,
  "ask",
  "balance",
  "budget",
  "bulk",
  "call",
  "changes",
  "customer",
  "disable",
  "entry",
  "file",
  "import",
  "open",
  "prices",
  "promote",
  "remove",
  "rotate",
  "shares",
  "side",
  "statement",
  "timeline",
  "update",
  "user",
] as const;

/** `month` is also a filter of another list, so saved views keep it. */
type DrawerName = (typeof drawerParams)[number] | "month";

/** Key of a new object, in place of a row's key. */
export const NEW = "new";

/** The functions stay the same, so that a list does not render its rows again when a drawer opens. */
export type DrawerParam = {
  /** Key of the open row, `NEW`, or "" while nothing is open. */
  key: string;
  open: (key: string | number) => void;
  /** Shows another row in the same drawer. Back still closes the drawer. */
  replace: (key: string | number) => void;
  close: () => void;
};

/** Returns which parameter our own code opened with this history entry. */
function openedHere(): string | null {
  const { state } = currentLocation();
  return typeof state === "object" && state !== null && "opened" in state ? String(state.opened) : null;
}

/**
 * @param name query parameter. Forms use the default, so that Back asks before it closes a form with changes.
 * Filters and page of the list stay in the address.
 */
export function useDrawerParam(name: DrawerName = EDITED): DrawerParam {
  const [, setSearch] = useSearchParams();
  const changeQuery = useQueryChange();
  const key = new URLSearchParams(useQueryString()).get(name) ?? "";
  const open = useCallbackRef((next: string | number) => {
    const search = new URLSearchParams(window.location.search);
    if (search.get(name) === String(next)) return;
    search.set(name, String(next));
    setSearch(search, { state: { opened: name } });
  });
  const replace = useCallbackRef((next: string | number) => {
    changeQuery((search) => search.set(name, String(next)));
  });
  const close = useCallbackRef(() => {
    const search = new URLSearchParams(window.location.search);
    if (!search.has(name)) return;
    if (openedHere() === name) return leaveEntry();
    search.delete(name);
    setSearch(search, { replace: true });
  });
  return useMemo(() => ({ key, open, replace, close }), [key, open, replace, close]);
}
