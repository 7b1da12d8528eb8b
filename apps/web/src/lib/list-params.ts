/** State of a list (filters, order, page) kept in the address bar, parsed by the schema the server uses. */
import { useCallback, useMemo, useState, useSyncExternalStore } from "react";
import { useLocation, useSearchParams } from "react-router-dom";
import type { z } from "zod";
import { currentLocation, onAddressChange } from "./history.ts";

/**
 * @returns the parsed state, and a setter. Changing anything but `page` or `size` goes back to page 1; values
 * equal to the schema's defaults are left out of the address.
 */
export function useListParams<T extends z.ZodObject>(
  schema: T,
): [z.output<T>, (patch: Partial<z.output<T>>) => void] {
  const [, setSearch] = useSearchParams();
  const search = useQueryString();
  const defaults = useMemo(() => schema.parse({}), [schema]);
  const params = useMemo(() => {
    return readParams(schema, new URLSearchParams(search)) ?? defaults;
  }, [schema, search, defaults]);

  const setParams = useCallback(
    (patch: Partial<z.output<T>>) => {
      // From the address bar, not from what was drawn last: two changes in a row must not undo each other.
      const next = new URLSearchParams(window.location.search);
      if (Object.keys(patch).some((name) => name !== "page")) next.delete("page");
      for (const [name, value] of Object.entries(patch)) {
        if (value === undefined || value === null || value === defaults[name as keyof typeof defaults])
          next.delete(name);
        else next.set(name, String(value));
      }
      // What was opened on this entry stays its own.
      setSearch(next, { replace: true, state: currentLocation().state });
    },
    [setSearch, defaults],
  );
  return [params, setParams];
}

/**
 * The query of this page's address, without delay. The router draws another address when it has time for it, so a
 * second click could still act on the old one.
 */
export function useQueryString(): string {
  const drawn = useLocation().search;
  const [page] = useState(() => window.location.pathname);
  return useSyncExternalStore(onAddressChange, () =>
    window.location.pathname === page ? window.location.search : drawn,
  );
}

/** What of an address the schema understands: a filter that it refuses, of an older version, say, is left out. */
export function readParams<T extends z.ZodObject>(
  schema: T,
  search: URLSearchParams,
): z.output<T> | undefined {
  const given: Record<string, string> = Object.fromEntries(search);
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  for (const { path } of parsed.error.issues) delete given[String(path[0])];
  const rest = schema.safeParse(given);
  return rest.success ? rest.data : undefined;
}
