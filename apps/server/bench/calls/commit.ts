import pg from "pg";

const COMMITS = 300;

/** Measures one small UPDATE with its commit, in milliseconds: the minimum latency of any durable call. */
export async function measureCommit(databaseUrl: string): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query("CREATE TABLE bench_commit (id int PRIMARY KEY, value int NOT NULL)");
    await client.query("INSERT INTO bench_commit VALUES (1, 0)");
    const took: number[] = [];
    for (let count = 0; count < COMMITS; count += 1) {
      const begun = performance.now();
      await client.query({ name: "commit", text: "UPDATE bench_commit SET value = value + 1 WHERE id = 1" });
      took.push(performance.now() - begun);
    }
    await client.query("DROP TABLE bench_commit");
    return took.toSorted((one, other) => one - other)[COMMITS / 2] ?? 0;
  } finally {
    await client.end();
  }
}
