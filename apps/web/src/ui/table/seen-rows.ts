import { useMemo, useState } from "react";

/** The server's largest page. */
const pageSize = 100;

type PageOf<Row> = { data: readonly Row[]; total_count: number };

type SeenRows<Row> = {
  /** Returns the rows of the keys, as they were last displayed or loaded. */
  of: (keys: readonly string[]) => Row[];
  /**
   * Loads all rows of a filter, page by page, and returns their keys. They are ordered by id, so that a row that is created
   * meanwhile moves no other row to a page that has been read.
   */
  all: (
    fetchPage: (page: { page: number; size: number; order: string }) => Promise<PageOf<Row>>,
  ) => Promise<string[]>;
};

function withKeys<Row extends { id: number }>(rows: readonly Row[]): [string, Row][] {
  return rows.map((row) => [String(row.id), row]);
}

/** Finds the rows of a selection, which may span several pages of a list. */
export function useSeenRows<Row extends { id: number }>(rows: readonly Row[] | undefined): SeenRows<Row> {
  const [shown, setShown] = useState<readonly Row[]>();
  const [seen, setSeen] = useState<ReadonlyMap<string, Row>>(new Map());
  if (rows !== shown) {
    setShown(rows);
    setSeen(new Map([...seen, ...withKeys(rows ?? [])]));
  }
  return useMemo(
    () => ({
      of: (keys) => keys.flatMap((key) => seen.get(key) ?? []),
      async all(fetchPage) {
        const matches: Row[] = [];
        for (let page = 1; ; page += 1) {
          const { data, total_count } = await fetchPage({ page, size: pageSize, order: "id" });
          matches.push(...data);
          if (data.length < pageSize || matches.length >= total_count) break;
        }
        setSeen((before) => new Map([...before, ...withKeys(matches)]));
        return [...new Set(matches.map((row) => String(row.id)))];
      },
    }),
    [seen],
  );
}
