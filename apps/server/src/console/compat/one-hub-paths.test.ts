import type { TokenRow } from "@gateway/shared/accounts/token";
import type { PaymentRow } from "@gateway/shared/billing/payment";
import type { RedemptionRow } from "@gateway/shared/billing/redemption";
import type { ChannelRow } from "@gateway/shared/channels/channel";
import type { LogPage } from "@gateway/shared/usage/log";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { renewAccessToken } from "#domain/accounts/profile.ts";
import { buildConsole, type Answer, type Browser, type TestConsole } from "#test/console.ts";

/** The calls of scripts for older gateways of this kind, with the paths and parameters they use. */
let site: TestConsole;
let admin: Browser;
let accessToken: string;

beforeAll(async () => {
  site = await buildConsole();
  const account = await site.makeUser({ role: 100 });
  admin = await site.as(account);
  const { db, secrets } = site.services;
  accessToken = await renewAccessToken(
    db,
    secrets,
    { id: account.id, username: account.username, ip: "10.0.0.1" },
    account,
  );
});
afterAll(() => site.close());

/** Calls the API as a script: with an access token, without a browser's headers. */
async function script<T>(method: "GET" | "PUT" | "POST", url: string, payload?: object): Promise<Answer<T>> {
  const response = await site.app.inject({
    method,
    url,
    headers: { authorization: accessToken },
    ...(payload === undefined ? {} : { payload }),
  });
  return { status: response.statusCode, body: response.json(), response };
}

async function channel(values: object = {}): Promise<ChannelRow> {
  const whole = { type: 1, name: "One", key: "sk-a-key", models: ["gpt-4o"], groups: ["default"], ...values };
  return (await script<ChannelRow>("POST", "/api/channel/", whole)).body.data;
}

describe("channels", () => {
  it("are tested by a GET, one or all of them", async () => {
    const { id } = await channel();
    const one = await script("GET", `/api/channel/test/${id}?model=gpt-4o`);
    expect(one.body).toEqual({ success: true, message: "", time: 0.012 });
    expect(site.upstream.calls.at(-1)?.model).toBe("gpt-4o");
    site.upstream.ok = false;
    expect((await script("GET", `/api/channel/test/${id}`)).body).toMatchObject({
      success: false,
      message: "The provider refuses the key.",
    });
    site.upstream.ok = true;
    expect((await script("GET", "/api/channel/test")).body).toMatchObject({ success: true });
    await expect
      .poll(() => site.services.db.channelRun.count({ where: { kind: "test", status: "running" } }))
      .toBe(0);
  });

  it("return their balance by a GET", async () => {
    const telling = await channel({ base_url: "https://provider.example" });
    expect((await script("GET", `/api/channel/update_balance/${telling.id}`)).body).toEqual({
      success: true,
      message: "",
      balance: 12.5,
    });
    const silent = await channel();
    expect((await script("GET", `/api/channel/update_balance/${silent.id}`)).body).toMatchObject({
      success: false,
      balance: 0,
    });
    expect((await script("GET", "/api/channel/update_balance")).body).toMatchObject({ success: true });
    await expect.poll(() => site.services.db.channelRun.count({ where: { status: "running" } })).toBe(0);
  });

  it("never run a GET that another page led a browser to", async () => {
    const { id } = await channel();
    const calls = site.upstream.calls.length;
    for (const path of [`test/${id}`, "test", `update_balance/${id}`, "update_balance"])
      for (const led of [
        { "sec-fetch-site": "same-origin" },
        { referer: "https://evil.example/" },
        // A picture with referrerpolicy="no-referrer" on another port of this host, over plain http.
        { "user-agent": "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36" },
      ]) {
        const headers = { cookie: `session=${admin.cookie}`, host: "localhost:80", ...led };
        const answer = await site.app.inject({ url: `/api/channel/${path}`, headers });
        expect(answer.statusCode).toBe(200);
        expect(answer.headers["api-status"]).toBe("403");
        expect(answer.json()).toMatchObject({ success: false, code: "origin_refused" });
      }
    expect(site.upstream.calls).toHaveLength(calls);
  });

  it("return the provider's models, and all known names with their owners", async () => {
    const requested = { type: 1, key: "sk-a-key" };
    const fetched = await script<string[]>("POST", "/api/channel/provider_models_list", requested);
    expect(fetched.body.data).toEqual(["model-b", "model-a"]);
    await channel({ models: ["nobody-priced-this"] });
    const all = await script<{ id: string; owned_by: string }[]>("GET", "/api/channel/models");
    expect(all.body).toMatchObject({ success: true, object: "list" });
    expect(all.body.data).toContainEqual({
      id: "nobody-priced-this",
      object: "model",
      created: 1_677_649_963,
      owned_by: "",
    });
  });
});

describe("PUT with a part of a row", () => {
  it("switches a token, whatever other fields are sent", async () => {
    const { body } = await script<TokenRow>("POST", "/api/token/", { name: "mine", unlimited_quota: true });
    const put = (values: object) =>
      script<TokenRow>("PUT", "/api/token/?status_only=1", { ...body.data, ...values });
    expect((await put({ status: 2, name: "other" })).body.data).toMatchObject({ status: 2, name: "mine" });
    expect((await put({ status: 1 })).body.data).toMatchObject({ status: 1 });
    expect((await put({ status: 7 })).body.success).toBe(false);
  });

  it("switches a redemption code", async () => {
    await script("POST", "/api/redemption/", { name: "gift", quota: 5, count: 1 });
    const list = await script<{ data: RedemptionRow[] }>("GET", "/api/redemption/");
    const id = list.body.data.data[0]?.id;
    const put = await script<RedemptionRow>("PUT", "/api/redemption/?status_only=true", { id, status: 2 });
    expect(put.body.data).toMatchObject({ id, status: 2, name: "gift" });
  });

  it("switches and sorts a payment gateway", async () => {
    const config = { pay_domain: "https://pay.example", partner_id: "1", key: "secret", pay_type: "" };
    const made = await script<PaymentRow>("POST", "/api/payment/", {
      type: "epay",
      name: "Pay",
      icon: "alipay",
      currency: "CNY",
      config,
    });
    const { id } = made.body.data;
    const put = await script<PaymentRow>("PUT", "/api/payment/", { id, enable: false });
    expect(put.body.data).toMatchObject({ id, enable: false, name: "Pay" });
  });
});

describe("the log", () => {
  it("has numbered pages too, with the total number of rows", async () => {
    for (const name of ["a", "b", "c"])
      await script("POST", "/api/redemption/", { name, quota: 5, count: 1 });
    const someone = await site.makeUser();
    for (const quota of [10, 20, 30]) await script("POST", `/api/user/quota/${someone.id}`, { quota });
    const page = async (query: string) => (await script<LogPage>("GET", `/api/log/?${query}`)).body;
    const rows = `size=2&username=${someone.username}`;
    const first = (await page(`page=1&${rows}`)).data;
    const second = (await page(`page=2&${rows}`)).data;
    expect([first, second]).toMatchObject([
      { page: 1, size: 2, total_count: 3 },
      { page: 2, size: 2, total_count: 3 },
    ]);
    expect([first.data.length, second.data.length]).toEqual([2, 1]);
    expect(first.data.map((row) => row.id)).not.toContain(second.data[0]?.id);
    expect((await page(rows)).data).toMatchObject({ page: 1, size: 2, total_count: 3 });
    expect((await page("page=5001&size=2")).data).toMatchObject({ data: [], page: 5001 });
  });
});

describe("users", () => {
  it("see how much of their rate limit they use", async () => {
    const { body } = await script("GET", "/api/user/dashboard/rate");
    expect(body.data).toEqual({ rpm: 0, maxRPM: 600, usageRpmRate: 0, tpm: 0, maxTPM: 0, usageTpmRate: 0 });
  });

  it("see the only check for forbidden phrases", async () => {
    expect((await script("GET", "/api/option/safe_tools")).body.data).toEqual(["Keyword"]);
  });

  it.each(["verification", "reset_password"])(
    "request a mail by GET at /%s, but not led by another site",
    async (path) => {
      const ask = (from: Record<string, string>) =>
        site.app.inject({ url: `/api/${path}?email=someone@mail.example`, headers: from });
      expect((await ask({ "sec-fetch-site": "cross-site" })).json()).toMatchObject({
        code: "origin_refused",
      });
      // No mail server is set up here: the request got as far as the mail.
      expect((await ask({})).json()).toMatchObject({ code: "forbidden" });
    },
  );
});
