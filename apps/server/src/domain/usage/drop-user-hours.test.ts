import { afterAll, beforeAll, expect, it } from "vitest";
import type { Database } from "#platform/database/db.ts";
import { openTestDatabase } from "#test/database.ts";
import { closeHours } from "./close-hours.ts";
import { dropUserHours } from "./drop-user-hours.ts";
import { describePeriod } from "./period.ts";

let database: Database;
const first = Date.parse("2024-03-01T00:00:00Z");
const hourMs = 3_600_000;

beforeAll(async () => {
  database = await openTestDatabase({ max: 4 });
  // Uneven, but deterministic.
  for (let hour = 0; hour < 24 * 40; hour += 5) {
    await database.pool.query(
      `INSERT INTO usage_hours (hour, user_id, token_id, channel_id, model, "group", request_count, quota)
       VALUES ($1, $2, 1, 1, 'm', 'default', 1, $3)`,
      [new Date(first + hour * hourMs), 1 + ((hour * 7) % 3), 1 + ((hour * 31) % 97)],
    );
  }
});
afterAll(async () => {
  await database.close();
});

/** Usage by user, with edges in hours that are not those of parts. */
async function usage() {
  const answers = [];
  for (const timeZone of ["UTC", "Asia/Shanghai", "Asia/Kolkata", "Asia/Tokyo", "America/New_York"]) {
    for (const userId of [undefined, 2]) {
      const [from, to] = [new Date("2024-03-02T03:00:00Z"), new Date("2024-04-08T15:00:00Z")];
      answers.push(await describePeriod(database, { from, to, timeZone, groupType: "user", userId }));
    }
  }
  return answers;
}

const hoursOfUsers = async () => {
  const { rows } = await database.pool.query<{ many: number; since: Date }>(
    "SELECT count(*)::int AS many, min(starts) AS since FROM usage_totals WHERE kind = 'user' AND span = 'hour'",
  );
  return rows[0];
};

it("usage by user is the same without old sums by hour, also when hours are closed later", async () => {
  const open = await usage();
  await closeHours(database.pool, new Date("2024-04-05T00:30:00Z"));
  expect(await usage()).toEqual(open);
  const before = await hoursOfUsers();
  expect(await dropUserHours(database.pool, AbortSignal.abort())).toBe(0);
  const dropped = await dropUserHours(database.pool);
  const after = await hoursOfUsers();
  expect(dropped).toBeGreaterThan(80);
  expect(after?.many).toBe((before?.many ?? 0) - dropped);
  expect(after?.since.getTime()).toBeGreaterThanOrEqual(Date.parse("2024-03-21T23:00:00Z"));
  expect(await usage()).toEqual(open);
  // The last closed hours and the week around them are summed again.
  await closeHours(database.pool, new Date("2024-04-09T06:30:00Z"));
  expect(await usage()).toEqual(open);
  expect(await dropUserHours(database.pool)).toBeGreaterThan(0);
  expect(await dropUserHours(database.pool)).toBe(0);
});
