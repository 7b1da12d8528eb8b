import { LogQuery } from "@gateway/shared/usage/log";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Database } from "#platform/database/db.ts";
import { randomText } from "#platform/secrets.ts";
import { openTestDatabase } from "#test/database.ts";
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
const ask = (query: Partial<LogQuery> = {}) => LogQuery.parse(query);

async function makeUser() {
  const username = `user-${randomText(8)}`;
  return database.db.user.create({ data: { username, aff_code: randomText(12) } });
}

async function write(userId: number, values: Record<string, unknown> = {}): Promise<void> {
  const row = { created_at: new Date(), request_id: randomText(12), type: 2, user_id: userId, ...values };
  const names = Object.keys(row);
  await database.pool.query(
    `INSERT INTO request_logs (${names.map((name) => `"${name}"`).join(", ")})
     VALUES (${names.map((_, n) => `$${n + 1}`).join(", ")})`,
    Object.values(row),
  );
}

describe("log pages", () => {
  it("show every row once, even with equal timestamps and new rows", async () => {
    const { id } = await makeUser();
    const instant = new Date("2026-05-04T12:00:00.123Z");
    for (let n = 0; n < 25; n++) await write(id, { created_at: instant, request_id: `r${n}` });
    const seen: string[] = [];
    let cursor = "";
    for (let page = 0; page < 4; page++) {
      const found = await searchLogs(database.pool, owner(id), ask({ cursor, size: 10 }));
      seen.push(...found.data.map((row) => row.request_id));
      await write(id, { request_id: "new" });
      if (found.next === null) break;
      cursor = found.next;
    }
    expect(seen).toEqual(Array.from({ length: 25 }, (_, n) => `r${24 - n}`));
  });

  it("reject an invalid cursor", async () => {
    for (const cursor of ["x", "1.2.3", "zzzzzzzzzz.1", "'; DROP TABLE users"]) {
      await expect(searchLogs(database.pool, everybody, ask({ cursor }))).rejects.toMatchObject({
        code: "invalid_request",
      });
    }
  });
});

describe("log order", () => {
  it("follows the named fields and directions, then newest first, across pages", async () => {
    const { id } = await makeUser();
    for (const [request_id, model_name, source_ip] of [
      ["r1", "b", "10.0.0.2"],
      ["r2", "a", "10.0.0.1"],
      ["r3", "b", "10.0.0.1"],
      ["r4", "a", "10.0.0.1"],
    ])
      await write(id, {
        request_id,
        model_name,
        source_ip,
        channel_id: { r1: 4, r2: 3, r3: 2, r4: 1 }[request_id ?? ""],
        quota: { r1: 30, r2: 10, r3: 40, r4: 20 }[request_id ?? ""],
        created_at: new Date(1_780_000_000_000),
      });
    const sorted = async (order: string, more: Partial<LogQuery> = {}) =>
      (await searchLogs(database.pool, owner(id), ask({ order, page: 1, ...more }))).data
        .map((row) => row.request_id)
        .join(" ");
    expect(await sorted("model_name")).toBe("r4 r2 r3 r1");
    expect(await sorted("-model_name")).toBe("r3 r1 r4 r2");
    expect(await sorted("-source_ip,model_name")).toBe("r1 r4 r2 r3");
    expect(await sorted("model_name", { size: 1, page: 2 })).toBe("r2");
    expect(await sorted("-quota")).toBe("r3 r1 r4 r2");
    // Owners must not learn a call's channel from the order.
    expect(await sorted("channel_id")).toBe("r4 r3 r2 r1");
    expect(await sorted("-channel_id")).toBe("r4 r3 r2 r1");
    const all = await searchLogs(database.pool, everybody, ask({ order: "-channel_id", page: 1 }));
    expect(all.data.map((row) => row.request_id).join(" ")).toMatch(/r1 r2 r3 r4/);
    for (const order of ["created_at", "-created_at", "channel_id", "user_id", "token_name", "type"])
      expect(await sorted(order), order).toHaveLength(11);
  });

  it("rejects unknown fields, and a cursor combined with an order", async () => {
    for (const order of [
      "content",
      "created_at,bill",
      "constructor",
      "created_at desc",
      "model_name;",
      "--type",
    ])
      await expect(searchLogs(database.pool, everybody, ask({ order })), order).rejects.toMatchObject({
        code: "invalid_request",
      });
    const both = ask({ order: "type", cursor: "kf12oi.1" });
    await expect(searchLogs(database.pool, everybody, both)).rejects.toMatchObject({
      code: "invalid_request",
    });
  });

  it("sorts only the newest 10,000 rows of the filter, unless it is by time", async () => {
    const { id } = await makeUser();
    await write(id, { request_id: "oldest", model_name: "a", created_at: new Date("2026-01-01T00:00:00Z") });
    await database.pool.query(
      `INSERT INTO request_logs (created_at, request_id, type, user_id, model_name)
       SELECT now() - n * interval '1 second', 'n' || n, 2, $1, 'm' FROM generate_series(1, 10000) n`,
      [id],
    );
    const first = async (order: string) =>
      (await searchLogs(database.pool, owner(id), ask({ order, page: 1, size: 1 }))).data[0]?.request_id;
    expect(await first("model_name")).toBe("n1");
    expect(await first("created_at")).toBe("oldest");
  });
});

describe("log filters", () => {
  it("match type, time, model, key, request, address, user and channel", async () => {
    const user = await makeUser();
    const channel = await database.db.channel.create({ data: { type: 1, name: "West" } });
    const at = 1_780_000_000;
    await write(user.id, {
      created_at: new Date(at * 1000 + 999),
      type: 5,
      model_name: "m",
      token_name: "t",
      request_id: `needle-${user.id}`,
      source_ip: "198.51.100.4",
      channel_id: channel.id,
      upstream_model: "hidden",
      attempts: JSON.stringify([
        { channel_id: channel.id, channel_name: "West", result: "ok", status: 200, duration: 1, message: "" },
      ]),
    });
    const count = async (query: Partial<LogQuery>) =>
      (await searchLogs(database.pool, everybody, ask({ username: user.username, ...query }))).data.length;
    expect(await count({})).toBe(1);
    expect(await count({ log_type: 5, model_name: "m", token_name: "t", source_ip: "198.51.100.4" })).toBe(1);
    expect(await count({ request_id: `needle-${user.id}`, channel_id: channel.id })).toBe(1);
    expect(await count({ start_timestamp: at, end_timestamp: at })).toBe(1);
    expect(await count({ start_timestamp: at + 1 })).toBe(0);
    expect(await count({ end_timestamp: at - 1 })).toBe(0);
    expect(await count({ end_timestamp: Number.MAX_SAFE_INTEGER })).toBe(1);
    expect(await count({ log_type: 2 })).toBe(0);
    expect(await count({ channel_id: Number.MAX_SAFE_INTEGER })).toBe(0);
    expect(await count({ username: "nobody" })).toBe(0);

    const [row] = (await searchLogs(database.pool, everybody, ask({ username: user.username }))).data;
    expect(row).toMatchObject({ channel_name: "West", upstream_model: "hidden", created_at: at });
    expect(row?.attempts).toHaveLength(1);
    const [own] = (await searchLogs(database.pool, owner(user.id), ask({ channel_id: 4711, username: "x" })))
      .data;
    expect(own).toMatchObject({ channel_id: 0, channel_name: "", upstream_model: "", attempts: null });
  });

  it("never match rows of another owner", async () => {
    const [mine, theirs] = [await makeUser(), await makeUser()];
    await write(theirs.id, { request_id: "secret-request" });
    const query = ask({ request_id: "secret-request", username: theirs.username });
    expect((await searchLogs(database.pool, owner(mine.id), query)).data).toEqual([]);
    expect(await totalLogs(database.pool, owner(mine.id), query)).toMatchObject({ count: 0 });
    const named = ask({ username: theirs.username });
    expect(await totalLogs(database.pool, owner(mine.id), named)).toMatchObject({ count: 0 });
  });

  it("tolerate rows of another version", async () => {
    const { id } = await makeUser();
    await write(id, { bill: '{"old":true}', attempts: '"text"' });
    const { data } = await searchLogs(database.pool, everybody, ask({ size: 1 }));
    expect(data[0]).toMatchObject({ bill: null, attempts: [] });
  });
});
