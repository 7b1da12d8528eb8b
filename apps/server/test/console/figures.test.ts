import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { BudgetView, OwnBudget } from "@gateway/shared/accounts/budget";
import type { Self } from "@gateway/shared/accounts/session";
import type { TokenPage } from "@gateway/shared/accounts/token";
import type { UserDetail, UserListRow } from "@gateway/shared/accounts/user";
import type { StatementLine } from "@gateway/shared/billing/statement";
import type { ChannelPage } from "@gateway/shared/channels/channel";
import type { OwnPeriod, Period } from "@gateway/shared/usage/analytics";
import type { Dashboard } from "@gateway/shared/usage/dashboard";
import { averageDurationOf, averageFirstByteOf, callsOf, tokensOf } from "@gateway/shared/usage/figures";
import type { Insights } from "@gateway/shared/usage/insights";
import type { LogRow, LogTotals } from "@gateway/shared/usage/log";
import type { ObjectUsage } from "@gateway/shared/usage/object-usage";
import type { Overview } from "@gateway/shared/usage/overview";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { localDate, startOfDay } from "#platform/local-days.ts";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";
import { type ScriptedServer, startScriptedServer } from "#test/scripted-servers.ts";

/**
 * Every figure that two screens show has one value. The calls go through two channels: one serves its model, the other
 * answers each call with a slow model_not_found. One more call names a model that no channel has, and one is two web
 * searches.
 */
const searches = 2;
const served = 4;
const unknownToProvider = 2;
const slowMs = 400;
/** Where days and months of limits end. It is never the same day there as in UTC for the whole day. */
const siteZone = "Pacific/Auckland";
const [good, missing] = ["good-model", "missing-model"];

let gateway: TestGateway;
let provider: Server;
let engine: ScriptedServer;
let channels: { good: number; missing: number };
let token: number;
let shown: Awaited<ReturnType<typeof readScreens>>;

beforeAll(async () => {
  gateway = await startTestGateway();
  provider = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      const answer = (status: number, value: object) =>
        response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
      if (body.includes(missing))
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
          usage: { prompt_tokens: 1_000, completion_tokens: 500, total_tokens: 1_500 },
        });
    });
  });
  await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve));
  // Without it, the second call of the missing model would find its channel paused.
  await gateway.api("PUT", "/option", { key: "RetryCooldownSeconds", value: 0 });
  await gateway.api("PUT", "/option", { key: "TimeZone", value: siteZone });
  const base_url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
  for (const model of [good, missing]) await gateway.addPrice(model);
  const common = { type: 1, base_url, auto_disable: false };
  const [one, two] = [
    await gateway.addChannel({ ...common, name: "good", models: [good] }),
    await gateway.addChannel({ ...common, name: "missing", models: [missing] }),
  ];
  channels = { good: one.id, missing: two.id };
  const { key, id } = await gateway.addToken({ unlimited_quota: true });
  token = id;
  // A limit that nothing reaches: its use is shown.
  const budget = { daily_spend: 1_000_000_000, monthly_spend: 1_000_000_000 };
  await gateway.api("PUT", `/token/admin/${token}/budget`, { budget });
  const call = (model: string) =>
    gateway
      .openai(key)
      .chat.completions.create({ model, max_tokens: 600, messages: [{ role: "user", content: "Hello" }] })
      .catch(() => undefined);
  for (let n = 0; n < served - 1; n += 1) await call(good);
  await search(key);
  for (let n = 0; n < unknownToProvider; n += 1) await call(missing);
  await call("invented-model");
  await gateway.logs(served + unknownToProvider + 1);
  shown = await readScreens();
});
afterAll(async () => {
  await gateway.stop();
  provider.close();
  await engine.close();
});

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

/** Requests what each screen requests. */
async function readScreens() {
  const { api } = gateway;
  const overview = await api<Overview>("GET", "/overview");
  const period = `start_timestamp=${overview.since}&end_timestamp=${overview.since + 24 * 3600}&time_zone=UTC`;
  const log = (filter: string) =>
    api<LogTotals>("GET", `/log/stat?start_timestamp=${overview.since}&${filter}`);
  const calls = async (filter: string) => {
    const [ok, failed] = [await log(`log_type=2&${filter}`), await log(`log_type=5&${filter}`)];
    return { requests: ok.count + failed.count, failed: failed.count, ...ok };
  };
  const [row] = await gateway.logs(1);
  const user = row?.user_id ?? 0;
  const today = localDate(new Date(), siteZone);
  const chargedSince = async (date: string) => {
    const from = Math.floor(startOfDay(date, siteZone).getTime() / 1_000);
    return (await api<LogTotals>("GET", `/log/stat?start_timestamp=${from}&token_name=test`)).quota;
  };
  const tokens = await api<TokenPage>("GET", "/token?size=100");
  return {
    users: (await api<{ data: UserListRow[] }>("GET", "/user?size=100")).data.find(({ id }) => id === user),
    userDetail: await api<UserDetail>("GET", `/user/${user}`),
    self: await api<Self>("GET", "/user/self"),
    channelList: (await api<ChannelPage>("GET", "/channel?size=100")).data,
    tokenRow: tokens.data.find(({ id }) => id === token),
    token: await api<ObjectUsage>("GET", `/token/${token}/usage?time_zone=UTC`),
    statement: await api<StatementLine[]>("GET", "/user/invoice/running"),
    tokenBudget: await api<BudgetView>("GET", `/token/admin/${token}/budget`),
    ownBudget: await api<OwnBudget>("GET", "/user/self/budget"),
    logSince: { day: await chargedSince(today), month: await chargedSince(`${today.slice(0, 7)}-01`) },
    overview,
    analytics: await api<Period>("GET", `/analytics/period?${period}&group_type=channel`),
    models: await api<Period>("GET", `/analytics/period?${period}&group_type=model`),
    insights: await api<Insights>("GET", `/analytics/insights?${period}`),
    log: await calls(""),
    logOf: {
      good: await calls(`channel_id=${channels.good}`),
      missing: await calls(`channel_id=${channels.missing}`),
    },
    logOfModel: await calls(`model_name=${good}`),
    logOfToken: await calls("token_name=test"),
    channel: {
      good: await api<ObjectUsage>("GET", `/channel/${channels.good}/usage?time_zone=UTC`),
      missing: await api<ObjectUsage>("GET", `/channel/${channels.missing}/usage?time_zone=UTC`),
    },
    user: await api<ObjectUsage>("GET", `/user/${user}/usage?time_zone=UTC`),
    // Two days, so that the calls are included when the test runs at midnight.
    own: await api<Dashboard>("GET", "/user/dashboard?time_zone=UTC&days=2"),
    usage: await api<OwnPeriod>("GET", `/user/period?${period}&group_type=model`),
    usageOfKeys: await api<OwnPeriod>("GET", `/user/period?${period}&group_type=token`),
  };
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
const named = <Row extends { name: string }>(rows: readonly Row[], name: string) =>
  rows.find((row) => row.name === name);

/** Value by figure, then by screen. The names are those of docs/figures.md. */
function figures(): Record<string, Record<string, unknown>> {
  const { overview, analytics, models, insights, log, logOf, logOfModel, channel, user, own, usage } = shown;
  const { traffic, channels: health } = overview;
  const { totals } = analytics;
  const { users, userDetail, self, tokenRow, statement, tokenBudget, ownBudget, logSince } = shown;
  const usedOfBudget = (period: string) => tokenBudget.uses.find((use) => use.period === period)?.used;
  const ownSum = (of: (row: Dashboard["usage"][number]) => number) => sum(own.usage.map(of));
  const both = <Value>(of: (name: "good" | "missing") => Value) => [of("good"), of("missing")];
  return {
    Requests: {
      Dashboard: traffic?.requests.now,
      Analytics: callsOf(totals),
      Log: log.requests,
      // The call of an unknown model and the searches without a model belong to no channel.
      Channel: sum(both((name) => sum(channel[name].requests))) + 2,
      User: sum(user.requests),
      Own: ownSum(callsOf),
      Usage: callsOf(usage.totals),
    },
    Successful: {
      Analytics: totals.request_count,
      Log: log.count,
      User: userDetail.request_count,
      Own: self.request_count,
      Usage: usage.totals.request_count,
      Lists: users?.request_count,
      Statement: sum(statement.map((line) => line.request_count)),
    },
    Failed: {
      Dashboard: traffic?.failed.now,
      Analytics: totals.failed_count,
      Log: log.failed,
      Channel: sum(both((name) => sum(channel[name].failed))) + 1,
      User: sum(user.failed),
      Own: ownSum((row) => row.failed_count),
      Usage: usage.totals.failed_count,
    },
    "Requests by channel": {
      Dashboard: both((name) => sum(named(health?.rows ?? [], name)?.requests ?? [])),
      Analytics: both((name) => named(insights.channels, name)?.requests),
      Log: both((name) => logOf[name].requests),
      Channel: both((name) => sum(channel[name].requests)),
    },
    "Failed by channel": {
      Dashboard: both((name) => sum(named(health?.rows ?? [], name)?.failed ?? [])),
      Analytics: both((name) => named(insights.channels, name)?.failed),
      Log: both((name) => logOf[name].failed),
      Channel: both((name) => sum(channel[name].failed)),
    },
    Tokens: {
      Dashboard: traffic?.tokens.now,
      Analytics: tokensOf(totals),
      Log: tokensOf(log),
      User: sum(user.days.map((day) => day.tokens)),
      Own: ownSum(tokensOf),
      Usage: tokensOf(usage.totals),
    },
    Charged: {
      Dashboard: traffic?.charged.now,
      Analytics: totals.quota,
      Log: log.quota,
      User: sum(user.charged),
      Own: ownSum((row) => row.quota),
      Usage: usage.totals.quota,
      Statement: sum(statement.map((line) => line.quota)),
    },
    "Charged in total": {
      Log: log.quota,
      User: userDetail.used_quota,
      Own: self.used_quota,
      Lists: users?.used_quota,
    },
    "Charged by channel": {
      Dashboard: both((name) => named(health?.rows ?? [], name)?.charged),
      Analytics: both((name) => named(insights.channels, name)?.quota),
      Log: both((name) => logOf[name].quota),
      Channel: both((name) => sum(channel[name].charged)),
      Lists: both((name) => named(shown.channelList, name)?.used_quota),
    },
    "Charged by API key": {
      Log: shown.logOfToken.quota,
      Usage: sum(shown.usageOfKeys.channel_statistics.map((row) => row.Quota)),
      Token: sum(shown.token.charged),
      Lists: tokenRow?.used_quota,
    },
    "Charged today by API key": {
      Log: logSince.day,
      Token: usedOfBudget("day"),
      Lists: tokenRow?.day_quota,
    },
    "Charged this month by API key": {
      Log: logSince.month,
      Own: ownBudget.month.used,
      Token: usedOfBudget("month"),
      Lists: tokenRow?.month_quota,
    },
    "Average duration": {
      Analytics: averageDurationOf(totals),
      Own: averageDurationOf({
        request_count: ownSum((row) => row.request_count),
        request_time: ownSum((row) => row.request_time),
      }),
      Usage: averageDurationOf(usage.totals),
    },
    "Median duration": { Dashboard: traffic?.latency.now.p50, User: user.latency.p50 },
    "Median first token": { Dashboard: traffic?.latency.now.first_p50, User: user.latency.first_p50 },
    "Charged by model": {
      Dashboard: named(traffic?.models ?? [], good)?.now,
      Analytics: sum(models.channel_statistics.filter((row) => row.Channel === good).map((row) => row.Quota)),
      Log: logOfModel.quota,
      User: named(user.models, good)?.charged,
      Own: sum(own.usage.filter((row) => row.model === good).map((row) => row.quota)),
      Usage: sum(usage.channel_statistics.filter((row) => row.Channel === good).map((row) => row.Quota)),
    },
    "Web searches": { Analytics: analytics.searches.count, Usage: usage.searches.count },
    "Cost of searches": { Analytics: analytics.searches.quota, Usage: usage.searches.quota },
  };
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

describe("figures", () => {
  it("are compared on every screen that the documentation names", () => {
    const compared = Object.entries(figures()).map(([figure, screens]) => [figure, Object.keys(screens)]);
    expect(Object.fromEntries(compared)).toEqual(documentedScreens());
  });

  it("have one value on all of their screens", () => {
    for (const [figure, screens] of Object.entries(figures())) {
      const [first, ...others] = Object.entries(screens);
      expect(first?.[1], `${figure}, ${first?.[0]}`).toBeDefined();
      for (const [screen, value] of others)
        expect(value, `${figure}: ${screen} and ${first?.[0]}`).toEqual(first?.[1]);
    }
  });

  it("count failed calls for the channel that was tried last, and for none if none was tried", () => {
    const values = figures();
    expect(values["Requests"]?.["Log"]).toBe(served + unknownToProvider + 1);
    expect(values["Failed by channel"]?.["Log"]).toEqual([0, unknownToProvider]);
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
