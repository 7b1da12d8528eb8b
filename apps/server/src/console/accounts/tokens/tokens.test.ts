import type { TokenRow } from "@gateway/shared/accounts/token";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCallers } from "#domain/tokens/callers.ts";
import { listen } from "#platform/announcements.ts";
import { buildConsole, type Browser, type TestConsole } from "#test/console.ts";

type Created = TokenRow & { key: string };
interface List {
  data: TokenRow[];
  page: number;
  size: number;
  total_count: number;
}

let site: TestConsole;
let me: Browser;
let other: Browser;

beforeAll(async () => {
  site = await buildConsole();
  me = await site.as(await site.makeUser());
  other = await site.as(await site.makeUser());
});
afterAll(() => site.close());

async function create(input: object = {}): Promise<Created> {
  const answer = await me.send<Created>("POST", "/api/token", { name: "mine", ...input });
  expect(answer.body).toMatchObject({ success: true });
  return answer.body.data;
}

describe("a new token", () => {
  it("returns its whole key once, works at the gateway, and is stored as hash and cipher text", async () => {
    const { db, secrets } = site.services;
    const created = await create();
    expect(created.key).toMatch(/^sk-[A-Za-z0-9]{48}$/);
    expect(created).toMatchObject({
      status: 1,
      expired_time: -1,
      unlimited_quota: true,
      accessed_time: null,
      key_hint: `${created.key.slice(0, 7)}…${created.key.slice(-4)}`,
    });
    const row = await db.token.findUniqueOrThrow({ where: { id: created.id } });
    expect(Buffer.from(row.key_encrypted).toString("latin1")).not.toContain(created.key.slice(3));
    const { caller } = await createCallers(db, secrets).find(`Bearer ${created.key}`);
    expect(caller).toMatchObject({ tokenId: created.id, group: "default" });
    const shown = await me.get(`/api/token/${created.id}/key`);
    expect(shown.body.data).toEqual({ key: created.key });
    expect(shown.response.headers["cache-control"]).toBe("no-store");
    const listed = await me.get<List>("/api/token");
    expect(JSON.stringify(listed.body)).not.toContain(created.key);
    const audits = await db.auditEntry.findMany({ where: { target_type: "token" } });
    expect(JSON.stringify(audits.map((entry) => entry.after))).not.toContain(created.key);
  });

  it("refuses fields that its owner may not set, by name", async () => {
    const more = { user_id: 4711, used_quota: -5, status: 2, key: "sk-mine", id: 4711, created_time: 1 };
    const answer = await me.send("POST", "/api/token", { name: "greedy", ...more });
    expect(answer.status).toBe(400);
    expect(Object.keys(answer.body.fields ?? {})).toEqual(Object.keys(more));
  });

  it("rejects invalid values, with the field", async () => {
    const bad: [object, string][] = [
      [{ name: "" }, "name"],
      [{ name: "x".repeat(65) }, "name"],
      [{ remain_quota: -1 }, "remain_quota"],
      [{ expired_time: 9_000_000_000_000_000 }, "expired_time"],
      [{ group: "vip" }, "group"],
      [{ group: "no such" }, "group"],
      [{ backup_group: "default" }, "backup_group"],
      [
        { setting: { heartbeat: { enabled: true, timeout_seconds: 10 } } },
        "setting.heartbeat.timeout_seconds",
      ],
      [
        { setting: { limits: { limits_ip_setting: { enabled: true, whitelist: ["10.0.0.1", "10.1"] } } } },
        "setting.limits.limits_ip_setting.whitelist.1",
      ],
    ];
    for (const [input, field] of bad) {
      const answer = await me.send("POST", "/api/token", { name: "mine", ...input });
      expect(answer.status, JSON.stringify(input)).toBeGreaterThanOrEqual(400);
      expect(answer.status).toBeLessThan(404);
      expect(Object.keys(answer.body.fields ?? {})).toEqual([field]);
    }
  });

  it("accepts addresses and ranges of IPv4 and IPv6", async () => {
    const whitelist = [" 10.0.0.0/8 ", "192.168.1.1", "2001:db8::/32", "::1"];
    const limits = { limits_ip_setting: { enabled: true, whitelist } };
    const created = await create({ setting: { limits } });
    expect(created.setting.limits.limits_ip_setting.whitelist[0]).toBe("10.0.0.0/8");
  });

  it("may use its owner's own group", async () => {
    const vip = await site.as(await site.makeUser({ group: "vip" }));
    const input = { name: "vip", group: "default", backup_group: "vip" };
    expect((await vip.send("POST", "/api/token", input)).status).toBe(200);
  });
});

describe("a token's status", () => {
  it("shows expired and exhausted, and neither can be enabled before it is corrected", async () => {
    const expired = await create({ expired_time: 1_000_000 });
    const exhausted = await create({ unlimited_quota: false, remain_quota: 0 });
    expect([expired.status, exhausted.status]).toEqual([3, 4]);
    for (const { id } of [expired, exhausted]) {
      const answer = await me.send("PATCH", `/api/token/${id}`, { status: 1 });
      expect(answer).toMatchObject({ status: 409, body: { code: "conflict" } });
    }
    const repaired = { name: "mine", unlimited_quota: false, remain_quota: 10 };
    const answer = await me.send("PUT", `/api/token/${exhausted.id}`, repaired);
    expect(answer.body.data).toMatchObject({ status: 1, remain_quota: 10 });
    expect((await me.send("PATCH", `/api/token/${exhausted.id}`, { status: 2 })).body.data).toMatchObject({
      status: 2,
    });
    expect((await me.send("PATCH", `/api/token/${exhausted.id}`, { status: 3 })).status).toBe(400);
  });
});

describe("a deleted token", () => {
  it("is rejected, announced and removed from the list", async () => {
    const { db, secrets } = site.services;
    const received: number[] = [];
    const ears = await listen(site.database.url, () => {});
    ears.on("tokens", (id) => received.push(id));
    const created = await create();
    expect((await me.send("DELETE", `/api/token/${created.id}`)).body).toMatchObject({ data: null });
    await expect(createCallers(db, secrets).find(created.key)).rejects.toMatchObject({
      code: "invalid_api_key",
    });
    expect((await me.get(`/api/token/${created.id}`)).status).toBe(404);
    expect((await me.get(`/api/token/${created.id}/key`)).status).toBe(404);
    await expect.poll(() => received.filter((id) => id === created.id)).toHaveLength(2);
    await ears.close();
  });
});

describe("other users' tokens", () => {
  it("are not found", async () => {
    const { id } = await create();
    const tries = [
      other.get(`/api/token/${id}`),
      other.get(`/api/token/${id}/key`),
      other.send("PUT", `/api/token/${id}`, { name: "stolen" }),
      other.send("PUT", "/api/token/", { id, name: "stolen" }),
      other.send("PATCH", `/api/token/${id}`, { status: 2 }),
      other.send("DELETE", `/api/token/${id}`),
    ];
    for (const answer of await Promise.all(tries)) expect(answer.status).toBe(404);
    const root = await site.as(await site.makeUser({ role: 100 }));
    expect((await root.get(`/api/token/${id}/key`)).status).toBe(404);
    expect((await other.get<List>("/api/token")).body.data.total_count).toBe(0);
    expect((await site.guest.get("/api/token")).status).toBe(401);
  });

  it("cannot be requested with an invalid id", async () => {
    for (const id of ["abc", "0", "-1", "1.5", "2147483648", "1e99", "%00"]) {
      expect((await me.get(`/api/token/${id}`)).status, id).toBe(400);
    }
  });
});

describe("the list of tokens", () => {
  it("is paged, sorted and searched", async () => {
    const browser = await site.as(await site.makeUser());
    for (const name of ["b", "a", "c", "A second"]) {
      await browser.send("POST", "/api/token", { name });
    }
    const names = async (query: string) => {
      const answer = await browser.get<List>(`/api/token/?${query}`);
      return answer.body.data.data.map((row) => row.name);
    };
    expect(await names("order=-name&size=2")).toEqual(["c", "b"]);
    expect(await names("order=-name&size=2&page=2")).toHaveLength(2);
    expect(await names("keyword=SECOND")).toEqual(["A second"]);
    expect(await names("page=0")).toHaveLength(4);
    expect(await names("page=999999999999")).toEqual([]);
    expect(await names("")).toEqual(["A second", "c", "a", "b"]);
    expect((await browser.get("/api/token?order=key_hash")).status).toBe(400);
    expect((await browser.get("/api/token?size=1000")).status).toBe(400);
    expect((await browser.get("/api/token?keyword=%00")).status).toBe(400);
  });
});

describe("the playground's token", () => {
  it("is created once, even in parallel, and again after it was disabled", async () => {
    const browser = await site.as(await site.makeUser());
    const ask = () => browser.get<{ key: string }>("/api/token/playground");
    const keys = (await Promise.all([ask(), ask(), ask()])).map((answer) => answer.body.data.key);
    expect(new Set(keys).size).toBe(1);
    const { data } = (await browser.get<List>("/api/token")).body.data;
    expect(data).toHaveLength(1);
    await browser.send("PATCH", `/api/token/${data[0]!.id}`, { status: 2 });
    expect((await ask()).body.data.key).not.toBe(keys[0]);
  });
});
