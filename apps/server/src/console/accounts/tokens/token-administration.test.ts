import type { TokenAdminRow, TokenRow } from "@gateway/shared/accounts/token";
import type { LogPage } from "@gateway/shared/usage/log";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCallers } from "#domain/tokens/callers.ts";
import type { User } from "#platform/prisma/client.ts";
import { type Browser, buildConsole, type TestConsole } from "#test/console.ts";

let site: TestConsole;
let root: Browser;
let admin: Browser;
let adminUser: User;

beforeAll(async () => {
  site = await buildConsole();
  root = await site.as(await site.makeUser({ role: 100 }));
  adminUser = await site.makeUser({ role: 10 });
  admin = await site.as(adminUser);
});
afterAll(() => site.close());

type List = { data: TokenAdminRow[]; total_count: number };
type Created = TokenRow & { key: string };

const callers = () => createCallers(site.services.db, site.services.secrets);

async function makeToken(browser: Browser, name: string, more: object = {}): Promise<Created> {
  return (await browser.send<Created>("POST", "/api/token", { name, ...more })).body.data;
}

async function search(query: string, who = admin): Promise<List> {
  return (await who.get<List>(`/api/token/admin/search?${query}`)).body.data;
}

describe("the search over all users' tokens", () => {
  it("finds by name, by owner and by id, shows the owner, and shows no key", async () => {
    const owner = await site.makeUser({ username: "searched-for", display_name: "Sea Arched" });
    const token = await makeToken(await site.as(owner), "of the mobile app");
    for (const query of [
      "keyword=MOBILE",
      "keyword=searched-for",
      `user_id=${owner.id}`,
      `token_id=${token.id}`,
    ]) {
      const { data, total_count } = await search(query);
      expect(total_count, query).toBe(1);
      expect(data[0]).toMatchObject({ id: token.id, owner_name: "Sea Arched", owner_role: 1 });
      expect(JSON.stringify(data)).not.toContain(token.key);
    }
    expect((await search("keyword=nothing%20like%20it")).total_count).toBe(0);
    expect((await (await site.as(owner)).get("/api/token/admin/search")).status).toBe(403);
  });
});

describe("a token that an administrator makes for a user", () => {
  it("belongs to the user, with its limits; the key is shown once, and the audit log names the administrator", async () => {
    const owner = await site.makeUser();
    const { status, body } = await admin.send<Created>("POST", "/api/token/admin", {
      user_id: owner.id,
      name: "from the operator",
      setting: { rates: { monthly_spend: 5_000_000 } },
    });
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ user_id: owner.id, setting: { rates: { monthly_spend: 5_000_000 } } });
    expect((await callers().find(body.data.key)).caller).toMatchObject({ userId: owner.id });
    const theirs = await site.as(owner);
    const own = (await theirs.get<List>("/api/token")).body.data.data;
    expect(own.map(({ name }) => name)).toEqual(["from the operator"]);
    const shown = (await theirs.get<{ key: string }>(`/api/token/${body.data.id}/key`)).body.data.key;
    expect(shown).toBe(body.data.key);
    expect((await admin.get(`/api/token/${body.data.id}/key`)).status).toBe(404);
    const entries = await root.get<{ data: { action: string; user_id: number }[] }>(
      `/api/audit?target_type=token&target_id=${body.data.id}`,
    );
    expect(entries.body.data.data).toMatchObject([{ action: "token.create", user_id: adminUser.id }]);
    expect(entries.response.body).not.toContain(body.data.key);
  });

  it("is rejected for an equal account, for an unknown one, and without the permission", async () => {
    const equal = await site.makeUser({ role: 10 });
    const make = async (who: Browser, user_id: number, more: object = {}) =>
      (await who.send("POST", "/api/token/admin", { user_id, name: "x", ...more })).status;
    expect(await make(admin, equal.id)).toBe(403);
    expect(await make(admin, 2_000_000_000)).toBe(404);
    expect(await make(await site.as(await site.makeUser()), equal.id)).toBe(403);
    expect(await make(admin, (await site.makeUser()).id, { group: "no-such-group" })).toBe(403);
  });
});

describe("the limits for MCP of a user's token", () => {
  it("are offered to an administrator by the groups of the user, without addresses", async () => {
    const { db } = site.services;
    await db.userGroup.create({ data: { symbol: "mcp-only", name: "MCP", public: false } });
    const server = await db.mcpServer.create({
      data: { name: "github", url: "https://mcp.example.com/mcp" },
    });
    for (const [name, groups] of [
      ["everyone", []],
      ["few", ["mcp-only"]],
    ] as const)
      await db.mcpBundle.create({
        data: { name, groups: [...groups], servers: { create: { server_id: server.id } } },
      });
    const bundlesOf = (user_id: number | string, who = admin) =>
      who.get<{ name: string }[]>(`/api/token/admin/mcp_bundle?user_id=${user_id}`);
    const [member, other] = [await site.makeUser({ group: "mcp-only" }), await site.makeUser()];
    expect((await bundlesOf(other.id)).body.data).toEqual([
      { name: "everyone", description: "", servers: ["github"] },
    ]);
    expect((await bundlesOf(member.id)).body.data.map(({ name }) => name)).toEqual(["everyone", "few"]);
    const equal = await site.makeUser({ role: 10 });
    expect((await bundlesOf(equal.id)).status).toBe(403);
    expect((await bundlesOf(other.id, await site.as(member))).status).toBe(403);
    const cashier = await site.makeUser({ role: 10, permissions: { payments: "edit" } });
    expect((await bundlesOf(other.id, await site.as(cashier))).status).toBe(403);
    expect((await bundlesOf(2_000_000_000)).status).toBe(404);
    for (const id of ["", "0", "x", "99999999999"]) expect((await bundlesOf(id)).status, id).toBe(400);
  });

  it("are set by an administrator, checked like those of an owner, and removed by empty lists", async () => {
    const owner = await site.makeUser();
    const make = (mcp: object) =>
      admin.send<Created>("POST", "/api/token/admin", { user_id: owner.id, name: "MCP", setting: { mcp } });
    const limits = { bundles: ["work"], allow: ["github__*"], deny: ["github__delete_*"] };
    const { id, setting } = (await make(limits)).body.data;
    expect(setting.mcp).toEqual(limits);
    const refused = await make({ ...limits, deny: ["delete issue!"] });
    expect(refused).toMatchObject({
      status: 400,
      body: { issues: { "setting.mcp.deny.0": { reason: "mcp_tool_pattern" } } },
    });
    const change = async (mcp: object) =>
      (await admin.send<TokenAdminRow>("PUT", "/api/token/admin", { id, setting: { mcp } })).body.data;
    const narrower = { ...limits, bundles: [] };
    expect((await change(narrower)).setting.mcp).toEqual(narrower);
    expect((await change({ bundles: [], allow: [], deny: [] })).setting).not.toHaveProperty("mcp");
  });
});

describe("a token that gets another owner", () => {
  it("belongs to the new owner alone, with a key that the old one does not know", async () => {
    const [from, to] = [await site.makeUser(), await site.makeUser()];
    const [old, next] = [await site.as(from), await site.as(to)];
    const { key, id } = await makeToken(old, "moving", { unlimited_quota: false, remain_quota: 700 });
    const answer = await admin.send<TokenAdminRow>("PUT", "/api/token/admin", {
      id,
      name: "moved",
      unlimited_quota: false,
      user_id: to.id,
    });
    expect(answer.body.data).toMatchObject({ user_id: to.id, name: "moved", remain_quota: 700 });
    expect((await old.get(`/api/token/${id}`)).status).toBe(404);
    await expect(callers().find(key)).rejects.toMatchObject({ code: "invalid_api_key" });
    const shown = (await next.get<{ key: string }>(`/api/token/${id}/key`)).body.data.key;
    expect(shown).not.toBe(key);
    expect((await callers().find(shown)).caller).toMatchObject({ tokenId: id, userId: to.id });
    const entry = await site.services.db.auditEntry.findFirstOrThrow({
      where: { action: "token.transfer", target_id: String(id) },
    });
    expect(entry).toMatchObject({ before: { user_id: from.id }, after: { user_id: to.id } });
    expect(JSON.stringify([entry.before, entry.after])).not.toContain(shown);
  });

  it("never shows its key to the administrator who moves it, there or back", async () => {
    const from = await site.makeUser();
    const owner = await site.as(from);
    const { key, id } = await makeToken(owner, "keeps");
    const cashier = await site.makeUser({ role: 10, permissions: { tokens: "edit" } });
    const theirs = await site.as(cashier);
    const move = (user_id: number, more: object = {}) =>
      theirs.send("PUT", "/api/token/admin", { id, name: "keeps", user_id, ...more });
    expect(await move(cashier.id, { new_key: false })).toMatchObject({
      status: 400,
      body: { fields: { new_key: expect.any(String) as string } },
    });
    expect((await theirs.get(`/api/token/${id}/key`)).status).toBe(404);
    expect((await move(cashier.id)).status).toBe(200);
    const seen = (await theirs.get<{ key: string }>(`/api/token/${id}/key`)).body.data.key;
    expect(seen).not.toBe(key);
    expect((await move(from.id)).status).toBe(200);
    expect((await theirs.get(`/api/token/${id}/key`)).status).toBe(404);
    const now = (await owner.get<{ key: string }>(`/api/token/${id}/key`)).body.data.key;
    expect([key, seen]).not.toContain(now);
    for (const old of [key, seen]) {
      await expect(callers().find(old)).rejects.toMatchObject({ code: "invalid_api_key" });
    }
  });

  it("must name a group that its new owner may use", async () => {
    const { db } = site.services;
    await db.userGroup.create({ data: { symbol: "inner", name: "Inner", public: false } });
    const [from, to] = [await site.makeUser({ group: "inner" }), await site.makeUser()];
    const { id } = await makeToken(await site.as(from), "grouped", { group: "inner" });
    const body = { id, name: "grouped", group: "inner", user_id: to.id };
    const answer = await admin.send("PUT", "/api/token/admin", body);
    expect(answer.body).toMatchObject({ code: "group_not_allowed", fields: { group: expect.any(String) } });
    expect((await admin.send("PUT", "/api/token/admin", { ...body, group: "" })).status).toBe(200);
  });

  it("cannot go to an unknown account, or to one that the administrator may not manage", async () => {
    const { id } = await makeToken(await site.as(await site.makeUser()), "stays");
    const peer = await site.makeUser({ role: 10 });
    const move = (user_id: number) => admin.send("PUT", "/api/token/admin", { id, name: "stays", user_id });
    expect((await move(2_000_000_000)).status).toBe(404);
    expect((await move(peer.id)).status).toBe(403);
    expect((await move(adminUser.id)).status).toBe(200);
  });
});

describe("administrators", () => {
  it("change and switch the tokens of lower accounts, and of no others", async () => {
    const { id } = await makeToken(await site.as(await site.makeUser()), "low");
    const off = await admin.send<TokenAdminRow>("PATCH", `/api/token/admin/${id}`, { status: 2 });
    expect(off.body.data.status).toBe(2);
    expect((await admin.send("PATCH", `/api/token/admin/${id}`, { status: 1 })).status).toBe(200);
    const high = await makeToken(root, "of root");
    const body = { id: high.id, name: "mine now" };
    expect((await admin.send("PUT", "/api/token/admin", body)).status).toBe(403);
    expect((await admin.send("PATCH", `/api/token/admin/${high.id}`, { status: 2 })).status).toBe(403);
    expect((await root.send("PUT", "/api/token/admin", body)).status).toBe(200);
    expect((await admin.send("PUT", "/api/token/admin", { ...body, id: 2_000_000_000 })).status).toBe(404);
  });

  it("cannot enable an expired token", async () => {
    const expired_time = Math.floor(Date.now() / 1000) - 60;
    const { id } = await makeToken(await site.as(await site.makeUser()), "over", { expired_time });
    await site.services.db.token.update({ where: { id }, data: { status: 2 } });
    expect((await admin.send("PATCH", `/api/token/admin/${id}`, { status: 1 })).status).toBe(409);
  });
});

describe("a billing tag", () => {
  it("is set, shown and searched by trusted users and administrators", async () => {
    const trusted = await site.as(await site.makeUser({ role: 3 }));
    const { id } = await makeToken(trusted, "tagged", { billing_tag: "project-x" });
    await makeToken(trusted, "plain");
    const list = await trusted.get<List>("/api/token?billing_tag=project-x");
    expect(list.body.data.data.map((row) => [row.name, row.billing_tag])).toEqual([["tagged", "project-x"]]);
    expect((await search("billing_tag=project-x")).data.map((row) => row.id)).toEqual([id]);
    await trusted.send("PUT", `/api/token/${id}`, { name: "renamed" });
    expect((await trusted.get<TokenRow>(`/api/token/${id}`)).body.data.billing_tag).toBe("project-x");
    await trusted.send("PUT", `/api/token/${id}`, { name: "renamed", billing_tag: "" });
    expect((await trusted.get<TokenRow>(`/api/token/${id}`)).body.data.billing_tag).toBe("");
  });

  it("is neither shown to nor changed by ordinary users", async () => {
    const owner = await site.as(await site.makeUser());
    const refused = await owner.send("POST", "/api/token", { name: "t", billing_tag: "mine" });
    expect(refused.status).toBe(403);
    expect(refused.body.fields).toHaveProperty("billing_tag");
    const { id } = await makeToken(owner, "owned");
    await admin.send("PUT", "/api/token/admin", { id, name: "owned", billing_tag: "secret-project" });
    const seen = await owner.send<TokenRow>("PUT", `/api/token/${id}`, { name: "owned", billing_tag: "" });
    expect(seen.body.data.billing_tag).toBe("");
    expect((await search(`token_id=${id}`)).data[0]?.billing_tag).toBe("secret-project");
    expect((await owner.get<List>("/api/token?billing_tag=other")).body.data.total_count).toBe(1);
  });

  it("filters the log for permitted users, and is hidden from all others", async () => {
    const plain = await site.makeUser();
    const trusted = await site.makeUser({ role: 3 });
    for (const user of [plain, trusted])
      await site.database.pool.query(
        `insert into request_logs (request_id, created_at, user_id, type, billing_tag, quota)
         values ($1::text, now(), $2::int, 2, 'tag-' || $2::int, 5), ($1::text || 'b', now(), $2::int, 2, '', 7)`,
        [`tagged-${user.id}`, user.id],
      );
    const rows = async (who: Browser, path: string) =>
      (await who.get<LogPage>(path)).body.data.data.map((row) => row.billing_tag);
    const tag = `tag-${trusted.id}`;
    expect(await rows(await site.as(trusted), `/api/log/self?billing_tag=${tag}`)).toEqual([tag]);
    expect(await rows(admin, `/api/log?billing_tag=tag-${plain.id}`)).toEqual([`tag-${plain.id}`]);
    expect(await rows(await site.as(plain), `/api/log/self?billing_tag=nothing`)).toEqual(["", ""]);
    const stat = await admin.get<{ quota: number }>(`/api/log/stat?billing_tag=${tag}`);
    expect(stat.body.data).toMatchObject({ quota: 5, count: 1 });
  });
});
