import { LogFacetsQuery, LogQuery } from "@gateway/shared/usage/log";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Database } from "#platform/database/db.ts";
import { openTestDatabase } from "#test/database.ts";
import { logFacets } from "./facets.ts";
import { searchLogs } from "./search.ts";
import { totalLogs } from "./totals.ts";

let database: Database;

beforeAll(async () => {
  database = await openTestDatabase({ max: 4 });
});
afterAll(async () => {
  await database.close();
});

const everybody = { of: "everybody" } as const;
const owner = (userId: number) => ({ of: "owner", userId }) as const;
const ask = (query: Partial<LogFacetsQuery> = {}) => LogFacetsQuery.parse(query);
const attempts = (...results: string[]) =>
  JSON.stringify([
    ...results.map((result) => ({
      channel_id: 1,
      channel_name: "",
      result,
      status: 0,
      duration: 1,
      message: "",
    })),
    {
      channel_id: 9,
      channel_name: "",
      reason: "server",
      paused_until: 1,
      provider_asked: false,
      own_calls_only: false,
    },
  ]);

let nextUser = 1_000;
async function write(userId: number, rows: Record<string, unknown>[]): Promise<void> {
  for (const [at, values] of rows.entries()) {
    const row = {
      created_at: new Date(Date.now() - at * 1_000),
      request_id: `${userId}-${at}`,
      type: 2,
      outcome: "complete",
      user_id: userId,
      username: `u${userId}`,
      model_name: "a",
      attempts: attempts("ok"),
      ...values,
    };
    const names = Object.keys(row);
    await database.pool.query(
      `INSERT INTO request_logs (${names.map((name) => `"${name}"`).join(", ")})
       VALUES (${names.map((_, n) => `$${n + 1}`).join(", ")})`,
      Object.values(row),
    );
  }
}

const failed = { type: 5, outcome: "failed" };

describe("log facets", () => {
  it("count outcomes, errors, models and channels, and retried, slow and expensive calls", async () => {
    const user = nextUser++;
    const { id } = await database.db.channel.create({ data: { type: 1, name: "West" } });
    await write(user, [
      { quota: 10, channel_id: id, token_name: "t" },
      { quota: 900, channel_id: id, request_time: 12_000 },
      { quota: 20, model_name: "b", attempts: attempts("server", "ok") },
      { ...failed, error_code: "no_channel", attempts: attempts("server", "timeout") },
      { ...failed, error_code: "insufficient_quota", attempts: "[]" },
      { type: 1, quota: 1_000_000 },
    ]);
    const facets = await logFacets(database.pool, { of: "everybody" }, ask({ username: "" }));
    expect(facets).toMatchObject({
      counted: 5,
      complete: true,
      outcome: [
        { value: "complete", count: 3 },
        { value: "failed", count: 2 },
      ],
      model_name: [
        { value: "a", count: 4 },
        { value: "b", count: 1 },
      ],
      token_name: [{ value: "t", count: 1 }],
      username: [{ value: `u${user}`, count: 5 }],
      channel_id: [{ value: String(id), name: "West", count: 2 }],
      retried: 2,
      slow: { min_time: 10_000, count: 1 },
      expensive: { min_quota: 900, count: 1 },
    });
    expect(facets.error_code.map(({ value }) => value).toSorted()).toEqual([
      "insufficient_quota",
      "no_channel",
    ]);
    expect(facets.histogram.bars.reduce((sum, bar) => sum + bar.count, 0)).toBe(5);
    expect(facets.histogram.bars.reduce((sum, bar) => sum + bar.failed, 0)).toBe(2);

    // A selected value narrows all lists except its own.
    const narrowed = await logFacets(database.pool, everybody, ask({ outcome: "complete", min_quota: 20 }));
    expect(narrowed.outcome).toEqual([{ value: "complete", count: 2 }]);
    expect(narrowed.error_code).toEqual([]);
    expect(narrowed).toMatchObject({
      retried: 1,
      slow: { count: 1 },
      expensive: { min_quota: 20, count: 2 },
    });
    const other = await logFacets(database.pool, everybody, ask({ error_code: "no_channel" }));
    expect(other.error_code).toHaveLength(2);
    expect(other.outcome).toEqual([{ value: "failed", count: 1 }]);
  });

  it("hide channels, users and retries from owners", async () => {
    const user = nextUser++;
    await write(user, [{ channel_id: 4 }, { attempts: attempts("server", "ok") }]);
    const facets = await logFacets(database.pool, owner(user), ask({ retried: 1 }));
    expect(facets).toMatchObject({ counted: 2, retried: 0, channel_id: [], username: [] });
    expect((await searchLogs(database.pool, owner(user), ask({ retried: 1 }))).data).toHaveLength(2);
  });

  it("have bars of a minute for the last hour, also when the request arrives late", async () => {
    const now = Math.floor(Date.now() / 1_000);
    for (const late of [0, 20, 59]) {
      const hour = ask({ start_timestamp: now - 3_600 - late });
      expect((await logFacets(database.pool, owner(nextUser++), hour)).histogram.span).toBe(60);
    }
  });

  it("are empty for a filter without calls", async () => {
    const facets = await logFacets(
      database.pool,
      owner(nextUser++),
      ask({ start_timestamp: 1, end_timestamp: 2 }),
    );
    expect(facets).toMatchObject({
      counted: 0,
      complete: true,
      since: 0,
      outcome: [],
      expensive: { count: 0 },
    });
    expect(facets.histogram.bars).toEqual([]);
  });
});

describe("conditions without an index", () => {
  it("find and sum the matching calls", async () => {
    const user = nextUser++;
    await write(user, [
      { quota: 10 },
      { quota: 500, request_time: 30_000 },
      { quota: 5, attempts: attempts("server", "ok"), outcome: "client-left" },
      { ...failed, error_code: "no_channel", attempts: "[]" },
      { type: 1, quota: 900_000, outcome: "" },
    ]);
    const found = async (query: Partial<LogQuery>) =>
      (await searchLogs(database.pool, everybody, LogQuery.parse({ username: "", ...query }))).data
        .filter((row) => row.user_id === user)
        .map((row) => row.request_id.split("-")[1])
        .join(" ");
    expect(await found({ outcome: "failed" })).toBe("3");
    expect(await found({ outcome: "client-left" })).toBe("2");
    expect(await found({ error_code: "no_channel" })).toBe("3");
    expect(await found({ retried: 1 })).toBe("2");
    expect(await found({ min_time: 30_000 })).toBe("1");
    expect(await found({ min_quota: 500 })).toBe("1");
    expect(await found({ min_quota: 5, order: "-quota" })).toBe("1 0 2");
    expect(await found({ min_quota: Number.MAX_SAFE_INTEGER, min_time: Number.MAX_SAFE_INTEGER })).toBe("");
    const totals = await totalLogs(database.pool, owner(user), LogQuery.parse({ min_quota: 10 }));
    expect(totals).toMatchObject({ count: 2, quota: 510, complete: true });
    const none = await totalLogs(database.pool, owner(user), LogQuery.parse({ outcome: "failed" }));
    expect(none).toMatchObject({ count: 1, quota: 0, complete: true });
  });

  it("test 10,000 rows per request and continue from there, so that no row is missed", async () => {
    const user = nextUser++;
    await database.pool.query(
      `INSERT INTO request_logs (created_at, request_id, type, user_id, outcome, request_time)
       SELECT now() - n * interval '1 second', 'n' || n, 2, $1, 'complete', CASE WHEN n IN (2, 15000) THEN 99000 ELSE 1 END
         FROM generate_series(1, 20005) n`,
      [user],
    );
    const query = LogQuery.parse({ min_time: 99_000, size: 10 });
    const first = await searchLogs(database.pool, owner(user), query);
    expect(first.data.map((row) => row.request_id)).toEqual(["n2"]);
    expect(first.searched_until).toBeLessThan(Date.now() / 1_000 - 9_990);
    const second = await searchLogs(database.pool, owner(user), { ...query, cursor: first.next ?? "" });
    expect(second.data.map((row) => row.request_id)).toEqual(["n15000"]);
    const third = await searchLogs(database.pool, owner(user), { ...query, cursor: second.next ?? "" });
    expect(third).toEqual({ data: [], next: null });
    expect(await totalLogs(database.pool, owner(user), query)).toMatchObject({ count: 1, complete: false });
    const facets = await logFacets(database.pool, owner(user), ask({}));
    expect(facets).toMatchObject({ counted: 10_000, complete: false, slow: { count: 1 } });
  });

  it("fill a page before they continue, and end with the log", async () => {
    const user = nextUser++;
    await write(
      user,
      Array.from({ length: 5 }, () => ({ request_time: 50 })),
    );
    const query = LogQuery.parse({ min_time: 50, size: 2 });
    const first = await searchLogs(database.pool, owner(user), query);
    expect(first.data).toHaveLength(2);
    expect(first.searched_until).toBeUndefined();
    const last = await searchLogs(database.pool, owner(user), {
      ...query,
      size: 10,
      cursor: first.next ?? "",
    });
    expect(last.data).toHaveLength(3);
    expect(last.next).toBeNull();
  });
});
