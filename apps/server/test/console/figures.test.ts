import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Period } from "@gateway/shared/usage/analytics";
import { averageDurationOf, averageFirstByteOf } from "@gateway/shared/usage/figures";
import type { LogRow } from "@gateway/shared/usage/log";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";
import { type ScriptedServer, startScriptedServer } from "#test/scripted-servers.ts";
import { readScreens, type Screens } from "./console-screens.ts";
import { figuresOf } from "./shown-figures.ts";

/**
 * Every figure that two screens show has one value. The calls go through two channels: one serves its models, the other
 * answers each call with a slow model_not_found. Both have one model in common, whose call the first one takes over. One
 * more call names a model that no channel has, and one is two web searches. All calls but the searches are one session.
 */
const searches = 2;
const served = 5;
const unknownToProvider = 2;
const slowMs = 400;
const groupRatio = 2;
/** It is never the same day there as in UTC for the whole day. */
const siteZone = "Pacific/Auckland";
const [good, missing, common] = ["good-model", "missing-model", "common-model"];
const session = "work";
const keyOfMissing = "key-of-missing";

let gateway: TestGateway;
let provider: Server;
let engine: ScriptedServer;
let channels: { good: number; missing: number };
let shown: Screens;

beforeAll(async () => {
  gateway = await startTestGateway();
  provider = createServer((request, response) => {
    request.resume().on("end", () => {
      const answer = (status: number, value: object) =>
        response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
      if (request.headers.authorization?.endsWith(keyOfMissing))
        setTimeout(
          () => answer(404, { error: { message: "There is no such model", code: "model_not_found" } }),
          slowMs,
        );
      else
        answer(200, {
          id: "a",
          object: "chat.completion",
          created: 1,
          model: good,
          choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "Hello" } }],
          usage: {
            prompt_tokens: 1_000,
            completion_tokens: 500,
            total_tokens: 1_500,
            prompt_tokens_details: { cached_tokens: 400 },
          },
        });
    });
  });
  await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve));
  // Without a cooldown of 0, the second call of the missing model would find its channel paused.
  const values = { RetryCooldownSeconds: 0, TimeZone: siteZone, StatusPageEnabled: true };
  await gateway.api("PUT", "/option/batch", { values });
  await setGroupRatio();
  const base_url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
  for (const model of [good, missing, common]) await gateway.addPrice(model);
  const base = { type: 1, base_url, auto_disable: false };
  const [one, two] = [
    await gateway.addChannel({ ...base, name: "good", models: [good, common] }),
    await gateway.addChannel({
      ...base,
      name: "missing",
      key: keyOfMissing,
      models: [missing, common],
      priority: 10,
    }),
  ];
  channels = { good: one.id, missing: two.id };
  const { key, id } = await gateway.addToken({ unlimited_quota: true });
  // A limit that nothing reaches: its use is shown.
  const budget = { daily_spend: 1_000_000_000, monthly_spend: 1_000_000_000 };
  await gateway.api("PUT", `/token/admin/${id}/budget`, { budget });
  const call = (model: string) =>
    gateway
      .openai(key)
      .chat.completions.create(
        { model, max_tokens: 600, messages: [{ role: "user", content: "Hello" }] },
        { headers: { "x-session-id": session } },
      )
      .catch(() => undefined);
  for (let n = 0; n < served - 2; n += 1) await call(good);
  await call(common);
  await search(key);
  for (let n = 0; n < unknownToProvider; n += 1) await call(missing);
  await call("invented-model");
  await gateway.logs(served + unknownToProvider + 1);
  shown = await readScreens(gateway, {
    models: { good, missing },
    channels,
    token: { id, name: "test" },
    session,
    siteZone,
    closedMonth: await closeMonth(),
    groupRatio,
  });
});
afterAll(async () => {
  await gateway.stop();
  provider.close();
  await engine.close();
});

/** Makes charges and list prices differ. */
async function setGroupRatio(): Promise<void> {
  const { data } = await gateway.api<{ data: { id: number; symbol: string }[] }>("GET", "/user_group");
  const group = data.find(({ symbol }) => symbol === "default");
  await gateway.api("PUT", `/user_group/${group?.id}`, { ratio: groupRatio });
}

/** Runs two searches without a model, at the terms of the model that is served. */
async function search(key: string): Promise<void> {
  engine = await startScriptedServer();
  engine.play(() => ({ json: { results: [{ url: "https://example.com/", title: "A", content: "B" }] } }));
  const values = { WebSearchEngine: "searxng", WebSearchAddress: engine.url };
  await gateway.api("PUT", "/option/batch", { values });
  const query = { search_query: Array.from({ length: searches }, (_, n) => ({ q: `tea ${n}` })) };
  await fetch(`${gateway.url}/v1/alpha/search`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: good, commands: query }),
  });
}

/** Closes a month with usage, which is older than the 30 days of a chart. Returns it as YYYY-MM. */
async function closeMonth(now = new Date()): Promise<string> {
  const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 2));
  await gateway.database.pool.query(
    `INSERT INTO usage_hours (hour, user_id, token_id, channel_id, model, "group", request_count, quota, prompt_tokens)
     SELECT $1::timestamptz, id, 0, 0, m, 'default', 4, 250000, 4000
       FROM users, unnest(ARRAY['one', 'other']) m WHERE username = 'root'`,
    [month],
  );
  const name = month.toISOString().slice(0, 7);
  await gateway.api("POST", `/option/invoice/gen/${name}`);
  return name;
}

/** Reads the table "Screens" of docs/figures.md. */
function documentedScreens(): Record<string, string[]> {
  const text = readFileSync(new URL("../../../../docs/figures.md", import.meta.url), "utf8");
  const lines = text
    .slice(text.indexOf("\n## Screens"))
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .map((line) => line.split("|").slice(1, -1))
    .map((cells) => cells.map((cell) => cell.trim()));
  const [head = [], , ...rows] = lines;
  return Object.fromEntries(
    rows.map(([figure = "", ...cells]) => [
      figure,
      head.slice(1).filter((_, place) => cells[place] === "yes"),
    ]),
  );
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

describe("figures", () => {
  it("are compared on every screen that the documentation names", () => {
    const compared = Object.entries(figuresOf(shown)).map(([figure, screens]) => [
      figure,
      Object.keys(screens),
    ]);
    expect(Object.fromEntries(compared)).toEqual(documentedScreens());
  });

  it("have one value on all of their screens", () => {
    for (const [figure, screens] of Object.entries(figuresOf(shown))) {
      const [first, ...others] = Object.entries(screens);
      expect(first?.[1], `${figure}, ${first?.[0]}`).toBeDefined();
      for (const [screen, value] of others)
        expect(value, `${figure}: ${screen} and ${first?.[0]}`).toEqual(first?.[1]);
    }
  });

  it("count failed calls for the channel that was tried last, and for none if none was tried", () => {
    const values = figuresOf(shown);
    expect(values["Requests"]?.["Log"]).toBe(served + unknownToProvider + 1);
    expect(values["Failed by channel"]?.["Log"]).toEqual([0, unknownToProvider]);
    expect(values["Availability by model"]?.["Status"]).toEqual([1, 0]);
    // The call that the other channel took over is a failed attempt as well.
    const attempts = unknownToProvider + 1;
    expect(values["Success by channel"]?.["Channel"]).toEqual([
      [served - 1, 0],
      [attempts, attempts],
    ]);
    expect(shown.channel.missing.failures.reasons).toMatchObject([{ code: "model_not_found", status: 404 }]);
  });

  it("of the own usage are the same by model and by API key", () => {
    const { usage, usageOfKeys } = shown;
    expect(usageOfKeys.totals).toEqual(usage.totals);
    expect(new Set(usageOfKeys.channel_statistics.map((row) => row.Channel))).toEqual(new Set(["test"]));
  });

  it("count the searches of the gateway, and their cost as a part of the charge", async () => {
    const row = (await gateway.logs(1)).find(({ endpoint }) => endpoint === "/v1/alpha/search");
    expect(shown.analytics.searches).toEqual({ count: searches, quota: row?.quota });
    expect(row?.quota).toBeGreaterThan(0);
    const ofRows = (rows: Period["channel_statistics"]) => [
      sum(rows.map((each) => each.SearchCount)),
      sum(rows.map((each) => each.SearchQuota)),
    ];
    for (const { channel_statistics } of [shown.models, shown.usage, shown.usageOfKeys])
      expect(ofRows(channel_statistics)).toEqual([searches, row?.quota]);
  });

  it("measure duration and first token on successful calls only", async () => {
    const { totals } = shown.analytics;
    const rows = (await gateway.logs(1)).filter((row) => row.type === 2);
    const averageOf = (of: (row: LogRow) => number) => sum(rows.map(of)) / rows.length;
    expect(averageDurationOf(totals)).toBe(averageOf((row) => row.request_time));
    expect(averageFirstByteOf(totals)).toBe(averageOf((row) => row.first_byte_time));
    const { p50, first_p50 } = shown.user.latency;
    expect(first_p50).toBeLessThanOrEqual(p50 ?? 0);
  });
});

describe("a failed call in the log", () => {
  it("names the channel that was tried last", async () => {
    const rows = await gateway.logs(1);
    const of = (model: string) => rows.filter((row: LogRow) => row.model_name === model && row.type === 5);
    expect(of(missing).map((row) => row.channel_id)).toEqual(
      Array.from({ length: unknownToProvider }, () => channels.missing),
    );
  });
});
