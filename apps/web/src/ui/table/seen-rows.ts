import { useState } from "react";

/**
 * A selection reaches over the pages of a list; this finds its rows, also those of pages that were left.
 * @returns the rows of the keys, as they were when they were last shown
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
