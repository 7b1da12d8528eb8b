import { setTimeout as sleep } from "node:timers/promises";
import type { PoolClient } from "pg";
import type { Database } from "#platform/database/db.ts";

/**
 * Runs a request while a transaction of another connection is open. `lock` takes a row that the request needs;
 * as soon as the request waits for it, `change` runs and the transaction is committed. Returns the answer.
 */
export async function during<T>(
  database: Database,
  lock: readonly [text: string, ...values: unknown[]],
  change: (client: PoolClient) => Promise<unknown>,
  request: () => Promise<T>,
): Promise<T> {
  const client = await database.pool.connect();
  try {
    const [text, ...values] = lock;
    await client.query("BEGIN");
    await client.query(text, values);
    const state = { answered: false };
    const answer = request().finally(() => (state.answered = true));
    while (!state.answered && !(await someoneWaits(database))) await sleep(5);
    await change(client);
    await client.query("COMMIT");
    return await answer;
  } finally {
    client.release();
  }
}

async function someoneWaits({ pool }: Database): Promise<boolean> {
  const waiting =
    "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()";
  return (await pool.query(waiting)).rowCount !== 0;
}
