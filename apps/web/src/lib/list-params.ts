/** State of a list (filters, order, page) kept in the address bar, parsed by the schema the server uses. */
import { useCallback, useMemo } from "react";
import { useSearchParams } from "react-router-dom";
import type { z } from "zod";

/**
 * @returns the parsed state, and a setter. Changing anything but `page` or `size` goes back to page 1; values
 * equal to the schema's defaults are left out of the address.
 */
export function useListParams<T extends z.ZodObject>(
  schema: T,
): [z.output<T>, (patch: Partial<z.output<T>>) => void] {
  const [search, setSearch] = useSearchParams();
  const defaults = useMemo(() => schema.parse({}), [schema]);
  const params = useMemo(() => {
    const parsed = schema.safeParse(Object.fromEntries(search));
    return parsed.success ? parsed.data : defaults;
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
      setSearch(next, { replace: true });
    },
    [setSearch, defaults],
  );
  return [params, setParams];
}
