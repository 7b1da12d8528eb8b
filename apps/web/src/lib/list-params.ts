/** State of a list (filters, order, page) in the address, parsed with the server's schema. */
import { useCallback, useMemo, useState, useSyncExternalStore } from "react";
import { useLocation, useSearchParams } from "react-router-dom";
import type { z } from "zod";
import { currentLocation, onAddressChange } from "./history.ts";

/**
 * @returns the parsed state and a setter. A change of anything but `page` or `size` resets the page to 1.
 * Default values of the schema are omitted from the address.
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
      // Reads the current address instead of the last render: two changes in a row must not undo each other.
      const next = new URLSearchParams(window.location.search);
      if (Object.keys(patch).some((name) => name !== "page")) next.delete("page");
      for (const [name, value] of Object.entries(patch)) {
        if (value === undefined || value === null || value === defaults[name as keyof typeof defaults])
          next.delete(name);
        else next.set(name, String(value));
      }
      // Keeps the state of this history entry.
      setSearch(next, { replace: true, state: currentLocation().state });
    },
    [setSearch, defaults],
  );
  return [params, setParams];
}

/**
 * Returns the current query string without delay. The router renders a new address in a transition, so a
 * second click could otherwise use the old one.
 */
export function useQueryString(): string {
  const drawn = useLocation().search;
  const [page] = useState(() => window.location.pathname);
  return useSyncExternalStore(onAddressChange, () =>
    window.location.pathname === page ? window.location.search : drawn,
  );
}

/** Parses the parameters that the schema accepts. Drops others, such as a filter of an older version. */
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

/**
 * Returns the parameters of an address that the list does not apply: those with a value that the schema rejects, such as a
 * filter of an older version, and unknown ones.
 * @param others parameters of the page that are not in the schema; undefined to accept any
 */
export function droppedParams(
  schema: z.ZodObject,
  search: URLSearchParams,
  others?: readonly string[],
): [name: string, value: string][] {
  const applied: Record<string, unknown> = readParams(schema, search) ?? {};
  const isApplied = (name: string, value: string) => {
    if (!(name in schema.shape)) return others === undefined || others.includes(name);
    const used = applied[name];
    if (typeof used === "number") return value.trim() !== "" && Number(value) === used;
    return value.trim() === (typeof used === "string" ? used.trim() : JSON.stringify(used));
  };
  return [...search].filter(([name, value]) => value !== "" && !isApplied(name, value));
}
