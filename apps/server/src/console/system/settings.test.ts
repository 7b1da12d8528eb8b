import type { Permissions } from "@gateway/shared/accounts/permissions";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Browser, buildConsole, type TestConsole } from "#test/console.ts";

let site: TestConsole;
let root: Browser;

beforeAll(async () => {
  site = await buildConsole();
  root = await site.as(await site.makeUser({ role: 100 }));
});
afterAll(() => site.close());

const batch = (values: unknown) => root.send("PUT", "/api/option/batch", { values });

describe("settings that decide about balances", () => {
  it("require the permission to edit balances", async () => {
    const values = { QuotaForNewUser: 5, QuotaForInviter: 5, QuotaForInvitee: 5, GiftsPerNetworkPerDay: 0 };
    const prices = { PaymentUSDRate: 7, QuotaPerUnit: 500_000, RechargeDiscount: "" };
    const change = async (permissions: Permissions, value: object) => {
      const browser = await site.as(await site.makeUser({ role: 10, permissions }));
      return (await browser.send("PUT", "/api/option/batch", { values: value })).status;
    };
    for (const [key, value] of Object.entries({ ...values, ...prices })) {
      expect(await change({ settings: "edit" }, { [key]: value }), key).toBe(403);
      expect(await change({ settings: "edit", balances: "edit" }, { [key]: value }), key).toBe(200);
    }
    expect(await change({ settings: "edit" }, { SystemName: "Ours" })).toBe(200);
    await batch(Object.fromEntries(Object.keys({ ...values, SystemName: "" }).map((key) => [key, null])));
  });
});

describe("settings that decide about prices", () => {
  it("require the permission to edit prices", async () => {
    const values = {
      UpdatePriceService: "",
      PriceUpdateEnabled: false,
      PriceUpdateHours: 24,
      PriceUpdateMode: "add",
    };
    const change = async (permissions: Permissions, value: object) => {
      const browser = await site.as(await site.makeUser({ role: 10, permissions }));
      return (await browser.send("PUT", "/api/option/batch", { values: value })).status;
    };
    for (const [key, value] of Object.entries(values)) {
      expect(await change({ settings: "edit" }, { [key]: value }), key).toBe(403);
      expect(await change({ settings: "edit", prices: "edit" }, { [key]: value }), key).toBe(200);
    }
  });
});

describe("settings in one request", () => {
  it("are all changed or none, with a message for each invalid one", async () => {
    expect(await batch({ SystemName: "Ours", RetryTimes: 21, ServerAddress: "nowhere" })).toMatchObject({
      status: 400,
      body: { fields: { RetryTimes: expect.any(String), ServerAddress: expect.any(String) } },
    });
    expect((await site.guest.get("/api/status")).body.data).toMatchObject({ system_name: "One Hub" });
    expect(await batch({ SystemName: "Ours", RetryTimes: 5 })).toMatchObject({ status: 200 });
    expect((await site.guest.get("/api/status")).body.data).toMatchObject({ system_name: "Ours" });
    expect((await root.get("/api/option")).body.data).toMatchObject({ RetryTimes: 5 });
  });

  it("accept a switch and its required values together, in either order", async () => {
    const values = {
      GitHubOAuthEnabled: true,
      GitHubClientId: "id",
      GitHubClientSecret: "kept to ourselves",
    };
    expect(await batch({ GitHubOAuthEnabled: true })).toMatchObject({
      body: { fields: { GitHubOAuthEnabled: expect.any(String) } },
    });
    expect(await batch(values)).toMatchObject({ status: 200 });
    const { body } = await root.get("/api/option");
    expect(body.data).toMatchObject({ secrets_set: ["GitHubClientSecret"] });
    expect(JSON.stringify(body)).not.toContain("kept to ourselves");
    // A required value cannot be removed while the switch is on.
    expect(await batch({ GitHubClientSecret: "" })).toMatchObject({ status: 400 });
  });

  it("show visitors the price of a dollar, but not the discounts of single groups", async () => {
    const values = {
      PaymentUSDRate: 7.1,
      PaymentMinAmount: 5,
      RechargeDiscount: '{"100": 0.9, "vip": {"100": 0.8}}',
      MjNotifyEnabled: false,
    };
    expect(await batch(values)).toMatchObject({ status: 200 });
    expect((await site.guest.get("/api/status")).body.data).toMatchObject({
      PaymentUSDRate: 7.1,
      PaymentMinAmount: 5,
      RechargeDiscount: '{"100":0.9}',
      mj_notify_enabled: false,
    });
  });

  it("by model are rejected with a message when they cannot be parsed", async () => {
    expect(await batch({ ClaudeDefaultMaxTokens: '{"default": 0}', GeminiOpenThink: "{" })).toMatchObject({
      body: {
        fields: {
          ClaudeDefaultMaxTokens: "Enter a whole number of tokens for each model",
          GeminiOpenThink: "Must be a valid JSON string",
        },
      },
    });
    const values = { ClaudeDefaultMaxTokens: '{"default": 4096}', ClaudeBudgetTokensPercentage: 0.5 };
    expect(await batch(values)).toMatchObject({ status: 200 });
    expect((await root.get("/api/option")).body.data).toMatchObject(values);
  });

  it("settings: administrators change them unless root forbids it, and never those that could give access to accounts", async () => {
    const admin = await site.as(await site.makeUser({ role: 10 }));
    const viewer = await site.as(await site.makeUser({ role: 10, permissions: { settings: "view" } }));
    const outsider = await site.as(await site.makeUser({ role: 10, permissions: { users: "edit" } }));
    const values = { SystemName: "Theirs" };
    const put = (who: typeof admin, given: object) => who.send("PUT", "/api/option/batch", { values: given });
    expect((await put(admin, values)).status).toBe(200);
    expect((await put(admin, { SystemName: null })).status).toBe(200);
    expect((await viewer.get("/api/option")).status).toBe(200);
    expect((await put(viewer, values)).status).toBe(403);
    expect((await outsider.get("/api/option")).status).toBe(403);
    for (const key of [
      "ServerAddress",
      "OIDCIssuer",
      "SMTPServer",
      "GitHubClientSecret",
      "TelegramBotToken",
      // The stored token of the bot, and the push key, go to these addresses.
      "NotifyTelegramServer",
      "NotifyPushDeerServer",
    ]) {
      const refused = await put(admin, { ...values, [key]: "" });
      expect(refused.body, key).toMatchObject({ code: "forbidden", message: expect.stringContaining(key) });
    }
    expect(site.services.settings.current().SystemName).toBe("One Hub");
    expect((await admin.get("/api/option/export")).status).toBe(403);
    expect((await site.guest.send("PUT", "/api/option/batch", { values })).status).toBe(401);
    expect((await batch({})).status).toBe(400);
  });
});
