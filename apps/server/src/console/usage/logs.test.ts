import type { LogRow } from "@gateway/shared/usage/log";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Browser, buildConsole, type TestConsole } from "#test/console.ts";

let site: TestConsole;
let admin: Browser;

beforeAll(async () => {
  site = await buildConsole();
  admin = await site.as(await site.makeUser({ role: 10 }));
});
afterAll(() => site.close());

const day = (text: string) => Date.parse(`${text}T00:00:00Z`) / 1000;
const left = async () => {
  const { rows } = await site.database.pool.query(
    "SELECT to_char(created_at, 'YYYY-MM-DD') AS day FROM request_logs ORDER BY created_at",
  );
  return rows.map((row) => row.day as string);
};

describe("clearing the log", () => {
  it("deletes the days that ended before the instant, keeps their sums, and is recorded", async () => {
    const { pool } = site.database;
    for (const text of ["2026-01-01", "2026-01-02", "2026-01-03"])
      await pool.query(
        "INSERT INTO request_logs (created_at, request_id, type, user_id) VALUES ($1, 'old', 2, 1)",
        [`${text} 12:00:00Z`],
      );
    await pool.query(
      `INSERT INTO usage_hours (hour, user_id, token_id, channel_id, model, "group", quota)
       VALUES ('2026-01-01T12:00:00Z', 1, 1, 1, 'm', 'default', 5)`,
    );
    const { body } = await admin.send("DELETE", `/api/log?target_timestamp=${day("2026-01-03") + 3_600}`);
    expect(body.data).toBe(2);
    expect(await left()).toEqual(["2026-01-03"]);
    const { rows } = await pool.query("SELECT sum(quota)::int AS sum FROM usage_hours");
    expect(rows[0]?.sum).toBe(5);
    const [entry] = await site.services.db.auditEntry.findMany({ where: { action: "log.clear" } });
    expect(entry).toMatchObject({ target_id: "2026-01-03", after: { removed: 2 } });
  });

  it("requires an instant and an administrator, and never deletes today", async () => {
    const url = "/api/log?target_timestamp=";
    expect((await admin.send("DELETE", "/api/log")).body).toMatchObject({
      success: false,
      fields: { target_timestamp: "target_timestamp is required" },
    });
    const user = await site.as(await site.makeUser());
    expect((await user.send("DELETE", `${url}${day("2026-01-09")}`)).status).toBe(403);
    await site.database.pool.query(
      "INSERT INTO request_logs (created_at, request_id, type, user_id) VALUES (now(), 'today', 2, 1)",
    );
    expect((await admin.send("DELETE", `${url}${day("2999-01-01")}`)).status).toBe(200);
    expect(await left()).toHaveLength(1);
  });
});

describe("one call", () => {
  it("is found by its request id and by its number, with all details for administrators", async () => {
    const { rows } = await site.database.pool.query<{ id: bigint }>(
      `INSERT INTO request_logs (created_at, request_id, type, user_id, upstream_model, attempts)
       VALUES (now(), 'one-call', 5, 77, 'hidden', $1) RETURNING id`,
      [
        JSON.stringify([
          { channel_id: 1, channel_name: "a", result: "server", status: 500, duration: 3, message: "" },
          { channel_id: 2, channel_name: "b", skipped: "lower-priority", priority: 1 },
          { of: "a newer version" },
        ]),
      ],
    );
    const answer = await admin.get<LogRow>("/api/log/one-call");
    expect(answer.body.data).toMatchObject({
      request_id: "one-call",
      upstream_model: "hidden",
      attempts: [{ result: "server" }],
      skipped: [{ skipped: "lower-priority" }],
    });
    expect((await admin.get(`/api/log/${rows[0]?.id}`)).body.data).toEqual(answer.body.data);
  });

  it("is not found for other users, and its owner sees its route with numbers in place of channels", async () => {
    const user = await site.makeUser();
    const browser = await site.as(user);
    await site.database.pool.query(
      `INSERT INTO request_logs (created_at, request_id, type, user_id, channel_id, upstream_model, attempts)
       VALUES (now(), 'mine', 2, $1, 4, 'hidden', $2), (now(), 'theirs', 2, 78, 4, '', '[]')`,
      [
        user.id,
        JSON.stringify([
          {
            channel_id: 9,
            channel_name: "secret channel",
            result: "server",
            status: 500,
            duration: 3,
            message: "secret text",
            upstream_request_id: "req-secret",
          },
          {
            channel_id: 4,
            channel_name: "secret channel",
            result: "ok",
            status: 200,
            duration: 5,
            message: "",
          },
          { channel_id: 2, channel_name: "secret channel", skipped: "lower-priority", priority: 1 },
        ]),
      ],
    );
    const { body, response } = await browser.get<LogRow>("/api/log/mine");
    expect(body.data).toMatchObject({
      request_id: "mine",
      channel_id: 0,
      upstream_model: "",
      attempts: [
        { channel_id: 1, channel_name: "", result: "server", message: "" },
        { channel_id: 2, channel_name: "", result: "ok" },
      ],
      skipped: null,
    });
    expect(response.body).not.toContain("secret");
    for (const id of ["theirs", "nothing", "0", "'; DROP TABLE users", "%2e%2e"])
      expect((await browser.get(`/api/log/${encodeURIComponent(id)}`)).status, id).toBe(404);
    expect((await browser.get(`/api/log/${"x".repeat(65)}`)).status).toBe(400);
    expect((await admin.get("/api/log/theirs")).status).toBe(200);
  });
});
