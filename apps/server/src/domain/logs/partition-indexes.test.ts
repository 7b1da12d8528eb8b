import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { seedPrices } from "#domain/pricing/seed-prices.ts";
import type { Database } from "#platform/database/db.ts";
import { openTestDatabase } from "#test/database.ts";
import { completeIndexes } from "./partition-indexes.ts";
import { ensurePartitions } from "./partitions.ts";

let database: Database;

beforeAll(async () => {
  database = await openTestDatabase({ max: 4 });
  await ensurePartitions(database.pool, 1, { now: new Date("2026-03-01T00:00:00Z") });
  await completeIndexes(database.pool);
});
afterAll(async () => {
  await database.close();
});

const query = (text: string) => database.pool.query(text);

const grantedLocks = `SELECT FROM pg_locks l JOIN pg_database d ON d.oid = l.database
  WHERE l.locktype = 'advisory' AND l.granted AND d.datname = current_database()`;

async function isValid(name: string): Promise<boolean | undefined> {
  const { rows } = await database.pool.query(
    "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass($1)",
    [name],
  );
  return rows[0]?.indisvalid;
}

describe("index that a migration created on the table only", () => {
  it("is built for every day during writes, and becomes valid", async () => {
    await query("CREATE INDEX request_logs_status_idx ON ONLY request_logs (status, created_at DESC)");
    expect(await isValid("request_logs_status_idx")).toBe(false);
    const writer = await database.pool.connect();
    await writer.query("BEGIN");
    await writer.query(
      "INSERT INTO request_logs (created_at, request_id, type, user_id) VALUES ('2026-03-01T10:00Z', 'a', 2, 1)",
    );
    const building = completeIndexes(database.pool);
    // The build waits for an earlier writer and does not block later ones.
    await query(
      "INSERT INTO request_logs (created_at, request_id, type, user_id) VALUES ('2026-03-02T10:00Z', 'b', 2, 1)",
    );
    await writer.query("COMMIT");
    writer.release();
    expect(await building).toEqual([
      "request_logs_default_status_idx",
      "request_logs_20260302_status_idx",
      "request_logs_20260301_status_idx",
    ]);
    expect(await isValid("request_logs_status_idx")).toBe(true);
    expect(await completeIndexes(database.pool)).toEqual([]);
  });

  it("resumes an interrupted build, and skips days that were added meanwhile", async () => {
    await query("CREATE INDEX request_logs_endpoint_idx ON ONLY request_logs (endpoint) WHERE type <> 2");
    await ensurePartitions(database.pool, 0, { now: new Date("2026-03-03T00:00:00Z") });
    await query(
      "CREATE INDEX request_logs_20260301_endpoint_idx ON request_logs_20260301 (endpoint) WHERE type <> 2",
    );
    await query("CREATE INDEX request_logs_20260302_endpoint_idx ON request_logs_20260302 (status)");
    await query(
      "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'request_logs_20260302_endpoint_idx'::regclass",
    );
    expect(await completeIndexes(database.pool)).toEqual([
      "request_logs_default_endpoint_idx",
      "request_logs_20260302_endpoint_idx",
      "request_logs_20260301_endpoint_idx",
    ]);
    expect(await isValid("request_logs_endpoint_idx")).toBe(true);
    const { rows } = await query(
      "SELECT indexdef FROM pg_indexes WHERE indexname = 'request_logs_20260302_endpoint_idx'",
    );
    expect(rows[0]?.indexdef).toContain("(endpoint) WHERE (type <> 2)");
  });

  it("does not block a node that starts during the build", async () => {
    await query('CREATE INDEX request_logs_group_idx ON ONLY request_logs ("group")');
    const writer = await database.pool.connect();
    await writer.query("BEGIN");
    await writer.query(
      "INSERT INTO request_logs (created_at, request_id, type, user_id) VALUES ('2026-03-01T11:00Z', 'c', 2, 1)",
    );
    const building = completeIndexes(database.pool);
    await expect.poll(async () => (await query(grantedLocks)).rowCount).toBe(1);
    expect(await seedPrices(database.db)).toBeGreaterThan(0);
    await writer.query("COMMIT");
    writer.release();
    expect(await building).toContain("request_logs_20260301_group_idx");
  });

  it("serves searches until the index that replaces it is valid", async () => {
    const isThere = async (name: string) => (await isValid(name)) !== undefined;
    expect(await isThere("request_logs_id_range_idx")).toBe(true);
    expect(await isThere("request_logs_id_idx")).toBe(false);
    await query("DROP INDEX request_logs_id_range_idx");
    await query("CREATE INDEX request_logs_id_idx ON request_logs (id)");
    await query("CREATE INDEX request_logs_id_range_idx ON ONLY request_logs USING brin (id)");
    const reader = await database.pool.connect();
    await reader.query("BEGIN");
    await reader.query("SELECT FROM request_logs LIMIT 1");
    // The build does not wait for a reader between two statements; dropping an index would, and gives up.
    expect(await completeIndexes(database.pool)).toContain("request_logs_default_id_range_idx");
    expect(await isValid("request_logs_id_range_idx")).toBe(true);
    expect(await isThere("request_logs_id_idx")).toBe(true);
    await reader.query("COMMIT");
    reader.release();
    expect(await completeIndexes(database.pool)).toEqual([]);
    expect(await isThere("request_logs_id_idx")).toBe(false);
  });

  it("is built by one node at a time", async () => {
    await query("CREATE INDEX request_logs_outcome_idx ON ONLY request_logs (outcome)");
    const [one, other] = await Promise.all([completeIndexes(database.pool), completeIndexes(database.pool)]);
    expect([one.length, other.length].toSorted((a, b) => a - b)).toEqual([0, 4]);
  });
});
