import type { UserDetail, UserListRow } from "@gateway/shared/accounts/user";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { User } from "#platform/prisma/client.ts";
import { type Browser, buildConsole, passwordOf, type TestConsole } from "#test/console.ts";

let site: TestConsole;
let rootUser: User;
let adminUser: User;
let root: Browser;
let admin: Browser;

beforeAll(async () => {
  site = await buildConsole();
  rootUser = await site.makeUser({ role: 100 });
  adminUser = await site.makeUser({ role: 10 });
  root = await site.as(rootUser);
  admin = await site.as(adminUser);
});
afterAll(() => site.close());

const reload = (user: { id: number }) => site.services.db.user.findUniqueOrThrow({ where: { id: user.id } });
let names = 0;
const newName = () => `someone-${(names += 1)}`;
const manage = (who: Browser, user: { username: string }, action: string) =>
  who.send<{ role: number; status: number }>("POST", "/api/user/manage", {
    username: user.username,
    action,
  });
const audited = (action: string, id: number) =>
  site.services.db.auditEntry.findFirst({
    where: { action, target_id: String(id) },
    orderBy: { id: "desc" },
  });

describe("creating an account", () => {
  it("sets name, password, group, role and balance, and records it", async () => {
    const username = newName();
    const body = { username, password: "long enough", group: "vip", role: 3, quota: 1_000_000 };
    const answer = await admin.send<UserDetail>("POST", "/api/user", body);
    expect(answer.body).toMatchObject({
      success: true,
      data: { username, display_name: username, group: "vip", role: 3, quota: 1_000_000, has_password: true },
    });
    const { id } = answer.body.data;
    const entry = await site.services.db.ledgerEntry.findFirstOrThrow({ where: { user_id: id } });
    expect(entry).toMatchObject({ kind: "admin", amount: 1_000_000n, actor_id: adminUser.id });
    expect((await audited("user.create", id))?.after).toMatchObject({ username, role: 3 });
    const login = { username, password: "long enough" };
    expect((await site.guest.send("POST", "/api/user/login", login)).status).toBe(200);
  });

  it("names the invalid field", async () => {
    const refused = await admin.send("POST", "/api/user", { username: "ab", password: "short", role: 100 });
    expect(refused.status).toBe(400);
    expect(Object.keys(refused.body.fields ?? {})).toEqual(["username", "password", "role"]);
    const taken = { username: rootUser.username.toUpperCase(), password: "long enough" };
    expect(await admin.send("POST", "/api/user", taken)).toMatchObject({
      status: 409,
      body: { fields: { username: "This username is taken." } },
    });
    const inUnknownGroup = { username: newName(), password: "long enough", group: "nowhere" };
    expect(await admin.send("POST", "/api/user", inUnknownGroup)).toMatchObject({
      status: 400,
      body: { fields: { group: "This group does not exist." } },
    });
    for (const username of ["a@b.example", "two words", "zero\u200bwidth"]) {
      const answer = await admin.send("POST", "/api/user", { username, password: "long enough" });
      expect(answer.status, username).toBe(400);
    }
  });

  it("gives a name to one of many parallel requests", async () => {
    const body = { username: newName(), password: "long enough" };
    const answers = await Promise.all([1, 2, 3].map(() => admin.send("POST", "/api/user", body)));
    expect(answers.map((each) => each.status).toSorted((a, b) => a - b)).toEqual([200, 409, 409]);
  });

  it("refuses fields that cannot be set this way by name, and ignores them in compatibility mode", async () => {
    const body = {
      username: newName(),
      password: "long enough",
      id: rootUser.id,
      totp_enabled: true,
      aff_quota: 5,
      used_quota: 7,
      inviter_id: rootUser.id,
    };
    const refused = await admin.send("POST", "/api/user", body);
    expect(refused.status).toBe(400);
    expect(Object.keys(refused.body.fields ?? {})).toEqual([
      "id",
      "totp_enabled",
      "aff_quota",
      "used_quota",
      "inviter_id",
    ]);
    const made = await admin.send<{ id: number }>("POST", "/api/user", body, { "api-version": "1" });
    const { data } = (await admin.get<UserDetail>(`/api/user/${made.body.data.id}`)).body;
    expect(data).toMatchObject({ totp_enabled: false, aff_quota: 0, used_quota: 0, inviter: null });
    expect(data.id).not.toBe(rootUser.id);
  });
});

describe("changing an account", () => {
  it("changes the given fields and keeps the rest, above all the balance", async () => {
    const user = await site.makeUser({ balance: 10n, display_name: "Old" });
    const body = { id: user.id, display_name: "", group: "vip" };
    const withQuota = await admin.send("PUT", "/api/user", { ...body, quota: 99_999 });
    expect(withQuota.body).toMatchObject({ success: false, issues: { quota: { reason: "field_unknown" } } });
    const answer = await admin.send<UserDetail>("PUT", "/api/user", body);
    expect(answer.body.data).toMatchObject({
      username: user.username,
      display_name: "",
      group: "vip",
      quota: 10,
    });
    expect(await audited("user.change", user.id)).toMatchObject({
      before: { display_name: "Old", group: "default" },
      after: { display_name: "", group: "vip" },
    });
  });

  it("ends the sessions when the password changes, and keeps the password out of the audit log", async () => {
    const user = await site.makeUser();
    const browser = await site.as(user);
    const body = { id: user.id, password: "a brand new one" };
    expect((await admin.send("PUT", "/api/user", body)).status).toBe(200);
    expect((await browser.get("/api/user/self")).status).toBe(401);
    expect((await audited("user.change", user.id))?.after).toMatchObject({ password: "***" });
  });

  it("never reaches an equal or a higher account, nor makes another root", async () => {
    const colleague = await site.makeUser({ role: 10 });
    const user = await site.makeUser();
    const password = "taken over now";
    for (const id of [colleague.id, rootUser.id, adminUser.id]) {
      expect((await admin.send("PUT", "/api/user", { id, password })).status).toBe(403);
      expect((await admin.send("DELETE", `/api/user/${id}`)).status).toBe(403);
      expect((await admin.send("DELETE", `/api/user/${id}/sessions`)).status).toBe(403);
    }
    for (const id of [colleague.id, rootUser.id]) {
      expect((await admin.get(`/api/user/${id}`)).status).toBe(403);
      expect((await admin.get(`/api/user/${id}/sessions`)).status).toBe(403);
    }
    expect((await admin.send("PUT", "/api/user", { id: user.id, role: 100 })).status).toBe(400);
    expect((await reload(user)).role).toBe(1);
    expect((await reload(rootUser)).password_hash).toBeNull();
  });

  it("lets root change its name and group, but not lower itself or skip the current password", async () => {
    const own = (change: object) => root.send("PUT", "/api/user", { id: rootUser.id, ...change });
    expect((await own({ group: "svip" })).status).toBe(200);
    expect((await own({ role: 1 })).status).toBe(403);
    expect((await own({ password: "without asking" })).status).toBe(403);
    expect(await reload(rootUser)).toMatchObject({ role: 100, group: "svip", password_hash: null });
  });
});

describe("a new administrator", () => {
  const input = { password: "hunter2hunter2", role: 10, permissions: { logs: "view" } };

  it("has the rights that root gives at creation, also in the audit log", async () => {
    const made = await root.send<{ id: number }>("POST", "/api/user", { ...input, username: "narrow-admin" });
    expect(made.status).toBe(200);
    expect((await reload(made.body.data)).permissions).toEqual({ logs: "view" });
    expect(await audited("user.create", made.body.data.id)).toMatchObject({
      after: { role: 10, permissions: { logs: "view" } },
    });
    const all = await root.send<{ id: number }>("POST", "/api/user", {
      ...input,
      username: "wide-admin",
      permissions: null,
    });
    expect((await reload(all.body.data)).permissions).toBeNull();
  });

  it("gets rights from root only, and no other role has any", async () => {
    expect((await admin.send("POST", "/api/user", { ...input, username: "by-admin", role: 1 })).status).toBe(
      403,
    );
    expect((await root.send("POST", "/api/user", { ...input, username: "not-admin", role: 1 })).status).toBe(
      400,
    );
  });
});

describe("the actions of the list", () => {
  it("raise and lower roles, by permitted users only", async () => {
    const user = await site.makeUser();
    expect((await manage(admin, user, "set_reliable")).body.data).toEqual({ role: 3, status: 1 });
    expect((await manage(root, user, "promote")).body.data).toEqual({ role: 10, status: 1 });
    const browser = await site.as(user);
    expect((await browser.get("/api/user")).status).toBe(200);
    expect((await manage(root, user, "demote")).body.data).toEqual({ role: 1, status: 1 });
    expect((await browser.get("/api/user")).status).toBe(403);
    expect(await audited("user.demote", user.id)).toMatchObject({ before: { role: 10 }, after: { role: 1 } });
    expect((await manage(admin, user, "crown")).status).toBe(400);
    expect((await manage(admin, { username: "nobody" }, "disable")).status).toBe(404);
  });

  it("keep the permissions of an administrator whose role is taken and given back", async () => {
    const user = await site.makeUser({ role: 10, permissions: { users: "view" } });
    expect((await manage(admin, user, "demote")).body.data).toEqual({ role: 1, status: 1 });
    expect(await reload(user)).toMatchObject({ permissions: { users: "view" }, demoted_by_admin: true });
    expect((await manage(admin, user, "promote")).body.data).toEqual({ role: 10, status: 1 });
    expect(await reload(user)).toMatchObject({ permissions: { users: "view" }, demoted_by_admin: false });
  });

  it("never change root, nor the own account", async () => {
    for (const action of ["disable", "delete", "demote", "set_reliable", "promote"]) {
      expect((await manage(admin, rootUser, action)).status, action).toBe(403);
      expect((await manage(root, rootUser, action)).status, action).toBe(403);
      expect((await manage(admin, adminUser, action)).status, action).toBe(403);
    }
    expect(await reload(rootUser)).toMatchObject({ role: 100, status: 1, deleted_at: null });
  });

  it("disable an account in the middle of its session, and enable it without the old session", async () => {
    const user = await site.makeUser();
    const browser = await site.as(user);
    expect((await manage(admin, user, "disable")).body.data).toEqual({ role: 1, status: 2 });
    expect((await browser.get("/api/user/self")).status).toBe(401);
    expect((await manage(admin, user, "enable")).body.data).toEqual({ role: 1, status: 1 });
    expect((await browser.get("/api/user/self")).status).toBe(401);
  });
});

describe("deleting an account", () => {
  it("frees its name and address, ends its credentials and keeps the row for the ledger", async () => {
    const { db, secrets } = site.services;
    const user = await site.makeUser({
      balance: 5n,
      email: "gone@example.com",
      password_hash: await passwordOf("open sesame"),
      access_token_hash: secrets.hash("g".repeat(32)),
    });
    const browser = await site.as(user);
    await browser.send("POST", "/api/token", { name: "key" });
    await db.identity.create({ data: { user_id: user.id, provider: "github", subject: "4711" } });
    expect((await admin.send("DELETE", `/api/user/${user.id}`)).body).toMatchObject({
      success: true,
      data: null,
    });
    const row = await reload(user);
    expect(row.username).toMatch(new RegExp(`^${user.username}_del_\\w{6}$`));
    expect(row).toMatchObject({ email: null, access_token_hash: null, quota: 5n });
    expect((await browser.get("/api/user/self")).status).toBe(401);
    expect(await db.token.count({ where: { user_id: user.id, deleted_at: null } })).toBe(0);
    expect(await db.identity.count({ where: { user_id: user.id } })).toBe(0);
    expect((await admin.get(`/api/user/${user.id}`)).status).toBe(404);
    expect((await admin.send("DELETE", `/api/user/${user.id}`)).status).toBe(404);
    const login = { username: user.username, password: "open sesame" };
    expect((await site.guest.send("POST", "/api/user/login", login)).status).toBe(401);
    const again = { username: user.username, password: "long enough" };
    expect((await admin.send("POST", "/api/user", again)).status).toBe(200);
  });
});

describe("the list of users", () => {
  it("is filtered by role, status and group, and treats search text literally", async () => {
    const group = "svip";
    const one = await site.makeUser({ group, username: "under_score", status: 2, role: 3 });
    await site.makeUser({ group, username: "underXscore" });
    const find = async (query: string) =>
      (await admin.get<{ data: UserListRow[] }>(`/api/user?size=100&${query}`)).body.data.data.map(
        (row) => row.username,
      );
    expect(await find("keyword=under_")).toEqual(["under_score"]);
    expect(await find(`group=${group}&role=3`)).toEqual([one.username]);
    expect(await find(`group=${group}&status=2`)).toEqual([one.username]);
    expect(await find(`group=${group}&status=1&role=1`)).toEqual(["underXscore"]);
    expect(await find("keyword=%25")).toEqual([]);
  });

  it("names linked accounts, and the details show more without secrets", async () => {
    const user = await site.makeUser({ inviter_id: adminUser.id, access_token_hash: new Uint8Array([1]) });
    await site.services.db.identity.create({
      data: { user_id: user.id, provider: "github", subject: "99", label: "octo" },
    });
    const list = await admin.get<{ data: UserListRow[] }>(`/api/user?keyword=${user.username}`);
    expect(list.body.data.data[0]).toMatchObject({ providers: ["github"], totp_enabled: false });
    const detail = await admin.get<UserDetail>(`/api/user/${user.id}`);
    expect(detail.body.data).toMatchObject({
      identities: [{ provider: "github", label: "octo" }],
      inviter: { id: adminUser.id, username: adminUser.username },
      token_count: 0,
      has_access_token: true,
      has_password: false,
    });
    expect(JSON.stringify(detail.body)).not.toMatch(/hash|secret|subject/);
  });
});

describe("other users' sessions", () => {
  it("are listed and ended by administrators at once, and by no one else", async () => {
    const user = await site.makeUser();
    const stranger = await site.as(await site.makeUser());
    const [first, second] = [await site.as(user), await site.as(user)];
    const path = `/api/user/${user.id}/sessions`;
    expect((await stranger.get(path)).status).toBe(403);
    const listed = await admin.get<{ id: string }[]>(path);
    expect(listed.body.data).toHaveLength(2);
    const [target] = listed.body.data;
    expect((await stranger.send("DELETE", `/api/user/self/sessions/${target!.id}`)).status).toBe(404);
    expect((await stranger.send("DELETE", `${path}/${target!.id}`)).status).toBe(403);
    const other = await site.makeUser();
    expect((await admin.send("DELETE", `/api/user/${other.id}/sessions/${target!.id}`)).status).toBe(404);
    expect((await admin.send("DELETE", `${path}/${target!.id}`)).status).toBe(200);
    const states = [await first.get("/api/user/self"), await second.get("/api/user/self")];
    expect(states.map((each) => each.status).toSorted((a, b) => a - b)).toEqual([200, 401]);
    expect((await admin.send("DELETE", path)).status).toBe(200);
    expect((await second.get("/api/user/self")).status).toBe(401);
    expect((await first.get("/api/user/self")).status).toBe(401);
  });
});

describe("a page of another site", () => {
  it("manages no account with an administrator's cookie", async () => {
    const user = await site.makeUser();
    const foreign = { origin: "https://evil.example" };
    const body = { username: user.username, action: "promote" };
    expect(await root.send("POST", "/api/user/manage", body, foreign)).toMatchObject({
      status: 403,
      body: { code: "origin_refused" },
    });
    expect((await reload(user)).role).toBe(1);
  });
});
