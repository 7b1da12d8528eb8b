import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import {
  type ComparisonDetail,
  ComparisonEvent,
  type ComparisonForm,
  ComparisonInput,
  type ComparisonRow,
} from "@gateway/shared/site/comparison";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createComparisons } from "#migration/compare/comparisons.ts";
import { oneHubColumns } from "#migration/products/one-hub/columns.ts";
import { type ForeignDatabase, foreignDatabase } from "#test/cli/foreign-database.ts";
import { type Browser, buildConsole, origin, type TestConsole } from "#test/console.ts";

let site: TestConsole;
let root: Browser;
let source: ForeignDatabase;
let channel: number;
let hanging: Server;
let hangingUrl: string;

/** Minutes ago: older than the window, so that a missing row counts. */
const at = (minutes: number) => new Date(Date.now() - minutes * 60_000);

beforeAll(async () => {
  site = await buildConsole();
  root = await site.as(await site.makeUser({ role: 100 }));
  ({ id: channel } = await site.database.db.channel.create({
    data: { name: "Old gateway", type: 1, base_url: "https://old.example.com" },
  }));
  const rows = [
    { id: "equal", minutes: 10, quota: 500 },
    { id: "cheaper", minutes: 20, quota: 700 },
    { id: "dearer", minutes: 30, quota: 90_000 },
    { id: "only-here", minutes: 40, quota: 40 },
  ];
  for (const [place, { id, minutes, quota }] of rows.entries())
    await site.database.pool.query(
      `INSERT INTO request_logs (request_id, created_at, user_id, type, channel_id, model_name, prompt_tokens, completion_tokens, quota, attempts)
       VALUES ($1, $2, 1, 2, $3, 'm', $4, 5, $5, $6)`,
      [
        id,
        at(minutes),
        channel,
        10 + place,
        quota,
        JSON.stringify([
          { channel_id: channel, channel_name: "", result: "ok", status: 200, duration: 1, message: "" },
        ]),
      ],
    );
  source = await foreignDatabase("postgres", oneHubColumns, {
    options: [{ key: "QuotaPerUnit", value: "500000" }],
    logs: [500, 800, 1_000].map((quota, place) => ({
      id: place + 1,
      user_id: 1,
      created_at: Math.floor(at((place + 1) * 10).getTime() / 1_000),
      type: 2,
      username: "root",
      token_name: "bridge",
      model_name: "m",
      prompt_tokens: 10 + place,
      completion_tokens: 5,
      quota,
      request_time: 1,
      metadata: "{}",
    })),
  });
  hanging = createServer(() => undefined);
  await new Promise<void>((resolve) => void hanging.listen(0, "127.0.0.1", resolve));
  hangingUrl = `http://127.0.0.1:${(hanging.address() as AddressInfo).port}`;
});
afterAll(async () => {
  hanging.closeAllConnections();
  hanging.close();
  await site.close();
  await source.remove();
});

const form = (change: Partial<ComparisonForm> = {}): ComparisonForm => ({
  product: "one-hub",
  channel_id: channel,
  key_name: "bridge",
  source: { kind: "database", address: source.from },
  ...change,
});
const api = (change: object = {}) =>
  form({ source: { kind: "api", url: hangingUrl, access_token: "topsecret", ...change } });

/** Compares, and returns the events. */
async function run(body: ComparisonForm): Promise<ComparisonEvent[]> {
  const response = await site.app.inject({
    method: "POST",
    url: "/api/migration/comparison",
    headers: { ...origin, cookie: `session=${root.cookie}` },
    payload: body,
  });
  expect(response.statusCode, response.body).toBe(200);
  return response.body
    .split("\n\n")
    .filter((block) => block.startsWith("data: "))
    .map((block) => ComparisonEvent.parse(JSON.parse(block.slice(6))));
}

it("compares a channel with the old gateway's database, and keeps the report without its password", async () => {
  const events = await run(form());
  const last = events.at(-1);
  expect(last).toMatchObject({ type: "done" });
  const id = last?.type === "done" ? last.id : 0;
  const { body } = await root.get<ComparisonDetail>(`/api/migration/comparison/${id}`);
  expect(body.data).toMatchObject({
    title: "One Hub",
    report: {
      channel: { id: channel, name: "Old gateway" },
      key_name: "bridge",
      calls: { compared: 3, equal: 1, deviating: 2, missing_there: 1, missing_here: 0 },
      totals: { here: "91200", source: "2300" },
      ok: false,
    },
  });
  // The largest difference first; a missing call differs by its whole charge.
  expect(body.data.report.deviations.map(({ kind, here }) => [kind, here?.id])).toEqual([
    ["charge", "dearer"],
    ["charge", "cheaper"],
    ["missing_there", "only-here"],
  ]);
  const list = await root.get<ComparisonRow[]>("/api/migration/comparison");
  expect(list.body.data).toMatchObject([{ id, title: "One Hub", key_name: "bridge", calls: { equal: 1 } }]);
  const { rows } = await site.database.pool.query<{ row: string }>(
    "SELECT comparisons::text AS row FROM comparisons",
  );
  const kept = [rows, events, list.body, body].map((each) => JSON.stringify(each)).join();
  expect(kept).not.toContain(`:${new URL(source.from).password}@`);
  expect((await root.get("/api/migration/comparison/999")).status).toBe(404);
});

it("is for root only", async () => {
  const admin = await site.as(await site.makeUser({ role: 10 }));
  for (const answer of [
    await admin.send("POST", "/api/migration/comparison", form()),
    await admin.get("/api/migration/comparison"),
    await admin.get("/api/migration/comparison/1"),
    await admin.get("/api/migration/comparison/products"),
  ])
    expect(answer.status).toBe(403);
});

it("lists LiteLLM without a management API", async () => {
  const { body } = await root.get<object[]>("/api/migration/comparison/products");
  expect(body.data).toContainEqual({ id: "one-hub", title: "One Hub", has_log_api: true });
  expect(body.data).toContainEqual({ id: "litellm", title: "LiteLLM", has_log_api: false });
});

it("refuses addresses of files, and what cannot be compared, before it connects", async () => {
  const refused: [ComparisonForm, number][] = [
    ...["/etc/passwd", "postgres:///x?host=/var/run", "postgres://a:b@host/x?sslrootcert=/etc/passwd"].map(
      (address): [ComparisonForm, number] => [form({ source: { kind: "database", address } }), 400],
    ),
    ...["file:///etc/passwd", "ftp://host", "https://user:pw@host", "host"].map(
      (url): [ComparisonForm, number] => [api({ url }), 400],
    ),
    [api({ access_token: "two\nlines" }), 400],
    [{ ...api(), product: "litellm" }, 400],
    [form({ product: "other" }), 400],
    [form({ channel_id: 4_711 }), 404],
    [form({ key_name: " " }), 400],
    [form({ hours: 745 }), 400],
  ];
  for (const [body, status] of refused)
    expect((await root.send("POST", "/api/migration/comparison", body)).status, JSON.stringify(body)).toBe(
      status,
    );
});

it("reports why the old gateway could not be read", async () => {
  const failure = async (body: ComparisonForm) => (await run(body)).at(-1);
  expect(await failure(api({ url: "http://127.0.0.1:9" }))).toMatchObject({
    type: "failed",
    failure: { code: "conflict", params: { reason: "old_gateway_unreachable", origin: "127.0.0.1:9" } },
  });
  expect(await failure(form({ product: "new-api" }))).toMatchObject({
    failure: { params: { reason: "source_other_product", other: "One Hub" } },
  });
  const wrong = new URL(source.from);
  wrong.password = "topsecret";
  wrong.port = "9";
  const unreadable = await failure(form({ source: { kind: "database", address: wrong.href } }));
  expect(unreadable).toMatchObject({ failure: { params: { reason: "source_unreadable" } } });
  expect(JSON.stringify(unreadable)).not.toContain("topsecret");
});

it("runs one comparison at a time, and ends it when its reader leaves or after its time limit", async () => {
  const { comparisons } = site.services;
  const input = ComparisonInput.parse(api());
  const first = await comparisons.start(input);
  expect((await first.next()).value).toMatchObject({ type: "progress" });
  expect(await root.send("POST", "/api/migration/comparison", form())).toMatchObject({
    status: 409,
    body: { code: "conflict", params: { reason: "comparison_running" } },
  });
  await first.return(undefined);
  // It holds nothing back from the next one.
  expect((await run(form())).at(-1)?.type).toBe("done");

  const { db, pool } = site.database;
  const brief = createComparisons({ db, pool, onError: expect.fail, minutes: 0.005 });
  const events: unknown[] = [];
  for await (const event of await brief.start(input)) events.push(event);
  expect(events.at(-1)).toMatchObject({ failure: { params: { reason: "comparison_timeout" } } });
});
