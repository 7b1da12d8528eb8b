/** State of a list (filters, order, page) in the address. */
import { useCallbackRef } from "@mantine/hooks";
import { useCallback, useMemo, useSyncExternalStore } from "react";
import { useHref, useLocation, useSearchParams } from "react-router-dom";
import { currentLocation, onAddressChange } from "./history.ts";
import { initialOf, type Params, type ParamValues, readParams } from "./params.ts";

/**
 * @returns the parsed state and a setter. A change of anything but `page` or `size` resets the page to 1.
 * Initial values are omitted from the address.
 */
export function useListParams<T extends ParamValues>(params: Params<T>): [T, (patch: Partial<T>) => void] {
  const changeQuery = useQueryChange();
  const search = useQueryString();
  const page = usePageAddress();
  // Kept while the list is open: another size of the window must not change which rows a page has.
  const initial = useMemo(() => initialOf(params), [params]);
  const values = useMemo(
    () => readParams(params, new URLSearchParams(search), initial),
    [params, search, initial],
  );

  const setParams = useCallback(
    (patch: Partial<T>) => {
      // The user is leaving the page. A late response must not bring it back.
      if (window.location.pathname !== page) return;
      changeQuery((next) => {
        if (Object.keys(patch).some((name) => name !== "page")) next.delete("page");
        for (const [name, value] of Object.entries(patch)) {
          if (value === undefined || value === null || value === initial[name as keyof T]) next.delete(name);
          else next.set(name, String(value));
        }
        keepSizeWithPage(next, initial);
      });
    },
    [changeQuery, initial, page],
  );
  return [values, setParams];
}

/** A page has the same rows in every window only with its size. On the first page, the initial size is omitted. */
function keepSizeWithPage(search: URLSearchParams, initial: ParamValues): void {
  if (initial["page"] === undefined || initial["size"] === undefined) return;
  const size = String(initial["size"]);
  if (!search.has("page") && search.get("size") === size) search.delete("size");
  else if (search.has("page") && !search.has("size")) search.set("size", size);
}

/**
 * Returns a function that changes the query string in the same entry of the history, whose state stays. It reads the
 * current address instead of the last render: two changes in a row must not undo each other.
 */
export function useQueryChange(): (change: (search: URLSearchParams) => void) => void {
  const [, setSearch] = useSearchParams();
  return useCallbackRef((change) => {
    const search = new URLSearchParams(window.location.search);
    change(search);
    setSearch(search, { replace: true, state: currentLocation().state });
  });
}

/**
 * Returns the current query string without delay. The router renders a new address in a transition, so a
 * second click could otherwise use the old one.
 */
export function useQueryString(): string {
  const drawn = useLocation().search;
  const page = usePageAddress();
  return useSyncExternalStore(onAddressChange, () =>
    window.location.pathname === page ? window.location.search : drawn,
  );
}

/** Returns the path of the drawn page as in the browser's address: with the base path. */
function usePageAddress(): string {
  return useHref(useLocation().pathname);
}
