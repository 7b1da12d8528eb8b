import type { ReadContext } from "#migration/products/product.ts";
import type { BatchStatement } from "#platform/database/batch-statement.ts";
import type { Db } from "#platform/database/db.ts";
import type { Secrets } from "#platform/secrets.ts";
import type { GroupMap } from "./groups.ts";
import { nameRejectedRows } from "./rejected-rows.ts";

/** What the writers share: the one transaction of the import, and what was learned on the way. */
export interface WriteContext {
  tx: Db;
  /** Runs a statement with a batch of rows on the connection of `tx`. */
  run: BatchStatement;
  secrets: Secrets;
  book: ReadContext["book"];
  groups: GroupMap;
  now: Date;
  progress(kind: string, rows: number): void;
}

const batchSize = 2_000;

/**
 * Hands over what is read in batches, so that a table of any size takes the same memory. While a batch is written, the next one
 * is read.
 */
export async function inBatches<T>(
  { progress }: Pick<WriteContext, "progress">,
  kind: string,
  records: AsyncIterable<T>,
  write: (batch: T[]) => Promise<void>,
): Promise<void> {
  let batch: T[] = [];
  let written = 0;
  let writing = Promise.resolve();
  const flush = async () => {
    await writing;
    const full = batch;
    batch = [];
    if (full.length === 0) return;
    writing = nameRejectedRows(kind, write(full)).then(() => {
      written += full.length;
      progress(kind, written);
    });
    // Whoever waits for it next gets its error.
    writing.catch(() => undefined);
  };
  try {
    for await (const record of records) {
      batch.push(record);
      if (batch.length === batchSize) await flush();
    }
    await flush();
  } finally {
    // The transaction has one connection: nothing else may use it before.
    await writing;
  }
}

/** Which of these ids a table has. */
export async function findExistingIds(
  tx: Db,
  table: "users" | "tokens" | "channels" | "payments",
  ids: readonly number[],
): Promise<Set<number>> {
  const rows = await tx.$queryRawUnsafe<{ id: number }[]>(
    `SELECT id FROM ${table} WHERE id = ANY($1::int[])`,
    [...new Set(ids)],
  );
  return new Set(rows.map((row) => row.id));
}
