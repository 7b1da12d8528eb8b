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
