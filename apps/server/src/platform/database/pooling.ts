/**
 * Detects a pooler between this node and Postgres that gives every transaction another server connection.
 * LISTEN, advisory locks, session settings and named statements need one permanent connection.
 */
import pg from "pg";
import { describeDatabase } from "./database-address.ts";

const rounds = 3;
const limits = { connectionTimeoutMillis: 5_000, query_timeout: 5_000 };

/**
 * Rejects with an Error that explains what to change when `url` points to transaction or statement pooling.
 */
export async function refuseTransactionPooling(url: string): Promise<void> {
  const first = clientOf(url);
  const second = clientOf(url);
  try {
    await first.connect();
    await second.connect();
    for (let round = 0; round < rounds; round += 1)
      if (await isShared(first, second)) throw new Error(explanation(url));
  } finally {
    await Promise.all([first, second].map((client) => client.end().catch(() => undefined)));
  }
}

function clientOf(url: string): pg.Client {
  const client = new pg.Client({ connectionString: url, ...limits });
  // A connection that breaks rejects its current statement.
  client.on("error", () => undefined);
  return client;
}

/**
 * Checks whether the first client's server connection goes to the second client while the first is idle. Busy
 * poolers may hand out another one; the repetition detects that.
 */
async function isShared(first: pg.Client, second: pg.Client): Promise<boolean> {
  const before = await serverOf(first);
  try {
    await second.query("BEGIN");
  } catch (error) {
    if (error instanceof Error && error.message.includes("statement pooling")) return true;
    throw error;
  }
  try {
    // Runs before the first client's next query: a pool of one connection would keep that query waiting.
    return (await serverOf(second)) === before || (await serverOf(first)) !== before;
  } finally {
    await second.query("COMMIT");
  }
}

async function serverOf(client: pg.Client): Promise<number | undefined> {
  const { rows } = await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
  return rows[0]?.pid;
}

function explanation(url: string): string {
  return (
    `DATABASE_URL leads to a connection pooler in transaction or statement mode at ${describeDatabase(url)}. ` +
    "Changes of channels, keys and prices would not reach this node (LISTEN), and locks would be lost. " +
    "Set DATABASE_DIRECT_URL to the address of Postgres itself, or pool_mode = session for this database in pgbouncer " +
    '("Session" in hosted poolers).'
  );
}
