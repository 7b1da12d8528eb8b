/**
 * The product's specification, one row per statement about the calls of §7 and what they return. The other rows are in
 * packages/shared/src/specification.test.ts, apps/web/src/specification.test.tsx and
 * apps/web/e2e/site/specification.test.ts.
 */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemActor } from "#domain/audit-log/audit.ts";
import { type Browser, buildConsole, passwordOf, type TestConsole } from "#test/console.ts";
import { startWeChat } from "#test/identity-providers.ts";

let site: TestConsole;
let root: Browser;

beforeAll(async () => {
  site = await buildConsole();
  root = await site.as(await site.makeUser({ role: 100 }));
});
afterAll(() => site.close());

const set = (values: object) => root.send("PUT", "/api/option/batch", { values });

describe("§7 calls", () => {
  it("GET /api/status: the defaults of the site", async () => {
    expect((await site.guest.get("/api/status")).body).toMatchObject({
      success: true,
      message: "",
      data: {
        system_name: "One Hub",
        language: "zh_CN",
        quota_per_unit: 500_000,
        display_in_currency: true,
        chat_link: "",
      },
    });
  });

  it.each(["/api/model_ownedby", "/api/user_group_map", "/api/notice", "/api/oauth/state"])(
    "GET %s returns success, message and data",
    async (path) => {
      const { status, body } = await site.guest.get(path);
      expect(status).toBe(200);
      expect(body).toMatchObject({ success: true, message: "", data: expect.anything() });
    },
  );

  it("GET /api/oauth/state: data is a text", async () => {
    expect((await site.guest.get("/api/oauth/state")).body.data).toMatch(/^\S{16,}$/);
  });

  it.each(["endpoint", "github", "wechat", "lark", "oidc"])(
    "GET /api/oauth/%s is refused with a message while it is off",
    async (provider) => {
      const { body } = await site.guest.get(`/api/oauth/${provider}?code=c&state=s&aff=`);
      expect(body.success).toBe(false);
      expect(body.message).not.toBe("");
    },
  );

  it.each([
    ["version 2", { "api-version": "2" }],
    ["compatibility mode", {}],
  ])("GET /api/oauth/wechat takes code and aff, in %s", async (_mode, headers) => {
    const wechat = await startWeChat();
    wechat.people.set("c1", { id: "wx-1" });
    await site.services.settings.change(systemActor, {
      WeChatServerAddress: wechat.url,
      WeChatServerToken: wechat.credentials.secret,
      WeChatAuthEnabled: true,
    });
    try {
      const answer = await site.app.inject({ url: "/api/oauth/wechat?code=c1&aff=", headers });
      expect(answer.json()).toMatchObject({ success: true, data: { role: 1 } });
    } finally {
      await site.services.settings.change(systemActor, { WeChatAuthEnabled: false });
      await wechat.close();
    }
  });

  it.each(["github", "lark", "oidc"])("GET /api/oauth/%s takes code, state and aff", async (provider) => {
    const { body } = await site.guest.get(`/api/oauth/${provider}?code=c&aff=`);
    expect(body.message).toMatch(/state/i);
  });

  it("POST /api/user/login: data is the user; GET /api/user/logout ends the session", async () => {
    const { username } = await site.makeUser({ password_hash: await passwordOf("open sesame") });
    const { body, response } = await site.guest.send("POST", "/api/user/login", {
      username,
      password: "open sesame",
    });
    expect(body).toMatchObject({
      success: true,
      data: { username, role: 1, avatar_url: expect.any(String) },
    });
    const cookie = String(response.headers["set-cookie"]).split(";")[0] ?? "";
    const ask = (url: string) =>
      site.app.inject({ url, headers: { cookie, origin: "http://localhost:80", host: "localhost:80" } });
    expect((await ask("/api/user/logout")).json()).toMatchObject({ success: true });
    expect((await ask("/api/user/self")).json()).toMatchObject({ success: false });
  });
});

describe("§5 validation of a channel, in both modes of the API", () => {
  // OpenAI has an address of its own; a server of one's own has none.
  const native = { type: 1, name: "One", key: "sk-1", models: ["m"], groups: ["default"], weight: 1 };
  const { groups: _groups, ...rest } = native;
  const older = { ...rest, models: "m", group: "default" };
  const faults: [string, object, RegExp][] = [
    ["name", { name: "" }, /Name is required/],
    ["API address", { type: 8, base_url: "" }, /API address is required/],
    ["key", { key: "" }, /API key is required/],
    ["models", { models: undefined }, /This is required|model is required/],
    ["group", { group: undefined, groups: undefined }, /required/],
    ["priority", { priority: -1 }, /Priority cannot be less than 0/],
    ["weight", { weight: 0 }, /Weight cannot be less than 1/],
  ];
  it.each(faults)("%s", async (_, fault, message) => {
    for (const [whole, headers] of [
      [native, { "api-version": "2" }],
      [older, {}],
    ] as const) {
      const ask = async (values: object) => {
        const cookie = `session=${root.cookie}`;
        const payload = { ...whole, ...values };
        const answer = await site.app.inject({
          method: "POST",
          url: "/api/channel/",
          headers: { cookie, ...headers },
          payload,
        });
        return answer.json<{ success: boolean; message: string; fields?: Record<string, string> }>();
      };
      expect(await ask({})).toMatchObject({ success: true });
      const refused = await ask(fault);
      expect(refused).toMatchObject({ success: false });
      expect(JSON.stringify(refused)).toMatch(message);
    }
  });
});

describe("§5 validation that needs stored data", () => {
  it("a top-up is at least the configured minimum", async () => {
    const config = { pay_domain: "https://pay.example.com", partner_id: "1", key: "k" };
    const gateway = { type: "epay", name: "Pay", icon: "card", currency: "CNY", config };
    const { body } = await root.send<{ uuid: string }>("POST", "/api/payment", gateway);
    await set({ PaymentMinAmount: 10, ServerAddress: "https://ai.example.com" });
    const order = await root.send("POST", "/api/user/order", { uuid: body.data.uuid, amount: 9 });
    await set({ PaymentMinAmount: null, ServerAddress: null });
    expect(order.body.fields).toEqual({ amount: "The amount is below the minimum" });
  });

  it("a quota change may not deduct more than the balance", async () => {
    const { id } = await site.makeUser({ balance: 500n });
    const change = (quota: number) => root.send("POST", `/api/user/quota/${id}`, { quota, remark: "a" });
    expect((await change(-501)).body.message).toBe("Cannot deduct an amount exceeding the user's balance");
    expect((await change(-500)).body).toMatchObject({ success: true, data: { quota: 0 } });
  });

  it("the symbol of a user group is unique", async () => {
    const group = { symbol: "gold", name: "Gold", ratio: 1, api_rate: 60, min: 0, max: 0 };
    expect((await root.send("POST", "/api/user_group", group)).body.success).toBe(true);
    expect((await root.send("POST", "/api/user_group", group)).body).toMatchObject({ success: false });
  });

  it("the id of a model's owner is set once", async () => {
    const owner = { id: 1001, name: "Ours", icon: "" };
    expect((await root.send("POST", "/api/model_ownedby", owner)).body.success).toBe(true);
    expect((await root.send("POST", "/api/model_ownedby", owner)).body.success).toBe(false);
    const other = { ...owner, id: 1002, name: "Renamed" };
    expect((await root.send("PUT", "/api/model_ownedby", other)).body.success).toBe(false);
  });
});

describe("§3 fields that single providers have", () => {
  it("are part of their description, from which the console builds its form", async () => {
    const { data } = (await root.get<{ id: string }[]>("/api/providers")).body;
    const described = (provider: string) => JSON.stringify(data.find(({ id }) => id === provider));
    expect(described("azure")).toContain("API version");
    expect(described("ali")).toContain("DashScope plugin");
    for (const field of ["knowledge_id", "prompt_template", "web_search"])
      expect(described("zhipu")).toContain(`"${field}"`);
    expect(described("gemini")).toContain('"code_execution"');
    for (const field of ["Region", "alloy", "echo", "fable", "onyx", "nova", "shimmer"])
      expect(described("azure-speech")).toContain(field);
  });
});

describe("§4 states", () => {
  it("a redemption code is redeemed once", async () => {
    const code = { name: "gift", quota: 7, count: 1 };
    const { body } = await root.send<{ key: string }[]>("POST", "/api/redemption", code);
    const redeem = () => root.send("POST", "/api/user/topup", { key: body.data[0]?.key });
    expect((await redeem()).body).toMatchObject({ success: true, data: 7 });
    expect((await redeem()).body.success).toBe(false);
  });

  it("a tag enables and disables all its channels", async () => {
    const channel = { type: 1, name: "T", key: "sk-1", models: ["m"], groups: ["default"], tag: "t" };
    for (const name of ["A", "B"]) await root.send("POST", "/api/channel", { ...channel, name });
    const states = async () =>
      (await root.get<{ status: number }[]>("/api/channel_tag/t/list")).body.data.map(({ status }) => status);
    await root.send("PUT", "/api/channel_tag/t/status/disable");
    expect(await states()).toEqual([2, 2]);
    await root.send("PUT", "/api/channel_tag/t/status/enable");
    expect(await states()).toEqual([1, 1]);
  });

  it("an administrator can set and cancel the administrator status of another user", async () => {
    const administrator = await site.as(await site.makeUser({ role: 10 }));
    const { username } = await site.makeUser();
    const manage = (action: string) =>
      administrator.send<{ role: number }>("POST", "/api/user/manage", { username, action });
    expect((await manage("promote")).body.data).toMatchObject({ role: 10 });
    expect((await manage("demote")).body.data).toMatchObject({ role: 1 });
  });
});

describe("§6 roles", () => {
  it.each([
    "/api/user",
    "/api/channel",
    "/api/user_group",
    "/api/option/telegram",
    "/api/redemption",
    "/api/payment",
    "/api/option",
    "/api/analytics/statistics",
  ])("GET %s is for administrators", async (path) => {
    const ordinary = await site.as(await site.makeUser({ role: 1 }));
    expect([403, 404]).toContain((await ordinary.get(path)).status);
  });

  it.each(["/api/token", "/api/log/self", "/api/task/self", "/api/user/self", "/api/available_model"])(
    "GET %s is for every signed-in user",
    async (path) => {
      const ordinary = await site.as(await site.makeUser({ role: 1 }));
      expect((await ordinary.get(path)).status).toBe(200);
    },
  );
});

describe("§9 the yuan of shown prices", () => {
  const rate = async () =>
    (await site.guest.get<{ price_cny_per_usd: number }>("/api/status")).body.data.price_cny_per_usd;

  it("is 0.014 / 0.002 until an administrator sets a rate, also the one that payments use by default", async () => {
    expect(await rate()).toBe(7);
    await set({ PaymentUSDRate: 7.3 });
    expect(await rate()).toBe(7.3);
    await set({ PaymentUSDRate: 6.9 });
    expect(await rate()).toBe(6.9);
    await set({ PaymentUSDRate: null });
    expect(await rate()).toBe(7);
  });
});

describe("§9 constants of the server", () => {
  const source = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");
  it.each([
    ["domain/catalog/icons.ts", "const MOST_ICONS = 50;"],
    ["domain/catalog/icons.ts", "const KEPT_HOURS = 168;"],
  ])("%s: %s", (path, text) => expect(source(path)).toContain(text));
});
