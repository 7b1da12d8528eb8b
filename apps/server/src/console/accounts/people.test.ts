import type { UserRow } from "@gateway/shared/accounts/user";
import type { AvailableModels } from "@gateway/shared/models/model";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Browser, buildConsole, type TestConsole } from "#test/console.ts";

let site: TestConsole;
let root: Browser;
let admin: Browser;

beforeAll(async () => {
  site = await buildConsole();
  root = await site.as(await site.makeUser({ role: 100 }));
  admin = await site.as(await site.makeUser({ role: 10 }));
});
afterAll(() => site.close());

describe("a change of another user's balance", () => {
  it("is a ledger entry, a log row and an audit row with its reason", async () => {
    const { db } = site.services;
    const user = await site.makeUser({ balance: 100n });
    const path = `/api/user/quota/${user.id}`;
    const answer = await admin.send("POST", path, { quota: 50, remark: "thanks" });
    expect(answer.body).toMatchObject({ success: true, data: { quota: 150 } });
    const entry = await db.ledgerEntry.findFirstOrThrow({ where: { user_id: user.id, kind: "admin" } });
    expect(entry).toMatchObject({ amount: 50n, reason: "thanks" });
    const log = await (await site.as(user)).get<{ data: object[] }>("/api/log/self?log_type=3");
    expect(log.body.data.data).toMatchObject([{ type: 3, quota: 50, content: "thanks" }]);
    const note = await db.auditEntry.findFirstOrThrow({ where: { action: "user.quota" } });
    expect(note.after).toMatchObject({ quota: 150, change: 50, remark: "thanks" });
  });

  it("never takes more than the balance, even in parallel", async () => {
    const user = await site.makeUser({ balance: 100n });
    const take = () => admin.send("POST", `/api/user/quota/${user.id}`, { quota: -60 });
    const answers = await Promise.all([take(), take(), take()]);
    expect(answers.map((answer) => answer.status).toSorted((a, b) => a - b)).toEqual([200, 400, 400]);
    const refused = answers.find((answer) => answer.status === 400);
    expect(refused?.body.message).toBe("Cannot deduct an amount exceeding the user's balance");
    const { quota } = await site.services.db.user.findUniqueOrThrow({ where: { id: user.id } });
    expect(quota).toBe(40n);
  });

  it("is recorded correctly, even in parallel", async () => {
    const user = await site.makeUser({ balance: 100n });
    const give = () => admin.send("POST", `/api/user/quota/${user.id}`, { quota: 10 });
    await Promise.all([give(), give(), give(), give()]);
    const notes = await site.services.db.auditEntry.findMany({
      where: { action: "user.quota", target_id: String(user.id) },
      orderBy: { id: "asc" },
    });
    const steps = notes.map((note) => [note.before, note.after]);
    expect(steps).toMatchObject([100, 110, 120, 130].map((quota) => [{ quota }, { quota: quota + 10 }]));
  });

  it("is rejected for zero, fractions, unknown users, the own account, and other administrators", async () => {
    const user = await site.makeUser();
    const path = `/api/user/quota/${user.id}`;
    for (const quota of [0, 1.5, "10", 2 ** 60]) {
      expect((await admin.send("POST", path, { quota })).status, String(quota)).toBe(400);
    }
    expect((await admin.send("POST", "/api/user/quota/999999", { quota: 1 })).status).toBe(404);
    expect((await (await site.as(user)).send("POST", path, { quota: 1 })).status).toBe(403);
    const colleague = await site.makeUser({ role: 10 });
    const other = `/api/user/quota/${colleague.id}`;
    expect((await admin.send("POST", other, { quota: 1 })).status).toBe(403);
    expect((await root.send("POST", other, { quota: 1 })).status).toBe(200);
  });
});

describe("the list of users", () => {
  it("never shows credentials", async () => {
    const access_token_hash = site.services.secrets.hash("x".repeat(32));
    const user = await site.makeUser({ password_hash: "stored", access_token_hash });
    const answer = await admin.get<{ data: UserRow[]; total_count: number }>(
      `/api/user?keyword=${user.username}&order=-created_time`,
    );
    expect(answer.body.data.total_count).toBe(1);
    expect(answer.body.data.data[0]).toMatchObject({ id: user.id, quota: 0, last_login_time: null });
    for (const name of ["password_hash", "access_token_hash", "totp_secret"]) {
      expect(answer.body.data.data[0]).not.toHaveProperty(name);
    }
    expect((await (await site.as(user)).get("/api/user")).status).toBe(403);
  });
});

describe("the available models", () => {
  it("are those of enabled channels that the user can reach, with groups, owner and price", async () => {
    const { db } = site.services;
    const make = (name: string, models: string[], groups: string[], status = 1) =>
      db.channel.create({
        data: {
          type: 14,
          name,
          status,
          models: { create: models.map((model) => ({ model })) },
          groups: { create: groups.map((group) => ({ group })) },
        },
      });
    const price = { channel_type: 1, input: 1.25, output: 5 };
    await db.price.create({
      data: { ...price, model: "gpt-9", extras: { create: { kind: "cached_tokens", value: 0.1 } } },
    });
    await db.price.create({ data: { ...price, model: "gpt-9-mini" } });
    await make("a", ["gpt-9*", "unpriced", "__proto__"], ["default", "vip"]);
    await make("b", ["gpt-9"], ["vip"]);
    await make("c", ["only-vip"], ["vip"]);
    await make("d", ["switched-off"], ["default"], 2);

    const guest = (await site.guest.get<AvailableModels>("/api/available_model")).body.data;
    expect(Object.keys(guest).toSorted((a, b) => a.localeCompare(b))).toEqual([
      "gpt-9",
      "gpt-9-mini",
      "unpriced",
    ]);
    expect(guest["gpt-9"]).toEqual({
      groups: ["default"],
      owned_by: "OpenAI",
      info: null,
      rank: null,
      price: {
        model: "gpt-9",
        type: "tokens",
        channel_type: 1,
        locked: false,
        input: 1.25,
        output: 5,
        extra_ratios: { cached_tokens: 0.1 },
        tiers: [],
      },
    });
    expect(guest["unpriced"]).toMatchObject({ owned_by: "Anthropic", price: null });
    const vip = await site.as(await site.makeUser({ group: "vip" }));
    const reach = (await vip.get<AvailableModels>("/api/available_model")).body.data;
    expect(reach["gpt-9"]?.groups).toEqual(["default", "vip"]);
    expect(reach["only-vip"]?.groups).toEqual(["vip"]);
    const owners = await site.guest.get("/api/model_ownedby");
    expect(owners.body.data).toContainEqual({ id: 56, name: "xAI", icon: "xai" });
  });
});

describe("logs and dashboard", () => {
  it("show everything to administrators and own data to every user", async () => {
    const user = await site.makeUser({ balance: 5n });
    const browser = await site.as(user);
    expect((await browser.get("/api/log")).status).toBe(403);
    expect((await browser.get("/api/log/stat")).status).toBe(403);
    expect((await site.guest.get("/api/log/self")).status).toBe(401);
    const own = await browser.get<{ data: { user_id: number }[]; next: null }>(
      "/api/log/self?username=other",
    );
    expect(own.body.data).toMatchObject({ data: [{ user_id: user.id, attempts: null }], next: null });
    expect((await admin.get(`/api/log?username=${user.username}`)).body.data).toMatchObject({
      data: [{ attempts: [] }],
    });
    expect((await browser.get("/api/log/self/stat")).body.data).toMatchObject({ count: 1, quota: 0 });
    expect((await admin.get("/api/log/stat?log_type=1")).status).toBe(200);
    expect((await admin.get("/api/log?cursor=nonsense")).status).toBe(400);
    expect((await browser.get("/api/user/dashboard?days=2&time_zone=Asia/Shanghai")).body.data).toMatchObject(
      {
        dates: [expect.any(String), expect.any(String)],
        usage: [],
        rate: { rpm: 0, tpm: 0, max_rpm: 600 },
      },
    );
    expect((await browser.get("/api/user/dashboard?days=1000")).status).toBe(400);
    expect((await browser.get("/api/user/dashboard?time_zone=Mars/Phobos")).status).toBe(400);
  });
});
