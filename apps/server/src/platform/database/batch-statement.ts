import type pg from "pg";
import type { Database } from "./db.ts";

/**
 * Runs a statement on a connection without Prisma, which keeps the parameters of raw statements in a cache:
 * megabytes each where they are whole batches of rows.
 */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller knows the columns of its statement
export type BatchStatement = <Row extends pg.QueryResultRow>(
  text: string,
  values: readonly unknown[],
) => Promise<{ rows: Row[]; rowCount: number }>;

/** Statements on the connection of a pool that has only one: inside a transaction of Prisma, on its connection. */
export function batchStatements({ pool }: Pick<Database, "pool">): BatchStatement {
  if (pool.options.max !== 1) throw new Error("The pool must have one connection.");
  let client: pg.PoolClient | undefined;
  pool.on("acquire", (acquired) => {
    client = acquired;
  });
  pool.on("release", () => {
    client = undefined;
  });
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- as in the type
  return async <Row extends pg.QueryResultRow>(text: string, values: readonly unknown[]) => {
    if (client === undefined) throw new Error("No transaction is open.");
    const { rows, rowCount } = await client.query<Row>(text, [...values]);
    return { rows, rowCount: rowCount ?? 0 };
  };
}
