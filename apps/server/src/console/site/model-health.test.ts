import type { AvailableModels } from "@gateway/shared/models/model";
import type { ModelsHealth, StatusPage } from "@gateway/shared/models/model-health";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { daysByModel, healthByModel } from "#domain/model-health/model-health.ts";
import { buildConsole, type TestConsole } from "#test/console.ts";

let site: TestConsole;

beforeAll(async () => {
  site = await buildConsole();
  const { db } = site.services;
  await db.userGroup.create({ data: { symbol: "inner", name: "inner", public: false } });
  const channel = (name: string, group: string, models: string[], status = 1) =>
    db.channel.create({
      data: {
        type: 1,
        name,
        status,
        groups: { create: { group } },
        models: { create: models.map((model, position) => ({ model, position })) },
      },
    });
  await channel("secret channel", "default", ["busy", "quiet", "absent", "wild-*"]);
  await channel("down channel", "default", ["down"], 3);
  await channel("off channel", "default", ["off"], 2);
  await channel("inner channel", "inner", ["inner-model"]);
  await fill();
});
afterAll(() => site.close());

/**
 * Writes 120 calls of each model, one every ten minutes, the newest a minute ago; every fourth one failed.
 */
async function fill(): Promise<void> {
  const { pool } = site.database;
  await pool.query(
    `INSERT INTO request_logs (created_at, request_id, type, user_id, channel_id, model_name, "group", error_code, status,
       completion_tokens, request_time, first_byte_time, is_stream)
     SELECT now() - interval '1 minute' - n * interval '10 minutes', model || n, CASE WHEN n % 4 = 0 THEN 5 ELSE 2 END, 1, 1,
       model, 'default', CASE WHEN n % 8 = 0 THEN 'upstream_failed' WHEN n % 4 = 0 THEN 'insufficient_quota' ELSE '' END,
       CASE WHEN n % 4 = 0 THEN 500 ELSE 200 END, 100, 2000, 1000, true
     FROM generate_series(0, 119) n, unnest($1::text[]) model`,
    [["busy", "wild-one", "down", "off", "inner-model", "gone"]],
  );
  // A name that a client invented below a wildcard: no provider served it.
  await pool.query(
    `INSERT INTO request_logs (created_at, request_id, type, user_id, channel_id, model_name, "group", error_code, status)
     SELECT now() - interval '2 minutes', 'invented' || n, 5, 1, 1, 'wild-invented', 'default', 'upstream_failed', 502
     FROM generate_series(0, 3) n`,
  );
  // Listed, but the provider does not have it. One call reached no channel.
  await pool.query(
    `INSERT INTO request_logs (created_at, request_id, type, user_id, channel_id, model_name, "group", error_code, status)
     SELECT now() - interval '2 minutes', 'absent' || n, 5, 1, LEAST(n, 1), 'absent', 'default', 'model_not_found', 404
     FROM generate_series(0, 3) n`,
  );
  await pool.query(
    `INSERT INTO usage_hours (hour, user_id, token_id, channel_id, model, "group", request_count, failed_count, quota)
     SELECT date_trunc('hour', created_at, 'UTC'), 1, 1, 1, model_name, 'default',
       count(*) FILTER (WHERE type = 2) * CASE WHEN model_name = 'wild-one' THEN 2 ELSE 1 END,
       count(*) FILTER (WHERE type = 5), 1 FROM request_logs GROUP BY 1, model_name`,
  );
}

describe("the health of models", () => {
  it("counts failures of the provider, not errors of the client", async () => {
    const { models } = await healthByModel(site.database.pool);
    // 90 served, 15 failed at the provider, 15 rejected for lack of balance.
    expect(models.get("busy")).toMatchObject({
      availability: 90 / 105,
      p50: 2000,
      p95: 2000,
      first_p50: 1000,
      tokens_per_second: 100,
    });
    expect(models.get("busy")?.hourly).toHaveLength(24);
    expect(models.get("busy")?.hourly[0]).toBeNull();
  });

  it("counts a listed model that the provider does not have as unavailable", async () => {
    const { models } = await healthByModel(site.database.pool);
    const tallies = models.get("absent")?.tallies.map(({ served, failed }) => served + failed) ?? [];
    expect(models.get("absent")?.availability).toBe(0);
    expect(tallies.reduce((sum, count) => sum + count)).toBe(3);
  });

  it("shows a visitor the models of the public groups, and neither channels nor numbers of calls", async () => {
    const { body, response } = await site.guest.get<ModelsHealth>("/api/model_health");
    expect(Object.keys(body.data.models).sort()).toEqual(["absent", "busy", "down", "wild-one"]);
    expect(Object.keys(body.data.models["busy"] ?? {}).sort()).toEqual([
      "availability",
      "first_p50",
      "first_p95",
      "hourly",
      "p50",
      "p95",
      "tokens_per_second",
    ]);
    expect(response.body).not.toMatch(/channel|tallies|served|count/);
  });

  it("shows a customer the models of their group, too", async () => {
    const customer = await site.as(await site.makeUser({ group: "inner" }));
    const { body } = await customer.get<ModelsHealth>("/api/model_health");
    expect(Object.keys(body.data.models)).toContain("inner-model");
  });

  it("ranks models by their calls", async () => {
    const { body } = await site.guest.get<AvailableModels>("/api/available_model");
    expect(body.data["busy"]?.rank).toBeGreaterThan(1);
    expect(body.data["quiet"]?.rank).toBeNull();
  });
});

describe("the status page", () => {
  it("is off until the operator enables it", async () => {
    const { status, body } = await site.guest.get("/api/model_status");
    expect([status, body.code]).toEqual([404, "not_found"]);
    expect((await site.guest.get<{ status_page: boolean }>("/api/status")).body.data.status_page).toBe(false);
  });

  it("lists the models of the public groups, the worst first, with days and hours", async () => {
    const root = await site.as(await site.makeUser({ role: 100, username: "owner" }));
    const saved = await root.send("PUT", "/api/option/batch", {
      values: { StatusPageEnabled: true },
    });
    expect(saved.body).toMatchObject({ success: true });
    const { body, response } = await site.guest.get<StatusPage>("/api/model_status");
    const states = Object.fromEntries(body.data.models.map((model) => [model.model, model.state]));
    expect(states).toMatchObject({ absent: "outage", down: "outage", quiet: "no_data" });
    expect(["degraded", "operational"]).toContain(states["busy"]);
    expect(Object.keys(states).sort()).toEqual(["absent", "busy", "down", "quiet", "wild-one"]);
    expect(body.data.models.slice(0, 2).map(({ model }) => model)).toEqual(["absent", "down"]);
    const busy = body.data.models.find((model) => model.model === "busy");
    expect(busy?.availability_90d).toBeCloseTo(90 / 105);
    expect(busy?.daily).toHaveLength(90);
    expect(response.body).not.toMatch(/channel|request_count/);
  });

  it("has no data for days whose log was deleted", async () => {
    const { pool } = site.database;
    await pool.query(
      `INSERT INTO usage_hours (hour, user_id, token_id, channel_id, model, "group", request_count, failed_count, quota)
       VALUES (date_trunc('hour', now() - interval '30 days', 'UTC'), 1, 1, 1, 'busy', 'default', 50, 50, 1)`,
    );
    const { models } = await daysByModel(pool);
    expect(models.get("busy")?.[59]).toEqual({ served: 0, failed: 0 });
    expect(
      models
        .get("busy")
        ?.slice(-2)
        .some(({ served }) => served > 0),
    ).toBe(true);
  });
});
