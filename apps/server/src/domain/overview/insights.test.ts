import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Database } from "#platform/database/db.ts";
import { openTestDatabase } from "#test/database.ts";
import { describeInsights } from "./insights.ts";

let database: Database;
const day = 86_400_000;
const to = new Date("2026-11-20T00:00:00Z");
const from = new Date(to.getTime() - 7 * day);

beforeAll(async () => {
  database = await openTestDatabase({ max: 4 });
});
afterAll(async () => {
  await database.close();
});

interface Hour {
  user_id: number;
  token_id?: number;
  channel_id?: number;
  group?: string;
  model: string;
  quota: number;
  requests?: number;
  failed?: number;
}

async function used(daysBefore: number, { user_id, model, quota, ...more }: Hour): Promise<void> {
  await database.db.usageHour.create({
    data: {
      hour: new Date(to.getTime() - daysBefore * day),
      user_id,
      model,
      quota: BigInt(quota),
      token_id: more.token_id ?? 0,
      channel_id: more.channel_id ?? 1,
      group: more.group ?? "default",
      request_count: BigInt(more.requests ?? 1),
      failed_count: BigInt(more.failed ?? 0),
    },
  });
}

describe("insights of a period", () => {
  it("compare with the preceding period, follow paths, and compute margins of groups", async () => {
    const { db } = database;
    const ann = await db.user.create({ data: { username: "ann", aff_code: "ann" } });
    const ben = await db.user.create({ data: { username: "ben", aff_code: "ben" } });
    const token = await db.token.create({
      data: {
        user_id: ann.id,
        name: "shop",
        key_hash: randomBytes(32),
        key_encrypted: randomBytes(8),
        key_hint: "sk",
      },
    });
    await db.userGroup.createMany({
      data: [
        { symbol: "twice", name: "Twice", ratio: 2 },
        { symbol: "free", name: "Free", ratio: 0 },
      ],
      skipDuplicates: true,
    });
    await used(1, { user_id: ann.id, token_id: token.id, model: "a", quota: 300, group: "twice", failed: 1 });
    await used(2, { user_id: ben.id, model: "b", quota: 50, group: "twice", channel_id: 2 });
    await used(3, { user_id: ben.id, model: "b", quota: 0, group: "free", channel_id: 2 });
    await used(9, { user_id: ann.id, model: "a", quota: 100 });
    await used(30, { user_id: ben.id, model: "b", quota: 7_000 });

    const insights = await describeInsights(database.pool, { from, to, timeZone: "UTC" });
    expect(insights.models).toMatchObject([
      { name: "a", quota: 300, requests: 2, before: { quota: 100 } },
      { name: "b", quota: 50, requests: 2, before: { quota: 0 } },
    ]);
    expect(insights.users).toMatchObject([
      { id: ann.id, name: "ann", quota: 300, before: { quota: 100 } },
      { id: ben.id, name: "ben", quota: 50 },
    ]);
    expect(insights.channels).toMatchObject([
      { id: 1, quota: 300, requests: 2, failed: 1, charged: 300, cost: 150, without_cost: 0, p50: null },
      { id: 2, quota: 50, charged: 50, cost: 25, without_cost: 1 },
    ]);
    expect(insights.flows.paths[0]).toMatchObject({
      user_id: ann.id,
      token_id: token.id,
      group: "twice",
      model: "a",
    });
    expect(insights.flows).toMatchObject({
      users: { [ann.id]: "ann" },
      tokens: { [token.id]: "shop" },
      rest: { quota: 0, requests: 0 },
    });

    const ofBen = await describeInsights(database.pool, { from, to, timeZone: "UTC", userId: ben.id });
    expect(ofBen.models).toMatchObject([{ name: "b", quota: 50, requests: 2, before: { quota: 0 } }]);
    expect(ofBen.users).toEqual(insights.users);
    expect(ofBen.channels).toMatchObject([{ id: 2, quota: 50, charged: 50, cost: 25 }]);
    expect(ofBen.flows.paths.map(({ user_id }) => user_id)).toEqual([ben.id, ben.id]);
    expect(ofBen.flows.rest).toMatchObject({ quota: 0, requests: 0 });
  });

  it("sum up the calls without a listed path", async () => {
    await database.db.usageHour.deleteMany();
    for (let user = 1; user <= 205; user += 1)
      await used(1, { user_id: 10_000 + user, model: "a", quota: user });
    const { flows } = await describeInsights(database.pool, { from, to, timeZone: "UTC" });
    expect(flows.paths).toHaveLength(200);
    expect(flows.rest).toMatchObject({ quota: 1 + 2 + 3 + 4 + 5, requests: 5 });
  });

  it("are empty without calls", async () => {
    await database.db.usageHour.deleteMany();
    const insights = await describeInsights(database.pool, { from, to, timeZone: "UTC" });
    expect(insights).toMatchObject({
      models: [],
      users: [],
      channels: [],
      flows: { paths: [], rest: { quota: 0 } },
    });
  });
});
