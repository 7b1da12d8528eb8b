import { useState } from "react";

/**
 * Finds the rows of a selection, which may span several pages of a list.
 * @returns the rows of the keys, as they were last displayed
 */
export function useSeenRows<Row extends { id: number }>(
  rows: readonly Row[] | undefined,
): (keys: readonly string[]) => Row[] {
  const [shown, setShown] = useState<readonly Row[]>();
  const [seen, setSeen] = useState<ReadonlyMap<string, Row>>(new Map());
  if (rows !== shown) {
    setShown(rows);
    setSeen(new Map([...seen, ...(rows ?? []).map((row): [string, Row] => [String(row.id), row])]));
  }
  return (keys) => keys.flatMap((key) => seen.get(key) ?? []);
}
