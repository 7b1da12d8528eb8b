import type { Prisma } from "#platform/prisma/client.ts";
import type { Db } from "./db.ts";

const longestMs = 60_000;

/** Runs `work` in the given transaction, or in a new one. */
export function inTransaction<T>(db: Db, work: (tx: Prisma.TransactionClient) => Promise<T>): Promise<T> {
  return "$transaction" in db ? db.$transaction(work, { timeout: longestMs }) : work(db);
}
