import pg from "pg";

const LOOK_MS = 50;

/** What was seen while a load ran. */
export interface LockWaits {
  /** Percent of the looks at which some statement waited for a lock of another one. */
  share: number;
  /** Number of waiting statements by what they waited for: a row of a table, or another lock. */
  of: Record<string, number>;
}

/** A statement that waits for a row has a lock on the row's place in its table. */
const statement = `
SELECT COALESCE((SELECT 'a row of ' || l.relation::regclass FROM pg_locks l
    WHERE l.pid = a.pid AND l.locktype = 'tuple' LIMIT 1), a.wait_event || ' in: ' ||
    substring(a.query FROM '(?:INTO|UPDATE|FROM) [a-z_]+')) AS what
FROM pg_stat_activity a WHERE a.wait_event_type = 'Lock'`;

/** Watches the database until the returned function is called: for a row that two nodes charge, for example. */
export async function watchLockWaits(databaseUrl: string): Promise<() => Promise<LockWaits>> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  let looks = 0;
  let waits = 0;
  const of: Record<string, number> = {};
  const state = { isOver: false };
  const watching = (async () => {
    while (!state.isOver) {
      const { rows } = await client.query<{ what: string | null }>({ name: "lock-waits", text: statement });
      looks += 1;
      if (rows.length > 0) waits += 1;
      for (const { what } of rows) of[what ?? "another lock"] = (of[what ?? "another lock"] ?? 0) + 1;
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
    await client.end();
  })();
  return async () => {
    state.isOver = true;
    await watching;
    return { share: (waits * 100) / Math.max(1, looks), of };
  };
}
