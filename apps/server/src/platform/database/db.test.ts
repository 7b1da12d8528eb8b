import { expect, it } from "vitest";
import { freshDatabase } from "#test/database.ts";
import { connect } from "./db.ts";

it(
  "a transaction that waits for six seconds is completed",
  { tags: "nightly", timeout: 60_000 },
  async () => {
    const place = await freshDatabase();
    const database = connect(place.url, { max: 1 });
    try {
      const answer = database.db.$transaction((tx) => tx.$queryRaw`SELECT 1 AS done FROM pg_sleep(6)`);
      await expect(answer).resolves.toEqual([{ done: 1 }]);
    } finally {
      await database.close();
      await place.drop();
    }
  },
);

it("a connection that breaks between two statements of its user fails the next one, and is replaced", async () => {
  const place = await freshDatabase();
  const database = connect(place.url, { max: 2 });
  try {
    const client = await database.pool.connect();
    const { rows } = await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
    const closed = new Promise((resolve) => void client.once("end", resolve));
    await database.pool.query("SELECT pg_terminate_backend($1)", [rows[0]?.pid]);
    await closed;
    await expect(client.query("SELECT 1")).rejects.toThrow();
    client.release();
    await expect(database.pool.query("SELECT 1 AS one")).resolves.toMatchObject({ rows: [{ one: 1 }] });
  } finally {
    await database.close();
    await place.drop();
  }
});
