import type { LogPage } from "@gateway/shared/usage/log";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";

/** Budgets of agent sessions over HTTP: the header, the limits of token and group, cheaper models, errors. */
let gateway: TestGateway;
let other: TestGateway;
let key: string;
let tokenId: number;
const POINTS_PER_USD = 500_000;

beforeAll(async () => {
  gateway = await startTestGateway();
  other = await startTestGateway({}, gateway);
  await gateway.addChannel({ type: 8, name: "a", models: ["dear", "cheap", "demo-chat"] });
  await gateway.addPrice("dear", { input: 100, output: 100 });
  await gateway.addPrice("cheap", { input: 1, output: 1 });
});
beforeEach(async () => {
  gateway.upstream.control.reset();
  ({ key, id: tokenId } = await gateway.addToken());
});
afterAll(async () => {
  await other.stop();
  await gateway.stop();
});

interface Sent {
  headers?: Record<string, string>;
  path?: string;
  body?: object;
  from?: TestGateway;
}

async function send({ headers = {}, path = "/v1/chat/completions", body = {}, from = gateway }: Sent) {
  const answer = await fetch(from.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
    body: JSON.stringify({
      model: "dear",
      max_tokens: 20,
      messages: [{ role: "user", content: "Hi" }],
      ...body,
    }),
  });
  return { status: answer.status, headers: answer.headers, body: await answer.json() };
}

/** Returns the points charged to a session. */
async function charged(session: string): Promise<number> {
  const { data } = await gateway.api<LogPage>("GET", `/log?session=${session}&size=100`);
  return data.reduce((sum, row) => sum + row.quota, 0);
}

async function spend(session: string, budget: string) {
  for (let call = 0; call < 40; call += 1) {
    const found = await send({ headers: { "x-session-id": session, "x-session-budget": budget } });
    if (found.status !== 200) return found;
  }
  return expect.unreachable("The budget was never used up.");
}

describe("the budget of a session", () => {
  it("is requested with a header, and what is left is in the response", async () => {
    const first = await send({ headers: { "x-session-id": "s1", "x-session-budget": "0.02" } });
    expect(first.status).toBe(200);
    expect(first.headers.get("x-session-budget-limit")).toBe("0.020000");
    expect(first.headers.get("x-session-budget-remaining")).toBe("0.020000");
    const last = await spend("s1", "0.02");
    expect(last).toMatchObject({
      status: 402,
      body: { error: { code: "session_budget_exhausted", type: "insufficient_quota" } },
    });
    expect(Number(last.headers.get("x-session-budget-remaining"))).toBeLessThan(0.01);
    expect(await charged("s1")).toBeLessThanOrEqual(0.02 * POINTS_PER_USD);
    // Another session, and a call without the header, go on.
    expect((await send({ headers: { "x-session-id": "s2", "x-session-budget": "0.02" } })).status).toBe(200);
    expect(
      (await send({ headers: { "x-session-id": "s1" } })).headers.get("x-session-budget-limit"),
    ).toBeNull();
  });

  it("stores nothing for refused calls of an account without a balance", async () => {
    const { id } = await gateway.api<{ id: number }>("POST", "/user", {
      username: "without-balance",
      password: "a long password",
    });
    const own = await gateway.database.db.token.findUniqueOrThrow({ where: { id: tokenId } });
    await gateway.database.db.token.update({ where: { id: own.id }, data: { user_id: id } });
    for (const session of ["a", "b", "c"]) {
      const headers = { "x-session-id": session, "x-session-budget": "1" };
      expect(await send({ headers })).toMatchObject({
        status: 402,
        body: { error: { code: "insufficient_quota" } },
      });
    }
    expect(await gateway.database.db.sessionBudget.count({ where: { user_id: id } })).toBe(0);
  });

  it("is refused in the format of each client", async () => {
    const headers = { "x-claude-code-session-id": "formats", "x-session-budget": "0" };
    const message = expect.stringContaining("The budget of this session is $0");
    expect(await send({ headers, path: "/v1/messages" })).toMatchObject({
      status: 402,
      body: { type: "error", error: { message } },
    });
    expect(
      await send({ headers, path: "/v1/responses", body: { input: "Hi", messages: undefined } }),
    ).toMatchObject({
      status: 402,
      body: { error: { code: "session_budget_exhausted", message } },
    });
    expect(
      await send({
        headers,
        path: "/v1beta/models/dear:generateContent",
        body: {
          contents: [{ parts: [{ text: "Hi" }] }],
          model: undefined,
          messages: undefined,
          max_tokens: undefined,
        },
      }),
    ).toMatchObject({ status: 402, body: { error: { message } } });
  });

  it("ends a session of Codex at once, with the message", async () => {
    const headers = {
      session_id: "codex",
      "x-session-budget": "0",
      "user-agent": "codex_exec/0.169.0 (Linux)",
    };
    const answer = await fetch(`${gateway.url}/v1/responses`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
      body: JSON.stringify({ model: "dear", stream: true, input: "Hi" }),
    });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toContain("text/event-stream");
    const event = JSON.parse(/^data: (.*)$/m.exec(await answer.text())?.[1] ?? "") as object;
    expect(event).toMatchObject({
      type: "response.failed",
      response: {
        error: { code: "invalid_prompt", message: expect.stringContaining("budget of this session") },
      },
    });
    await expect
      .poll(async () => (await gateway.api<LogPage>("GET", "/log?session=codex")).data)
      .toMatchObject([{ type: 5, status: 402 }]);
  });

  it("needs an amount and a session", async () => {
    for (const budget of ["", "one", "-1", "1e3", "0.00000001"]) {
      const answer = await send({ headers: { "x-session-id": "s3", "x-session-budget": budget } });
      expect(answer).toMatchObject({ status: 400, body: { error: { param: "x-session-budget" } } });
    }
    const unnamed = await send({ headers: { "x-session-budget": "1" } });
    expect(unnamed).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringContaining("needs a session ID") } },
    });
    const long = { "x-session-id": "x".repeat(10_240), "x-session-budget": "1" };
    expect((await send({ headers: long })).status).toBe(200);
    const { rows } = await gateway.database.pool.query("SELECT FROM reservations WHERE version = 0");
    expect(rows).toEqual([]);
  });

  it("is the lowest of the token's, the operator's and the requested one", async () => {
    await gateway.api("PUT", "/token", { id: tokenId, setting: { rates: { session_spend: 20_000 } } });
    const limit = async (budget?: string) =>
      (
        await send({
          headers: { "x-session-id": "s4", ...(budget === undefined ? {} : { "x-session-budget": budget }) },
        })
      ).headers.get("x-session-budget-limit");
    await expect.poll(() => limit()).toBe("0.040000");
    expect(await limit("1")).toBe("0.040000");
    expect(await limit("0.03")).toBe("0.030000");
    await gateway.api("PUT", `/token/admin/${tokenId}/budget`, { budget: { session_spend: 12_500 } });
    await expect.poll(() => limit()).toBe("0.025000");
    const { data } = await gateway.api<{ data: { id: number; symbol: string }[] }>("GET", "/user_group");
    const group = data.find(({ symbol }) => symbol === "default")?.id;
    await gateway.api("PUT", `/user_group/${group}/budget`, { budget: { session_spend: 10_000 } });
    await expect.poll(() => limit()).toBe("0.020000");
    await gateway.api("PUT", `/user_group/${group}/budget`, { budget: null });
    await expect.poll(() => limit()).toBe("0.025000");
  });

  it("changes to the cheaper model at the configured share, and when it does not cover a call", async () => {
    await gateway.api("PUT", "/option", { key: "SessionFallbackModels", value: '{"dear":"cheap"}' });
    const models: (string | null)[] = [];
    for (let call = 0; call < 12; call += 1) {
      const { status, headers } = await send({
        headers: { "x-session-id": "cheaper", "x-session-budget": "0.03" },
      });
      expect(status).toBe(200);
      models.push(headers.get("x-session-budget-model"));
    }
    expect(models[0]).toBeNull();
    expect(models.at(-1)).toBe("cheap");
    expect(await charged("cheaper")).toBeLessThanOrEqual(0.03 * POINTS_PER_USD);
    const rows = await gateway.api<LogPage>("GET", "/log?session=cheaper&size=100");
    expect(new Set(rows.data.map((row) => row.model_name))).toEqual(new Set(["dear", "cheap"]));
    expect(rows.data.every((row) => row.type === 2)).toBe(true);
    await gateway.api("PUT", "/option", { key: "SessionFallbackModels", value: "" });
  });

  it("is shared by agents on two nodes that call at the same time", async () => {
    const budget = 0.05;
    const results = await Promise.all(
      Array.from({ length: 24 }, (_, n) =>
        send({
          headers: {
            "x-claude-code-session-id": "agents",
            "x-claude-code-agent-id": `agent-${n % 6}`,
            "x-session-budget": String(budget),
          },
          from: n % 2 === 0 ? gateway : other,
        }),
      ),
    );
    const statuses = new Set(results.map(({ status }) => status));
    expect(statuses).toContain(200);
    for (const status of statuses) expect([200, 402, 429]).toContain(status);
    expect(await charged("agents")).toBeLessThanOrEqual(budget * POINTS_PER_USD);
    expect(await gateway.drift()).toBe(0n);
  });
});
