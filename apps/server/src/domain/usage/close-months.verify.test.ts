import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { openTestDatabase } from "#test/database.ts";
import { closeMonths } from "./close-months.ts";

/** Prisma ends a transaction after five seconds, unless it is given another limit. */
it("closing a month waits as long as a large month takes", async () => {
  const { db, pool, close } = await openTestDatabase({ max: 4 });
  const user = await db.user.create({ data: { username: "user", aff_code: "user" } });
  await pool.query(
    `INSERT INTO usage_hours (hour, user_id, token_id, channel_id, model, "group", request_count, failed_count,
       quota, prompt_tokens, completion_tokens, cached_tokens, request_time, first_byte_time)
     VALUES ('2025-03-10T00:00:00Z', $1, 1, 1, 'a', 'default', 1, 0, 3, 100, 20, 30, 500, 50)`,
    [user.id],
  );
  const slow = await pool.connect();
  await slow.query("BEGIN");
  await slow.query("LOCK TABLE statements");
  const closing = closeMonths(db, new Date("2025-04-05T00:00:00Z")).catch((error: unknown) => error);
  await sleep(5_500);
  await slow.query("COMMIT");
  slow.release();
  expect(await closing).toEqual(["2025-03-01"]);
  await close();
});
