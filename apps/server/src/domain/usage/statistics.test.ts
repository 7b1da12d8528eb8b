import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemActor } from "#domain/audit-log/audit.ts";
import type { Database } from "#platform/database/db.ts";
import { randomText } from "#platform/secrets.ts";
import { openTestDatabase } from "#test/database.ts";
import { closeHours } from "./close-hours.ts";
import { closeMonthByHand, closeMonths } from "./close-months.ts";
import { describePeriod, type PeriodInput } from "./period.ts";
import { closedMonths, listStatements, statementLines, statementUsers } from "./statements.ts";

let database: Database;

beforeAll(async () => {
  database = await openTestDatabase({ max: 4 });
});
afterAll(async () => {
  await database.close();
});

async function makeUser(): Promise<{ id: number; username: string }> {
  const username = `user-${randomText(8)}`;
  return database.db.user.create({
    data: { username, aff_code: randomText(12), created_time: new Date("2020-01-01") },
  });
}

type Usage = {
  user_id: number;
  hour: string;
  model?: string;
  group?: string;
  channel_id?: number;
  quota?: number;
};

async function use(usage: Usage): Promise<void> {
  const { user_id, hour, model = "m", group = "default", channel_id = 1, quota = 10 } = usage;
  await database.pool.query(
    `INSERT INTO usage_hours AS h (hour, user_id, token_id, channel_id, model, "group", request_count, failed_count,
       quota, prompt_tokens, completion_tokens, cached_tokens, request_time, first_byte_time)
     VALUES ($1, $2, 1, $3, $4, $5, 1, 1, $6, 100, 20, 30, 500, 50)
     ON CONFLICT (hour, user_id, token_id, channel_id, model, "group", part) DO UPDATE SET
       quota = h.quota + excluded.quota, request_count = h.request_count + 1`,
    [hour, user_id, channel_id, model, group, quota],
  );
}

const ask = (input: Partial<PeriodInput> & { from: Date; to: Date }) =>
  describePeriod(database, { groupType: "model", userId: undefined, timeZone: "UTC", ...input });

describe("period", () => {
  it("is the same with open and closed hours", async () => {
    const [anna, bert] = [await makeUser(), await makeUser()];
    await use({ user_id: anna.id, hour: "2024-03-01T23:00:00Z", model: "a", quota: 5 });
    await use({ user_id: anna.id, hour: "2024-03-02T00:00:00Z", model: "b", quota: 7 });
    await use({ user_id: bert.id, hour: "2024-03-03T10:00:00Z", model: "a", quota: 90, channel_id: 2 });
    await use({ user_id: bert.id, hour: "2024-03-04T00:00:00Z", model: "late", quota: 1_000 });
    const period = { from: new Date("2024-03-01T00:00:00Z"), to: new Date("2024-03-04T00:00:00Z") };
    const all = () =>
      Promise.all(
        (["model", "channel", "group", "user"] as const).map((groupType) => ask({ ...period, groupType })),
      );
    const open = await all();
    expect(open[0]).toMatchObject({
      dates: ["2024-03-01", "2024-03-02", "2024-03-03"],
      totals: { quota: 102, request_count: 3, failed_count: 3, cached_tokens: 90 },
      active_users: 2,
      top_users: [
        { username: bert.username, quota: 90 },
        { username: anna.username, quota: 12 },
      ],
    });
    expect(open[0]?.channel_statistics.map((row) => [row.Date, row.Channel, row.Quota])).toEqual([
      ["2024-03-01", "a", 5],
      ["2024-03-02", "b", 7],
      ["2024-03-03", "a", 90],
    ]);
    // Closed up to the middle of the period, then completely.
    await closeHours(database.pool, new Date("2024-03-02T13:10:00Z"));
    expect(await all()).toEqual(open);
    await closeHours(database.pool, new Date("2024-03-09T00:00:00Z"));
    expect(await all()).toEqual(open);
    const { rows } = await database.pool.query(
      "SELECT sum(quota)::int AS sum FROM usage_totals WHERE kind = 'site' AND span = 'hour'",
    );
    expect(rows[0]?.sum).toBe(1_102);
  });

  it("includes a call that was settled after its hour was closed", async () => {
    const { id } = await makeUser();
    const period = { from: new Date("2024-03-08T00:00:00Z"), to: new Date("2024-03-09T00:00:00Z") };
    await use({ user_id: id, hour: "2024-03-08T20:00:00Z", quota: 3 });
    await closeHours(database.pool, new Date("2024-03-09T02:00:00Z"));
    expect((await ask(period)).totals.quota).toBe(3);
    await closeHours(database.pool, new Date("2024-03-09T02:30:00Z"));
    expect((await ask(period)).totals.quota).toBe(3);
  });

  it("is the same in every time zone, with any number of closed hours", async () => {
    const users = await Promise.all([makeUser(), makeUser(), makeUser()]);
    const first = Date.parse("2024-03-10T00:00:00Z");
    // Uneven, but deterministic.
    for (let hour = 0; hour < 24 * 6; hour += 1) {
      const user = users[(hour * 7) % 3];
      const [model, quota] = [`model ${(hour * 5) % 4}`, 1 + ((hour * 31) % 97)];
      const at = new Date(first + hour * 3_600_000).toISOString();
      if (user !== undefined) await use({ user_id: user.id, hour: at, model, quota, channel_id: hour % 3 });
    }
    const all = async () => {
      const answers = [];
      // New York changes to daylight saving time within these days.
      for (const timeZone of ["UTC", "Asia/Shanghai", "Asia/Kolkata", "Asia/Tokyo", "America/New_York"]) {
        for (const groupType of ["model", "channel", "user"] as const) {
          // Includes two whole weeks.
          const [from, to] = [new Date("2024-02-26T05:00:00Z"), new Date("2024-03-15T21:00:00Z")];
          answers.push(await ask({ from, to, timeZone, groupType }));
        }
      }
      return answers;
    };
    const open = await all();
    for (const closed of [
      "2024-03-10T03:00Z",
      "2024-03-12T02:30Z",
      "2024-03-12T22:00Z",
      "2024-03-18T00:00Z",
    ]) {
      await closeHours(database.pool, new Date(closed));
      expect(await all()).toEqual(open);
    }
  });

  it("assigns an hour to the day in the requested time zone, also at daylight saving changes", async () => {
    const { id } = await makeUser();
    // 23:00 on the 30th in Berlin's winter time; after the change the same UTC hour is on the next day.
    await use({ user_id: id, hour: "2024-03-30T22:00:00Z", quota: 1 });
    await use({ user_id: id, hour: "2024-03-31T22:00:00Z", quota: 2 });
    const { dates, channel_statistics: rows } = await ask({
      from: new Date("2024-03-29T23:00:00Z"),
      to: new Date("2024-04-01T22:00:00Z"),
      timeZone: "Europe/Berlin",
      userId: id,
    });
    expect(dates).toEqual(["2024-03-30", "2024-03-31", "2024-04-01"]);
    expect(rows.map((row) => [row.Date, row.Quota])).toEqual([
      ["2024-03-30", 1],
      ["2024-04-01", 2],
    ]);
  });

  it("finds the owner of a model like its price: by exact name, or by the longest wildcard", async () => {
    const { db } = database;
    const { id } = await makeUser();
    await db.modelOwner.createMany({
      data: [
        { id: 2001, name: "Short" },
        { id: 2002, name: "Long" },
      ],
      skipDuplicates: true,
    });
    await db.price.createMany({
      data: [
        { model: "wild-*", channel_type: 2001 },
        { model: "wild-cat-*", channel_type: 2002 },
      ],
    });
    for (const model of ["wild-dog", "wild-cat-1", "wild-cat-2", "unpriced"])
      await use({ user_id: id, hour: "2024-05-01T00:00:00Z", model, quota: 1 });
    const found = await ask({
      from: new Date("2024-05-01T00:00:00Z"),
      to: new Date("2024-05-02T00:00:00Z"),
      groupType: "model_type",
    });
    expect(Object.fromEntries(found.channel_statistics.map((row) => [row.Channel, row.Quota]))).toEqual({
      Short: 1,
      Long: 2,
      "": 1,
    });
  });

  it("names deleted channels, and distinguishes two with the same name", async () => {
    const { id } = await makeUser();
    const names = ["Twin", "Twin", "Gone"];
    const channels = [];
    for (const name of names) channels.push(await database.db.channel.create({ data: { type: 1, name } }));
    await database.db.channel.update({
      where: { id: channels[2]?.id ?? 0 },
      data: { deleted_at: new Date() },
    });
    for (const channel of channels)
      await use({ user_id: id, hour: "2024-06-01T00:00:00Z", channel_id: channel.id });
    const found = await ask({
      from: new Date("2024-06-01T00:00:00Z"),
      to: new Date("2024-06-02T00:00:00Z"),
      groupType: "channel",
    });
    expect(found.channel_statistics.map((row) => row.Channel).sort()).toEqual(
      ["Gone", `Twin #${channels[0]?.id}`, `Twin #${channels[1]?.id}`].sort(),
    );
  });

  it("counts the redeeming user, not the creator of the code, and keeps currencies separate", async () => {
    const { db } = database;
    const [admin, anna, bert] = [await makeUser(), await makeUser(), await makeUser()];
    const at = new Date("2024-07-01T12:00:00Z");
    for (const [n, redeemed_by] of [anna.id, anna.id, bert.id].entries())
      await db.redemption.create({
        data: {
          user_id: admin.id,
          name: "gift",
          key_hash: Buffer.from(`analytics-${n}`),
          key_encrypted: Buffer.from("x"),
          status: 3,
          quota: 100n,
          redeemed_by,
          redeemed_time: at,
        },
      });
    const gateway = await db.paymentGateway.create({
      data: { uuid: randomText(12), type: "epay", name: "Pay" },
    });
    for (const [n, order_currency] of ["CNY", "USD", "USD"].entries())
      await db.order.create({
        data: {
          trade_no: `t-${n}`,
          user_id: anna.id,
          gateway_id: gateway.id,
          amount: 1,
          order_amount: "7.25",
          order_currency,
          quota: 1n,
          status: "success",
          updated_at: at,
        },
      });
    const found = await ask({ from: new Date("2024-07-01T00:00:00Z"), to: new Date("2024-07-02T00:00:00Z") });
    expect(found.redemption_statistics).toEqual([{ date: "2024-07-01", quota: 300, user_count: 2 }]);
    expect(found.order_statistics).toEqual([
      { date: "2024-07-01", order_currency: "CNY", order_amount: 7.25, count: 1 },
      { date: "2024-07-01", order_currency: "USD", order_amount: 14.5, count: 2 },
    ]);
  });
});

describe("monthly statements", () => {
  it("close a month once for concurrent and repeated requests, and never change", async () => {
    const { db, pool } = database;
    const user = await makeUser();
    await pool.query("DELETE FROM usage_hours");
    await use({ user_id: user.id, hour: "2025-01-31T23:00:00Z", model: "a", quota: 5 });
    await use({ user_id: user.id, hour: "2025-02-01T00:00:00Z", model: "a", quota: 7 });
    await use({ user_id: user.id, hour: "2025-02-28T23:00:00Z", model: "b", quota: 9 });
    await use({ user_id: user.id, hour: "2025-03-01T00:00:00Z", model: "a", quota: 100 });
    // One day of grace for calls that are still being settled.
    expect(await closeMonths(db, new Date("2025-03-01T23:00:00Z"))).toEqual(["2025-01-01"]);
    const both = await Promise.all([0, 1, 2].map(() => closeMonths(db, new Date("2025-03-02T04:10:00Z"))));
    expect(both.flat()).toEqual(["2025-02-01"]);
    await use({ user_id: user.id, hour: "2025-02-10T00:00:00Z", model: "too-late", quota: 1 });
    expect(await closeMonths(db, new Date("2025-03-05T00:00:00Z"))).toEqual([]);

    const page = await listStatements(pool, user.id, { page: 1, size: 10, order: "" });
    expect(page).toMatchObject({
      total_count: 2,
      data: [
        { date: "2025-02-01", quota: 16, request_count: 2 },
        { date: "2025-01-01", quota: 5 },
      ],
    });
    expect(
      (await statementLines(pool, user.id, "2025-02")).map((line) => [line.model_name, line.quota]),
    ).toEqual([
      ["b", 9],
      ["a", 7],
    ]);
    expect(await closedMonths(pool)).toMatchObject([
      { date: "2025-02-01", users: 1, quota: 16 },
      { date: "2025-01-01", users: 1, quota: 5 },
    ]);
    const found = await statementUsers(pool, {
      date: "2025-02",
      page: 1,
      size: 10,
      order: "",
      keyword: "USER-",
    });
    expect(found).toMatchObject({ total_count: 1, data: [{ username: user.username, quota: 16 }] });
    await expect(
      listStatements(pool, user.id, { page: 1, size: 10, order: "id; DROP" }),
    ).rejects.toMatchObject({
      code: "invalid_request",
    });
  });

  it("close a month manually before the schedule, once, and again with later usage", async () => {
    const { db, pool } = database;
    const user = await makeUser();
    await pool.query("DELETE FROM usage_hours");
    await use({ user_id: user.id, hour: "2025-05-31T23:00:00Z", model: "a", quota: 5 });
    const make = (again: boolean, month = "2025-05-01") =>
      closeMonthByHand(db, systemActor, { month, again, now: new Date("2025-06-01T00:00:01Z") });
    await expect(make(true)).rejects.toMatchObject({ code: "not_found" });
    await expect(make(false, "2025-06")).rejects.toMatchObject({ code: "invalid_request" });
    // Without usage, no empty month is stored.
    await expect(make(false, "2025-04")).rejects.toMatchObject({ code: "not_found" });

    const all = await Promise.allSettled([0, 1, 2, 3].map(() => make(false)));
    expect(all.filter((one) => one.status === "fulfilled")).toHaveLength(1);
    for (const one of all) if (one.status === "rejected") expect(one.reason.code).toBe("conflict");
    await use({ user_id: user.id, hour: "2025-05-31T23:00:00Z", model: "a", quota: 2 });
    await use({ user_id: user.id, hour: "2025-05-31T23:00:00Z", model: "late", quota: 1 });
    expect(await closeMonths(db, new Date("2025-06-05T00:00:00Z"))).toEqual([]);
    const again = await Promise.all([make(true), make(true)]);
    for (const month of again) expect(month).toMatchObject({ date: "2025-05-01", users: 1, quota: 8 });
    expect(
      (await statementLines(pool, user.id, "2025-05")).map((line) => [line.model_name, line.quota]),
    ).toEqual([
      ["a", 7],
      ["late", 1],
    ]);
    const notes = await db.auditEntry.findMany({
      where: { target_type: "statement" },
      orderBy: { id: "asc" },
    });
    expect(notes.map((note) => [note.action, note.target_id])).toEqual([
      ["statement.make", "2025-05"],
      ["statement.make_again", "2025-05"],
      ["statement.make_again", "2025-05"],
    ]);
    expect(notes[1]).toMatchObject({ before: { quota: 5 }, after: { quota: 8 } });
  });
});
