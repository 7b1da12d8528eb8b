import { LogQuery } from "@gateway/shared/usage/log";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { closeHours } from "#domain/usage/close-hours.ts";
import type { Database } from "#platform/database/db.ts";
import { randomText } from "#platform/secrets.ts";
import { openTestDatabase } from "#test/database.ts";
import { MOST_SEARCHED } from "./filter.ts";
import { totalLogs } from "./totals.ts";

let database: Database;
const people: { id: number; username: string }[] = [];

const start = Date.parse("2026-04-01T00:00:00Z");
const hours = 60;

beforeAll(async () => {
  database = await openTestDatabase({ max: 4 });
  for (let n = 0; n < 3; n += 1) {
    const username = `user-${randomText(8)}`;
    people.push(await database.db.user.create({ data: { username, aff_code: randomText(12) } }));
  }
  await fill();
});
afterAll(async () => {
  await database.close();
});

/** Writes calls and other entries over 60 hours to the log and, like the ledger, to the roll-up. */
async function fill(): Promise<void> {
  const { pool } = database;
  await pool.query(
    `INSERT INTO request_logs (created_at, request_id, type, user_id, channel_id, model_name, token_name, quota,
       prompt_tokens, completion_tokens)
     SELECT $1::timestamptz + (n * 7919 % ($2 * 3600)) * interval '1 second', 'r' || n,
       (ARRAY[2, 2, 2, 5, 1])[1 + n % 5], ($3::int[])[1 + n % 3],
       CASE WHEN n % 5 = 4 THEN 0 ELSE 1 + n % 2 END, CASE WHEN n % 5 = 4 THEN '' ELSE 'm' || n % 4 END, 'key',
       CASE WHEN n % 5 = 3 THEN 0 ELSE n END, CASE WHEN n % 5 > 2 THEN 0 ELSE n % 11 END, CASE WHEN n % 5 > 2 THEN 0 ELSE 1 END
     FROM generate_series(1, 2000) n`,
    [new Date(start), hours, people.map((person) => person.id)],
  );
  await pool.query(
    `INSERT INTO usage_hours (hour, user_id, token_id, channel_id, model, "group", request_count, failed_count, quota,
       prompt_tokens, completion_tokens)
     SELECT date_trunc('hour', created_at, 'UTC'), user_id, 1, channel_id, model_name, 'default',
       count(*) FILTER (WHERE type = 2), count(*) FILTER (WHERE type = 5), sum(quota), sum(prompt_tokens),
       sum(completion_tokens)
     FROM request_logs WHERE type IN (2, 5) GROUP BY 1, 2, 4, 5`,
  );
}

const everybody = { of: "everybody" } as const;
const ask = (query: Partial<LogQuery> = {}) => LogQuery.parse(query);

/** Computes the same sums row by row. */
async function rowByRow(query: LogQuery, userId?: number) {
  const { rows } = await database.pool.query(
    `SELECT count(*)::int AS count, COALESCE(sum(quota) FILTER (WHERE type = 2), 0)::int AS quota,
       COALESCE(sum(prompt_tokens), 0)::int AS prompt_tokens,
       COALESCE(sum(completion_tokens), 0)::int AS completion_tokens
     FROM request_logs
     WHERE ($1 = 0 OR type = $1) AND ($2 = '' OR model_name = $2) AND ($3 = 0 OR channel_id = $3)
       AND ($4::int IS NULL OR user_id = $4) AND created_at >= to_timestamp($5)
       AND ($6::bigint = 0 OR created_at < to_timestamp($6::bigint + 1))
       AND ($7 = '' OR user_id = (SELECT id FROM users WHERE username = $7))`,
    [
      query.log_type,
      query.model_name,
      query.channel_id,
      userId ?? null,
      query.start_timestamp,
      query.end_timestamp,
      query.username,
    ],
  );
  return { ...rows[0], complete: true };
}

describe("totals", () => {
  const from = start / 1000;
  const windows: Partial<LogQuery>[] = [
    {},
    { start_timestamp: from + 3600 * 5 },
    { start_timestamp: from + 3600 * 5 + 1, end_timestamp: from + 3600 * 44 + 1799 },
    { start_timestamp: from + 100, end_timestamp: from + 900 },
    { end_timestamp: from + 3600 * 20 - 1 },
    { start_timestamp: from + 3600 * 900 },
  ];
  const filters = (): Partial<LogQuery>[] => [
    {},
    { model_name: "m1" },
    { channel_id: 2 },
    { channel_id: 1, model_name: "m2" },
    { username: people[1]?.username ?? "" },
    { username: people[1]?.username ?? "", model_name: "m3" },
    { username: "nobody" },
  ];

  async function check(): Promise<void> {
    for (const window of windows)
      for (const filter of filters())
        for (const log_type of [0, 1, 2, 5]) {
          const query = ask({ ...window, ...filter, log_type });
          const text = JSON.stringify(query);
          expect(await totalLogs(database.pool, everybody, query), text).toEqual(await rowByRow(query));
          const owner = { of: "owner", userId: people[0]?.id ?? 0 } as const;
          const own = { ...query, username: "", channel_id: 0 };
          expect(await totalLogs(database.pool, owner, own), text).toEqual(await rowByRow(own, owner.userId));
        }
  }

  it("equal the sum of all rows, for every filter and time range", check);

  it("stay equal when part of the hours is closed", async () => {
    await closeHours(database.pool, new Date(start + 31 * 3_600_000));
    await check();
    await closeHours(database.pool, new Date(start + 90 * 3_600_000));
    await check();
  });

  it("stop at the newest rows without roll-up support, and report it", async () => {
    await database.pool.query(
      `INSERT INTO request_logs (created_at, request_id, type, user_id, source_ip, quota)
       SELECT $1::timestamptz + n * interval '1 second', 'x' || n, 2, 1, '198.51.100.9', 1
       FROM generate_series(1, $2::int) n`,
      [new Date(start), MOST_SEARCHED],
    );
    const query = ask({ source_ip: "198.51.100.9" });
    expect(await totalLogs(database.pool, everybody, query)).toMatchObject({
      count: MOST_SEARCHED,
      quota: MOST_SEARCHED,
      complete: true,
    });
    await database.pool.query(
      "INSERT INTO request_logs (created_at, request_id, type, user_id, source_ip) VALUES (now(), 'y', 2, 1, '198.51.100.9')",
    );
    expect(await totalLogs(database.pool, everybody, query)).toMatchObject({
      count: MOST_SEARCHED,
      quota: MOST_SEARCHED - 1,
      complete: false,
    });
  });
});
