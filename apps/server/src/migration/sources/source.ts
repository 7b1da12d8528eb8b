/** A database of another gateway, as an import reads it: read-only, in one snapshot, row by row. */
export interface Source {
  /** Where it is, without a password. */
  origin: string;
  /** Names of columns by table. */
  columns: ReadonlyMap<string, ReadonlySet<string>>;
  /** Whole numbers come as bigint or text, everything else as the driver gives it: `row.ts` reads both. */
  rows(query: SourceQuery): AsyncIterable<SourceRow>;
  count(table: string): Promise<number>;
  close(): Promise<void>;
}

export type SourceRow = Readonly<Record<string, unknown>>;

export interface RowQuery {
  table: string;
  /** A column of the table. */
  orderBy?: string;
  descending?: boolean;
  /** Rows whose column is at least this number, or this instant as ISO text. */
  atLeast?: { column: string; value: number | string };
  equals?: { column: string; value: number };
  limit?: number;
  /** Columns that are not read, because they can be very long. */
  except?: readonly string[];
}

/**
 * A source that answers for tables and columns that it does not have: databases of an older version lack some, and logs can be in
 * a database of their own. Nothing is equal to, or at least, a value in a column that is not there.
 */
export function tolerateMissingColumns(source: Source): Source {
  return {
    ...source,
    async *rows(query) {
      const columns = source.columns.get(query.table);
      if (columns === undefined) return;
      const { orderBy, atLeast, equals, except } = query;
      for (const condition of [atLeast, equals])
        if (condition !== undefined && !columns.has(condition.column)) return;
      const { orderBy: _order, except: _except, ...rest } = query;
      yield* source.rows({
        ...rest,
        ...(orderBy !== undefined && columns.has(orderBy) ? { orderBy } : {}),
        ...(except === undefined ? {} : { only: [...columns].filter((column) => !except.includes(column)) }),
      });
    },
  };
}

/** A source without tables, for an import from a file alone. */
export function emptySource(origin: string): Source {
  return tolerateMissingColumns({
    origin,
    columns: new Map(),
    async *rows() {},
    count: async () => 0,
    close: async () => {},
  });
}

/** As a database runs it. `only`: the columns that are read; undefined reads all of them. */
export type SourceQuery = RowQuery & { only?: readonly string[] };

/** The statement of a query. Names come from the source's own schema or from this program; values are parameters. */
export function statementOf(
  query: SourceQuery,
  quote: (name: string) => string,
  mark: (place: number) => string,
) {
  const values: (number | string)[] = [];
  const conditions: string[] = [];
  const compare = (column: string, operator: string, value: number | string) => {
    values.push(value);
    conditions.push(`${quote(column)} ${operator} ${mark(values.length)}`);
  };
  if (query.atLeast !== undefined) compare(query.atLeast.column, ">=", query.atLeast.value);
  if (query.equals !== undefined) compare(query.equals.column, "=", query.equals.value);
  const text = [
    `SELECT ${query.only?.map(quote).join(", ") ?? "*"} FROM ${quote(query.table)}`,
    conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`,
    query.orderBy === undefined
      ? ""
      : `ORDER BY ${quote(query.orderBy)} ${query.descending === true ? "DESC" : "ASC"}`,
    query.limit === undefined ? "" : `LIMIT ${Math.trunc(query.limit)}`,
  ]
    .filter((part) => part !== "")
    .join(" ");
  return { text, values };
}
