import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Database } from "#platform/database/db.ts";
import { openSecrets } from "#platform/secrets.ts";
import { openTestDatabase } from "#test/database.ts";
import { type CallBodies, createBodyLog } from "./bodies.ts";

let database: Database;
const secrets = openSecrets("a secret that only this test run knows");

beforeAll(async () => {
  database = await openTestDatabase({ max: 2 });
});
afterAll(async () => {
  await database.close();
});

const bodies = (): CallBodies => ({
  requestId: randomUUID(),
  createdAt: new Date(),
  userId: 1,
  byToken: false,
  request: "a\0b",
  requestBytes: 3,
  response: "c",
  responseBytes: 1,
});

function openLog() {
  let dropped = 0;
  const log = createBodyLog({
    pool: database.pool,
    secrets,
    onError: (error) => expect.unreachable(String(error)),
    onDropped: () => {
      dropped += 1;
    },
  });
  return { log, dropped: () => dropped };
}

describe("body log", () => {
  it("drops and counts bodies when the database is too slow, and writes the rest", async () => {
    const { log, dropped } = openLog();
    for (let index = 0; index < 500; index += 1) log.keep(bodies());
    await log.close();
    const { rows } = await database.pool.query<{ kept: bigint }>(
      "SELECT count(*) AS kept FROM request_bodies",
    );
    expect(Number(rows[0]?.kept) + dropped()).toBe(500);
    expect(dropped()).toBeGreaterThan(0);
  });

  it("drops what an account stores beyond its share of a day, and keeps what still fits", async () => {
    const { log, dropped } = openLog();
    const own = { ...bodies(), userId: 2, byToken: true };
    log.keep({ ...own, response: "c".repeat(256 * 1024 * 1024) });
    log.keep(own);
    await log.close();
    expect(dropped()).toBe(1);
    const { rows } = await database.pool.query("SELECT request_id FROM request_bodies WHERE user_id = 2");
    expect(rows).toEqual([{ request_id: own.requestId }]);
  });
});
