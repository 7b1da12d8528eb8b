import type { LiveEvent } from "@gateway/shared/live-event";
import type { AccountEvent, Dashboard } from "@gateway/shared/usage/dashboard";
import { type Overview, OVERVIEW_HOURS } from "@gateway/shared/usage/overview";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestGateway, testAccessToken, type TestGateway } from "#test/gateway.ts";

/** The overview of a gateway that serves calls, and its live updates. */
let gateway: TestGateway;
let key: string;

beforeAll(async () => {
  gateway = await startTestGateway();
  await gateway.addChannel({ type: 8, name: "first" });
  ({ key } = await gateway.addToken({ unlimited_quota: true }));
});
afterAll(() => gateway.stop());

function call(token: string, model = "demo-chat") {
  const messages = [{ role: "user" as const, content: "hello" }];
  return gateway.openai(token).chat.completions.create({ model, messages });
}

const overview = () => gateway.api<Overview>("GET", "/overview");
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** Reads events until one matches, then disconnects. */
async function firstData<T>(path: string, fits: (data: T) => boolean = () => true): Promise<T> {
  const response = await fetch(`${gateway.url}/api${path}`, {
    headers: { "api-version": "2", authorization: testAccessToken },
    signal: AbortSignal.timeout(30_000),
  });
  expect(response.headers.get("content-type")).toContain("text/event-stream");
  let rest = "";
  const decoder = new TextDecoder();
  for await (const piece of response.body ?? []) {
    const blocks = (rest + decoder.decode(piece, { stream: true })).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      if (!block.startsWith("data: ")) continue;
      const event = JSON.parse(block.slice(6)) as LiveEvent<T>;
      if (event.type === "data" && fits(event.data)) return event.data;
    }
  }
  throw new Error("The stream ended.");
}

describe("the overview of a gateway", () => {
  it("sends a new call to clients of the events, and agrees with the log and the ledger", async () => {
    const before = await overview();
    expect(before.traffic?.requests.now).toBe(0);
    expect(before.channels?.rows).toMatchObject([{ name: "first", status: 1 }]);
    const reported = firstData<Overview>(
      `/overview/events?seen=${before.version}`,
      ({ traffic }) => traffic?.requests.now === 1,
    );
    await call(key);
    const event = await reported;
    const [row] = await gateway.logs(1);
    expect(row?.quota).toBeGreaterThan(0);
    expect(event.traffic).toMatchObject({
      charged: { now: row?.quota },
      provider_cost: { now: row?.quota },
      tokens: { now: (row?.prompt_tokens ?? 0) + (row?.completion_tokens ?? 0) },
      failed: { now: 0 },
      latency: { now: { calls: 1, p50: row?.request_time, p95: row?.request_time } },
      rate: { rpm: 1 },
      models: [{ name: "demo-chat", now: row?.quota, before: 0, requests: 1 }],
    });
    expect(event.channels?.rows[0]?.requests.at(-1)).toBe(1);
    expect(await gateway.drift()).toBe(0n);
  });

  it("shows attempts that failed although another channel served the call", async () => {
    const { id } = await gateway.addChannel({
      type: 8,
      name: "refused",
      key: "demo-fail-500",
      priority: 5,
      auto_disable: false,
    });
    await call(key);
    await expect
      .poll(
        async () => {
          const { channels } = await overview();
          return sum(channels?.rows.find((row) => row.id === id)?.rescued ?? []);
        },
        { timeout: 20_000 },
      )
      .toBe(1);
    const { channels } = await overview();
    expect(channels?.rows.find((row) => row.id === id)?.requests).toHaveLength(OVERVIEW_HOURS);
  });

  it("counts a rejected call with its reason", async () => {
    const poor = await gateway.addToken({ unlimited_quota: false, remain_quota: 0 });
    await expect(call(poor.key)).rejects.toMatchObject({ status: 402 });
    await expect
      .poll(async () => (await overview()).traffic?.failures.reasons, { timeout: 20_000 })
      .toMatchObject([{ code: "token_quota_exhausted", status: 402, count: 1, users: 1 }]);
  });
});

describe("the events of an account", () => {
  it("contain a new version once after a paid call and once after a rejected one", async () => {
    const dashboard = () => gateway.api<Dashboard>("GET", "/user/dashboard");
    const poor = await gateway.addToken({ unlimited_quota: false, remain_quota: 0 });
    for (const attempt of [() => call(key), () => call(poor.key).catch(() => undefined)]) {
      const before = await dashboard();
      const event = firstData<AccountEvent>(`/user/dashboard/events?seen=${before.version}`);
      await attempt();
      const { version } = await event;
      expect(version).not.toBe(before.version);
      await expect.poll(async () => (await dashboard()).version, { timeout: 20_000 }).toBe(version);
    }
    const { failures } = await dashboard();
    expect(failures.reasons[0]).toMatchObject({ code: "token_quota_exhausted", status: 402 });
  });
});

describe("the overview of administrators", () => {
  async function seenWith(permissions: Record<string, string>): Promise<Overview> {
    const username = `admin-${Object.keys(permissions).join("-") || "none"}`;
    const { id } = await gateway.api<{ id: number }>("POST", "/user", {
      username,
      password: "a long password",
      role: 10,
    });
    await gateway.api("PUT", "/user", { id, permissions });
    const signedIn = await fetch(`${gateway.url}/api/user/login`, {
      method: "POST",
      headers: { "api-version": "2", "content-type": "application/json", origin: gateway.url },
      body: JSON.stringify({ username, password: "a long password" }),
    });
    const cookie = (signedIn.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
    const response = await fetch(`${gateway.url}/api/overview`, {
      headers: { "api-version": "2", cookie },
    });
    return ((await response.json()) as { data: Overview }).data;
  }

  it("contains what their permissions allow", async () => {
    await gateway.addChannel({ type: 8, name: "unpriced", models: ["no-price"] });
    await expect
      .poll(async () => (await overview()).attention.map((item) => item.kind), { timeout: 20_000 })
      .toContain("unpriced");
    const logs = await seenWith({ logs: "view" });
    expect(logs.traffic).not.toBeNull();
    expect(logs.channels).toBeNull();
    expect(logs.attention.map((item) => item.kind)).not.toContain("unpriced");
    const channels = await seenWith({ channels: "view" });
    expect(channels.traffic).toBeNull();
    expect(channels.channels?.rows.length).toBeGreaterThan(0);
    const prices = await seenWith({ prices: "view" });
    expect(prices).toMatchObject({ traffic: null, channels: null, attention: [{ kind: "unpriced" }] });
    const none = await seenWith({});
    expect(none).toMatchObject({ traffic: null, channels: null, attention: [] });
  });
});
