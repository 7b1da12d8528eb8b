import pg from "pg";

const LOOK_MS = 50;

/**
 * Watches the database until the returned function is called. It returns the share of looks, in percent, at which
 * some statement waited for a lock of another one: for a row that two nodes charge, for example.
 */
export async function watchLockWaits(databaseUrl: string): Promise<() => Promise<number>> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  let looks = 0;
  let waits = 0;
  const state = { isOver: false };
  const watching = (async () => {
    while (!state.isOver) {
      const { rows } = await client.query<{ waiting: boolean }>({
        name: "lock-waits",
        text: "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock') AS waiting",
      });
      looks += 1;
      if (rows[0]?.waiting === true) waits += 1;
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
    await client.end();
  })();
  return async () => {
    state.isOver = true;
    await watching;
    return (waits * 100) / Math.max(1, looks);
  };
}
