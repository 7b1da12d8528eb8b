import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Database } from "#platform/database/db.ts";
import { openTestDatabase } from "#test/database.ts";
import { dropPartitions, dropPartitionsBeyond, ensurePartitions, listPartitions } from "./partitions.ts";

let database: Database;

beforeAll(async () => {
  database = await openTestDatabase({ max: 4 });
});

afterAll(async () => {
  await database.close();
});

async function log(requestId: string, at: string): Promise<void> {
  await database.pool.query(
    "INSERT INTO request_logs (created_at, request_id, type, user_id) VALUES ($1, $2, 2, 1)",
    [at, requestId],
  );
}

async function homeOf(requestId: string): Promise<string | undefined> {
  const { rows } = await database.pool.query<{ name: string }>(
    "SELECT tableoid::regclass::text AS name FROM request_logs WHERE request_id = $1",
    [requestId],
  );
  return rows[0]?.name;
}

async function days(): Promise<string[]> {
  const all = await listPartitions(database.pool);
  return all.filter((partition) => partition.table === "request_logs").map((partition) => partition.day);
}

describe("request log", () => {
  it("gets a partition per day, and earlier rows of that day move into it", async () => {
    await log("early", "2026-03-02T12:00:00Z");
    expect(await homeOf("early")).toBe("request_logs_default");
    const now = new Date("2026-03-01T23:59:59Z");
    await Promise.all([
      ensurePartitions(database.pool, 2, { now }),
      ensurePartitions(database.pool, 2, { now }),
    ]);
    expect(await days()).toEqual(["2026-03-01", "2026-03-02", "2026-03-03"]);
    expect(await homeOf("early")).toBe("request_logs_20260302");
    await log("first", "2026-03-02T00:00:00Z");
    await log("last", "2026-03-02T23:59:59.999Z");
    expect(await homeOf("first")).toBe("request_logs_20260302");
    expect(await homeOf("last")).toBe("request_logs_20260302");
    const { rows } = await database.pool.query("SELECT count(DISTINCT id)::int AS ids FROM request_logs");
    expect(rows).toEqual([{ ids: 3 }]);
  });

  it("has the parent's indexes on every partition", async () => {
    const { rows } = await database.pool.query(
      `SELECT tablename, count(*)::int AS indexes FROM pg_indexes
       WHERE tablename IN ('request_logs', 'request_logs_20260302') GROUP BY 1 ORDER BY 1`,
    );
    expect(rows[0]!.indexes).toBe(rows[1]!.indexes);
  });

  it("drops expired days, including rows in the default partition", async () => {
    await log("ancient", "2025-01-01T00:00:00Z");
    const dropped = await dropPartitions(database.pool, 1, { now: new Date("2026-03-03T12:00:00Z") });
    expect(new Set(dropped.map((partition) => partition.day))).toEqual(new Set(["2026-03-01"]));
    expect(await days()).toEqual(["2026-03-02", "2026-03-03"]);
    expect(await homeOf("ancient")).toBeUndefined();
    expect(await homeOf("early")).toBeDefined();
  });

  it("drops the oldest days when it is too large, but never today", async () => {
    await dropPartitionsBeyond(database.pool, 0, new Date("2026-03-03T12:00:00Z"));
    expect(await days()).toEqual(["2026-03-03"]);
  });
});
