import { request as httpRequest } from "node:http";
import type { ChannelRow } from "@gateway/shared/channels/channel";
import type {
  ChannelPulse,
  ChannelRun,
  ChannelRunDetail,
  ChannelTestRow,
} from "@gateway/shared/channels/channel-run";
import { ChannelRunInput } from "@gateway/shared/channels/channel-run";
import { reasonOf } from "@gateway/shared/reasons";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createChannelRunner } from "#domain/channels/runs/runner.ts";
import { beat, openRun } from "#domain/channels/runs/runs.ts";
import { buildConsole, type Browser, origin, type TestConsole } from "#test/console.ts";

let site: TestConsole;
let admin: Browser;

beforeAll(async () => {
  site = await buildConsole();
  await site.app.listen({ port: 0, host: "127.0.0.1" });
});
beforeEach(async () => {
  await site.services.db.channelRun.deleteMany();
  await site.services.db.channel.deleteMany();
  site.upstream.ok = true;
  admin = await site.as(await site.makeUser({ role: 10 }));
});
afterEach(async () => {
  const { db } = site.services;
  await expect.poll(() => db.channelRun.count({ where: { status: "running" } })).toBe(0);
});
afterAll(() => site.close());

async function create(values: object): Promise<ChannelRow> {
  const channel = { type: 1, key: "sk-a-key", models: ["gpt-4o"], groups: ["default"], ...values };
  const answer = await admin.send<ChannelRow>("POST", "/api/channel", channel);
  expect(answer.body).toMatchObject({ success: true });
  return answer.body.data;
}
const read = async (id: number) => (await admin.get<ChannelRow>(`/api/channel/${id}`)).body.data;
const begin = (body: object) => admin.send<ChannelRun>("POST", "/api/channel/run", body);
const detail = async (id: number) => (await admin.get<ChannelRunDetail>(`/api/channel/run/${id}`)).body.data;

async function ended(id: number): Promise<ChannelRunDetail> {
  await expect.poll(async () => (await detail(id)).run.status).not.toBe("running");
  return detail(id);
}

/** Returns every event of a stream, until it ends. */
function listen(path: string, options: { method?: string; body?: object } = {}): Promise<unknown[]> {
  const { port } = site.app.server.address() as { port: number };
  return new Promise((resolve, reject) => {
    const headers = {
      cookie: `session=${admin.cookie}`,
      ...origin,
      "content-type": "application/json",
      "accept-encoding": "gzip, br",
    };
    const call = httpRequest({ port, path, method: options.method ?? "GET", headers }, (response) => {
      let text = "";
      expect(response.headers["content-encoding"]).toBeUndefined();
      response.on("data", (piece: Buffer) => (text += piece.toString()));
      response.on("end", () =>
        resolve(
          response.statusCode !== 200
            ? [text]
            : [...text.matchAll(/^data: (.*)$/gm)].map(([, data = ""]) => JSON.parse(data) as unknown),
        ),
      );
    });
    call.on("error", reject);
    call.end(options.body === undefined ? undefined : JSON.stringify(options.body));
  });
}

describe("a run of tests", () => {
  it("ends although the result of one channel cannot be stored", async () => {
    const [one, two] = [await create({ name: "One" }), await create({ name: "Two" })];
    const { db } = site.services;
    await db.$executeRawUnsafe(`CREATE OR REPLACE FUNCTION refuse_item() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN IF NEW.channel_id = ${one.id} THEN RAISE EXCEPTION 'no'; END IF; RETURN NEW; END $$`);
    await db.$executeRawUnsafe(
      "CREATE TRIGGER refuse_item BEFORE UPDATE ON channel_run_items FOR EACH ROW EXECUTE FUNCTION refuse_item()",
    );
    try {
      const errors: unknown[] = [];
      const message = reasonOf("testSucceeded", { model: "gpt-4o" });
      const work = async () => ({ outcome: "ok" as const, model: "gpt-4o", duration: 1, message });
      const runner = createChannelRunner(db, { test: work, balance: work, models: work }, (error) =>
        errors.push(error),
      );
      const { run, items } = await ended(await runner.start(ChannelRunInput.parse({ kind: "test" }), null));
      expect(run.status).toBe("done");
      expect(items.find(({ channel_id }) => channel_id === two.id)).toMatchObject({ outcome: "ok" });
      expect(errors).toHaveLength(1);
      await runner.close();
    } finally {
      await db.$executeRawUnsafe("DROP TRIGGER refuse_item ON channel_run_items");
    }
  });

  it("tests the requested channels, and reports the result of each", async () => {
    const one = await create({ name: "One" });
    const two = await create({ name: "Two", models: ["kling-v2"] });
    const off = await create({ name: "Off" });
    await admin.send("PATCH", `/api/channel/${off.id}`, { status: 2 });
    const started = await begin({ kind: "test" });
    expect(started.body.data).toMatchObject({ kind: "test", total: 2 });
    const { run, items } = await ended(started.body.data.id);
    expect(run).toMatchObject({ status: "done", total: 2, ok: 2, failed: 0, skipped: 0 });
    expect(new Map(items.map((item) => [item.channel_id, item.outcome]))).toEqual(
      new Map([
        [one.id, "ok"],
        [two.id, "ok"],
      ]),
    );
    expect((await read(one.id)).response_time).toBe(12);
  });

  it("sends a watcher every event in order, from the beginning even if they join late, and then ends", async () => {
    const ids: number[] = [];
    for (const name of ["One", "Two", "Three"]) ids.push((await create({ name })).id);
    const { id } = (await begin({ kind: "test", ids, models: ["gpt-4o", "o3"] })).body.data;
    for (const events of [
      await listen(`/api/channel/run/${id}/events`),
      await listen(`/api/channel/run/${id}/events`),
    ] as ChannelRunDetail[][]) {
      const items = events.flatMap((event) => event.items);
      expect(new Set(items.map((item) => item.position)).size).toBe(6);
      expect(items).toHaveLength(6);
      expect(events.at(-1)?.run).toMatchObject({ status: "done", ok: 6 });
    }
    expect((await admin.get(`/api/channel/run/4711/events`)).status).toBe(404);
  });

  it("is rejected while another one runs, and can be stopped by any user on any node", async () => {
    const { db } = site.services;
    await create({ name: "One" });
    // Simulates another node.
    const { id } = await openRun(db, ChannelRunInput.parse({ kind: "test" }), null);
    const second = await begin({ kind: "test" });
    expect([second.status, second.body.message]).toEqual([409, "A test is already running."]);
    expect((await begin({ kind: "balance" })).status).toBe(200);
    const stopped = await admin.send<ChannelRun>("POST", `/api/channel/run/${id}/cancel`);
    expect(stopped.body.data).toMatchObject({ status: "cancelled", total: 1, ok: 0 });
    expect(await beat(db, id)).toBe(false);
    expect((await begin({ kind: "test" })).status).toBe(200);
  });

  it("is marked as interrupted when its node is gone", async () => {
    const { db } = site.services;
    await create({ name: "One" });
    const { id } = await openRun(db, ChannelRunInput.parse({ kind: "test" }), null);
    await db.channelRun.update({ where: { id }, data: { beat_time: new Date(Date.now() - 60_000) } });
    const runs = (await admin.get<ChannelRun[]>("/api/channel/run")).body.data;
    expect(runs).toMatchObject([{ id, status: "interrupted", username: null }]);
  });

  it("disables a channel when a second test confirms a refused key, and only where that is enabled", async () => {
    const one = await create({ name: "One" });
    const many = await create({ name: "Many", key: "sk-a\nsk-b" });
    site.upstream.ok = false;
    const { id } = (await begin({ kind: "test" })).body.data;
    const { items } = await ended(id);
    expect(items.find((item) => item.channel_id === one.id)?.message).toContain("Disabled: Two tests with");
    expect(await read(one.id)).toMatchObject({ status: 3 });
    const disabled = await read(one.id);
    expect(disabled.status_reason).toContain("The provider refuses the key");
    expect(disabled.status_facts).toMatchObject([
      { code: "testsFailed", params: { message: expect.any(String) } },
    ]);
    const item = items.find(({ channel_id }) => channel_id === one.id);
    expect(item?.message_facts.map(({ code }) => code)).toEqual(["disabled", "testsFailed"]);
    expect((await read(many.id)).status).toBe(1);
    site.upstream.ok = true;
    await ended((await begin({ kind: "test" })).body.data.id);
    expect((await read(one.id)).status).toBe(1);
  });

  it("disables a channel slower than the threshold", async () => {
    const { db, settings } = site.services;
    const { id } = await create({ name: "Slow" });
    const set = async (value: number) => {
      await db.option.upsert({
        where: { key: "ChannelDisableThreshold" },
        update: { value },
        create: { key: "ChannelDisableThreshold", value },
      });
      await settings.reload();
    };
    await set(0.011);
    await ended((await begin({ kind: "test" })).body.data.id);
    expect(await read(id)).toMatchObject({ status: 3 });
    expect((await read(id)).status_reason).toContain("took longer than 0.011 s");
    await set(0);
  });
});

describe("the history of tests", () => {
  it("keeps the newest hundred of a channel, newest first, and a summary for the list", async () => {
    const { db } = site.services;
    const { id } = await create({ name: "One" });
    await db.channelTest.createMany({
      data: Array.from({ length: 150 }, (_, index) => ({
        channel_id: id,
        model: "gpt-4o",
        ok: true,
        duration_ms: index,
      })),
    });
    await admin.send("POST", `/api/channel/${id}/test`, {});
    expect(await db.channelTest.count({ where: { channel_id: id } })).toBe(100);
    const tests = (await admin.get<ChannelTestRow[]>(`/api/channel/${id}/tests`)).body.data;
    expect(tests.map((test) => test.duration).slice(0, 2)).toEqual([12, 149]);
    const untested = await create({ name: "Two" });
    const lines = (await admin.get<ChannelPulse[]>(`/api/channel/tests?ids=${id},${untested.id}`)).body.data;
    expect(lines).toHaveLength(1);
    expect(lines[0]?.points).toHaveLength(20);
    expect(lines[0]?.points.at(-1)).toMatchObject({ ok: true, duration: 12 });
    expect((await admin.get("/api/channel/tests?ids=1;drop")).status).toBe(400);
  });
});

describe("a balance", () => {
  it("is queried, stored with its currency, or reported as not available", async () => {
    const one = await create({ name: "One", base_url: "https://provider.example" });
    const silent = await create({ name: "Silent" });
    const known = await admin.send("POST", `/api/channel/update_balance/${one.id}`);
    expect(known.body.data).toEqual({ balance: 12.5, currency: "CNY" });
    expect(await read(one.id)).toMatchObject({ balance: 12.5, balance_currency: "CNY" });
    expect((await admin.send("POST", `/api/channel/update_balance/${silent.id}`)).body.data).toBeNull();
    const { id } = (await admin.send<ChannelRun>("POST", "/api/channel/update_balance")).body.data;
    const { run, items } = await ended(id);
    expect(run).toMatchObject({ kind: "balance", ok: 1, skipped: 1 });
    expect(new Set(items.map((item) => item.message))).toEqual(
      new Set(["CNY 12.50", "This provider does not report the balance."]),
    );
  });
});

describe("a check of a model", () => {
  it("streams a result per model and reports the end", async () => {
    const { id } = await create({ name: "One" });
    const body = { id, models: "gpt-4o, o3,,gpt-4o" };
    expect(await listen("/api/sse/channel/check", { method: "POST", body })).toEqual([
      { type: "result", data: { model: "gpt-4o", process: [] } },
      { type: "result", data: { model: "o3", process: [] } },
      { type: "done", data: null },
    ]);
    expect((await admin.send("POST", "/api/sse/channel/check", { id, models: " " })).status).toBe(400);
    expect((await admin.send("POST", "/api/sse/channel/check", { id: 4711, models: "a" })).status).toBe(404);
  });
});
