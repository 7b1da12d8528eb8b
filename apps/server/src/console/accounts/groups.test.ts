import type { UserGroupDetail } from "@gateway/shared/channels/group";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createGroups } from "#domain/accounts/groups/active-groups.ts";
import { promoteUser } from "#domain/credits/promotion.ts";
import { credit } from "#domain/ledger/balances/credit.ts";
import { listen } from "#platform/announcements.ts";
import { type Browser, buildConsole, type TestConsole } from "#test/console.ts";

interface List {
  data: UserGroupDetail[];
  total_count: number;
}

let site: TestConsole;
let admin: Browser;

beforeAll(async () => {
  site = await buildConsole();
  admin = await site.as(await site.makeUser({ role: 10 }));
});
afterAll(() => site.close());

const group = { name: "Team", ratio: 0.5, api_rate: 300, public: true, promotion: false, min: 0, max: 0 };

async function create(symbol: string, over: object = {}): Promise<UserGroupDetail> {
  const answer = await admin.send<UserGroupDetail>("POST", "/api/user_group", { ...group, symbol, ...over });
  expect(answer.body).toMatchObject({ success: true });
  return answer.body.data;
}

async function idOf(symbol: string): Promise<number> {
  const all = (await admin.get<List>("/api/user_group?size=100")).body.data.data;
  return all.find((each) => each.symbol === symbol)?.id ?? 0;
}

describe("a user group", () => {
  it("applies on every node once it is created or changed; its symbol stays", async () => {
    const active = await createGroups(site.services.db);
    const news = await listen(site.database.url, () => {});
    news.on("groups", () => void active.reload());
    const made = await create("team");
    await expect.poll(() => active.get("team")).toMatchObject({ ratio: "0.5", apiRate: 300 });
    const changed = await admin.send<UserGroupDetail>("PUT", "/api/user_group", {
      id: made.id,
      ratio: 0.000001,
    });
    const same = await admin.send("PUT", `/api/user_group/${made.id}`, { symbol: "team", name: "Team 2" });
    expect(same.body.data).toMatchObject({ symbol: "team", name: "Team 2" });
    const renamed = await admin.send("PUT", "/api/user_group", { id: made.id, symbol: "other" });
    expect(Object.keys(renamed.body.fields ?? {})).toEqual(["symbol"]);
    expect(changed.body.data).toMatchObject({ symbol: "team", ratio: 0.000001, enable: true });
    await expect.poll(() => active.get("team")?.ratio).toBe("0.000001");
    await admin.send("PUT", `/api/user_group/enable/${made.id}`);
    await expect.poll(() => active.get("team")?.enable).toBe(false);
    for (const enable of [false, true, true]) {
      const set = await admin.send("PUT", `/api/user_group/enable/${made.id}?enable=${enable}`);
      expect(set.body.data).toMatchObject({ enable });
    }
    expect((await admin.send("PUT", `/api/user_group/enable/${made.id}?enable=yes`)).status).toBe(400);
    await admin.send("DELETE", `/api/user_group/${made.id}`);
    await expect.poll(() => active.get("team")).toBeUndefined();
    await news.close();
  });

  it("is rejected with the invalid field", async () => {
    await create("twice");
    const wrong: [object, string][] = [
      [{ symbol: "" }, "symbol"],
      [{ symbol: "中文" }, "symbol"],
      [{ symbol: "twice" }, "symbol"],
      [{ name: "" }, "name"],
      [{ ratio: -1 }, "ratio"],
      [{ ratio: 0.0000001 }, "ratio"],
      [{ api_rate: 0 }, "api_rate"],
      [{ api_rate: 1.5 }, "api_rate"],
      [{ min: -1 }, "min"],
      [{ promotion: true, min: 10, max: 10 }, "max"],
    ];
    for (const [over, field] of wrong) {
      const answer = await admin.send("POST", "/api/user_group", { ...group, symbol: "new", ...over });
      expect([400, 409], JSON.stringify(over)).toContain(answer.status);
      expect(Object.keys(answer.body.fields ?? {}), JSON.stringify(over)).toEqual([field]);
    }
  });

  it("cannot be deleted while it is used; the default one never can", async () => {
    const standard = await idOf("default");
    expect((await admin.send("DELETE", `/api/user_group/${standard}`)).status).toBe(409);
    expect((await admin.send("PUT", `/api/user_group/enable/${standard}`)).status).toBe(409);
    const used = await create("used");
    const person = await site.makeUser({ group: "used" });
    expect((await admin.get<UserGroupDetail>(`/api/user_group/${used.id}`)).body.data.user_count).toBe(1);
    expect((await admin.send("DELETE", `/api/user_group/${used.id}`)).status).toBe(409);
    await site.services.db.user.update({ where: { id: person.id }, data: { group: "default" } });
    expect((await admin.send("DELETE", `/api/user_group/${used.id}`)).status).toBe(200);
  });

  it("is found by name, symbol and state, in the requested order", async () => {
    const off = await create("zeta_1", { name: "Last", ratio: 9 });
    await create("zetax1", { name: "First" });
    await admin.send("PUT", `/api/user_group/enable/${off.id}`);
    const symbols = async (query: string) =>
      (await admin.get<List>(`/api/user_group?${query}`)).body.data.data.map((each) => each.symbol);
    expect(await symbols("keyword=zeta_")).toEqual(["zeta_1"]);
    expect(await symbols("keyword=zeta&order=-ratio")).toEqual(["zeta_1", "zetax1"]);
    expect(await symbols("keyword=zeta&enable=true")).toEqual(["zetax1"]);
    expect((await admin.get("/api/user_group?order=password")).status).toBe(400);
  });
});

describe("promotion", () => {
  it("moves an account up by its top-ups, not by gifts, and never down", async () => {
    const { db } = site.services;
    await create("bronze", { promotion: true, min: 10, max: 100 });
    await create("silver", { promotion: true, min: 100, max: 0 });
    const person = await site.makeUser({ balance: 500_000_000n });
    const groupAfter = async (dollars: bigint, reference: string) => {
      const amount = dollars * 500_000n;
      await credit(db, { userId: person.id, kind: "topup", amount, reference, reason: "" });
      return promoteUser(db, person.id, 500_000);
    };
    expect(await groupAfter(9n, "p1")).toBe("default");
    expect(await groupAfter(1n, "p2")).toBe("bronze");
    expect(await groupAfter(90n, "p3")).toBe("silver");
    await db.userGroup.updateMany({ where: { symbol: "silver" }, data: { min: 5_000 } });
    expect(await promoteUser(db, person.id, 500_000)).toBe("silver");
    const chosen = await site.makeUser({ group: "vip" });
    await credit(db, { userId: chosen.id, kind: "topup", amount: 10_000_000n, reference: "p4", reason: "" });
    expect(await promoteUser(db, chosen.id, 500_000)).toBe("vip");
    const elsewhere = await site.makeUser();
    await credit(db, { userId: elsewhere.id, kind: "topup", amount: 10_000n, reference: "p5", reason: "" });
    expect(await promoteUser(db, elsewhere.id, 1_000)).toBe("bronze");
  });
});
