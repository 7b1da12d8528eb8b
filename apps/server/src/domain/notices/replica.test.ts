import { afterAll, beforeAll, expect, test } from "vitest";
import type { Database } from "#platform/database/db.ts";
import { openTestDatabase } from "#test/database.ts";
import { createReplicaNotices } from "./replica.ts";

let database: Database;
const rethrow = (error: unknown) => {
  throw error;
};

beforeAll(async () => {
  database = await openTestDatabase({ max: 2 });
});
afterAll(() => database.close());

const raised = () => database.db.notice.findMany({ where: { event: "replica-unused" } });

test("a replica that is not used for long is reported once, with the reason", async () => {
  const notices = createReplicaNotices(database.db, rethrow, { lastingMs: 0 });
  for (let check = 0; check < 3; check += 1) notices.note("replica_lagging");
  await expect.poll(raised).toHaveLength(1);
  const [notice] = await raised();
  expect(JSON.stringify(notice?.reason_facts)).toContain("replicaLagging");
  expect(notice?.repeats).toBe(0);
});

test("a replica that is used again in time is not reported", async () => {
  await database.db.notice.deleteMany();
  const notices = createReplicaNotices(database.db, rethrow);
  notices.note("replica_unreachable");
  notices.note(undefined);
  notices.note("replica_unreachable");
  await database.pool.query("SELECT 1");
  expect(await raised()).toEqual([]);
});
