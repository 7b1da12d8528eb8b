import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Database } from "#platform/database/db.ts";
import { openTestDatabase } from "#test/database.ts";
import { lastMinute } from "./last-minute.ts";
import { ownUsage, usedYesterday } from "./own-usage.ts";

let database: Database;

beforeAll(async () => {
  database = await openTestDatabase({ max: 4 });
});
afterAll(async () => {
  await database.close();
});

async function use(userId: number, hour: string, model = "m"): Promise<void> {
  const who = { user_id: userId, token_id: 1, channel_id: 1, group: "default" };
  await database.db.usageHour.create({
    data: { ...who, hour: new Date(hour), model, request_count: 1n, quota: 10n },
  });
}

describe("own usage", () => {
  it("assigns an hour to the local day in which it begins", async () => {
    for (const hour of ["02T15", "02T16", "03T15", "03T16"]) await use(1, `2026-05-${hour}:00:00Z`);
    await use(1, "2026-05-03T16:00:00Z", "other");
    const now = new Date("2026-05-03T20:00:00Z");
    const east = await ownUsage(database.pool, { userId: 1, timeZone: "Asia/Shanghai", days: 2, now });
    expect(east.dates).toEqual(["2026-05-03", "2026-05-04"]);
    expect(east.usage.map((day) => [day.date, day.model, day.request_count, day.quota])).toEqual([
      ["2026-05-03", "m", 2, 20],
      ["2026-05-04", "m", 1, 10],
      ["2026-05-04", "other", 1, 10],
    ]);
    const west = await ownUsage(database.pool, { userId: 1, timeZone: "Pacific/Honolulu", days: 1, now });
    expect(west.usage.map((day) => [day.date, day.model, day.quota])).toEqual([
      ["2026-05-03", "m", 20],
      ["2026-05-03", "other", 10],
    ]);
  });

  it("separates days before a daylight saving change", async () => {
    // Berlin: +02:00 until the morning of 25 October, +01:00 afterwards.
    await use(2, "2026-10-23T21:00:00Z");
    await use(2, "2026-10-23T22:00:00Z");
    await use(2, "2026-10-25T22:00:00Z");
    await use(2, "2026-10-25T23:00:00Z");
    const now = new Date("2026-10-26T12:00:00Z");
    const { usage } = await ownUsage(database.pool, { userId: 2, timeZone: "Europe/Berlin", days: 4, now });
    expect(usage.map((day) => [day.date, day.quota])).toEqual([
      ["2026-10-23", 10],
      ["2026-10-24", 10],
      ["2026-10-25", 10],
      ["2026-10-26", 10],
    ]);
  });
});

describe("usage of yesterday", () => {
  it("ends at the current time of day, with a share of the cut hour", async () => {
    // In Shanghai, 2 June began at 16:00 UTC, and it is now 10:15 on 3 June.
    for (const hour of ["01T15", "01T16", "02T01", "02T02", "02T03"])
      await database.db.usageHour.create({
        data: {
          user_id: 3,
          token_id: 1,
          channel_id: 1,
          group: "default",
          model: "m",
          hour: new Date(`2026-06-${hour}:00:00Z`),
          request_count: 4n,
          quota: 100n,
          prompt_tokens: 20n,
          completion_tokens: 20n,
        },
      });
    const now = new Date("2026-06-03T02:15:00Z");
    const used = await usedYesterday(database.pool, { userId: 3, timeZone: "Asia/Shanghai", now });
    expect(used).toEqual({ request_count: 9, failed_count: 0, quota: 225, tokens: 90 });
  });
});

describe("last minute", () => {
  it("counts calls, including failed ones, and tokens, for one user or all", async () => {
    const write = (user: number, type: number, secondsAgo: number) =>
      database.pool.query(
        `INSERT INTO request_logs (created_at, request_id, type, user_id, prompt_tokens, completion_tokens)
         VALUES (now() - make_interval(secs => $3), 'r', $2, $1, 10, 5)`,
        [user, type, secondsAgo],
      );
    await write(7, 2, 1);
    await write(7, 5, 1);
    await write(7, 1, 1);
    await write(7, 2, 61);
    await write(8, 2, 1);
    expect(await lastMinute(database.pool, 7)).toEqual({ rpm: 2, tpm: 30 });
    expect(await lastMinute(database.pool)).toEqual({ rpm: 3, tpm: 45 });
  });
});
