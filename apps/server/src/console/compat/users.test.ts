import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bindIdentity } from "#domain/accounts/sign-in/identities.ts";
import { buildConsole, passwordOf, type TestConsole } from "#test/console.ts";
import { type Row, type Rows, type Script, scriptOf } from "./script.fixture.ts";

let site: TestConsole;
let root: Script;
let admin: Script;

beforeAll(async () => {
  site = await buildConsole();
  root = await scriptOf(site, await site.makeUser({ role: 100 }));
  admin = await scriptOf(site, await site.makeUser({ role: 10 }));
});
afterAll(() => site.close());

/** Every column of One Hub, by its type. */
const columns: Record<string, string> = {
  id: "number",
  username: "string",
  password: "string",
  display_name: "string",
  role: "number",
  status: "number",
  email: "string",
  avatar_url: "string",
  oidc_id: "string",
  github_id: "string",
  github_id_new: "number",
  wechat_id: "string",
  telegram_id: "number",
  lark_id: "string",
  verification_code: "string",
  access_token: "string",
  quota: "number",
  used_quota: "number",
  request_count: "number",
  group: "string",
  aff_code: "string",
  aff_count: "number",
  aff_quota: "number",
  aff_history_quota: "number",
  inviter_id: "number",
  last_login_time: "number",
  last_login_ip: "string",
  created_time: "number",
};
const typesOf = (row: Row) =>
  Object.fromEntries(Object.keys(columns).map((name) => [name, typeof row[name]]));
const read = async (id: number) => (await admin.get(`/user/${id}`)).data;
const put = (id: number, values: object) => admin.send("PUT", "/user/", { id, ...values });

describe("an account", () => {
  it("has all columns in every response, none of them null", async () => {
    const user = await site.makeUser({ password_hash: await passwordOf("a long password") });
    const own = await scriptOf(site, user);
    const login = await root.send("POST", "/user/login", {
      username: user.username,
      password: "a long password",
    });
    const list = await admin.get<Rows>(`/user/?keyword=${user.username}`);
    const answers = [login.data, (await own.get("/user/self")).data, await read(user.id), list.data.data[0]];
    for (const row of answers) expect(typesOf(row ?? { id: 0 })).toEqual(columns);
    expect(await read(user.id)).toMatchObject({ password: "", access_token: "", email: "", inviter_id: 0 });
  });

  it("shows its external account ids", async () => {
    const user = await site.makeUser();
    const actor = { ...user, ip: "10.0.0.1", permissions: null };
    for (const [provider, subject] of [
      ["telegram", "12345"],
      ["github", "777"],
      ["oidc", "sub-1"],
    ] as const) {
      const identity = { subject, label: "octo", username: "", displayName: "", email: null };
      await bindIdentity(site.services.db, actor, { provider, identity });
    }
    const links = {
      telegram_id: 12_345,
      github_id: "octo",
      github_id_new: 777,
      oidc_id: "sub-1",
      lark_id: "",
    };
    expect(await read(user.id)).toMatchObject(links);
    const before = await read(user.id);
    expect(await put(user.id, before)).toMatchObject({ success: true, message: "" });
  });

  it("gets external accounts from an administrator, who replaces them and cannot take another user's", async () => {
    const user = await site.makeUser();
    const other = await site.makeUser();
    const links = {
      telegram_id: 31,
      wechat_id: "wx",
      lark_id: "lk",
      oidc_id: "sub",
      github_id_new: 5,
      github_id: "cat",
    };
    expect(await put(user.id, links)).toMatchObject({ success: true, data: links });
    expect(await put(user.id, { telegram_id: 32, github_id: "dog" })).toMatchObject({
      data: { ...links, telegram_id: 32, github_id: "dog" },
    });
    expect(await put(other.id, { telegram_id: 31 })).toMatchObject({ success: true });
    const taken = { display_name: "Not applied", wechat_id: "wx" };
    expect(await put(other.id, taken)).toMatchObject({ success: false, code: "conflict" });
    expect(await read(other.id)).not.toMatchObject({ display_name: "Not applied" });
    expect(await put(other.id, { github_id: "name only" })).toMatchObject({
      success: false,
      message: expect.stringContaining("github_id_new"),
    });
    expect(await put(other.id, { telegram_id: -1 })).toMatchObject({ success: false });
    const above = await site.makeUser({ role: 100 });
    expect(await admin.send("PUT", "/user/", { id: above.id, telegram_id: 77 })).toMatchObject({
      success: false,
      code: "forbidden",
    });
    expect(await site.services.db.identity.count({ where: { user_id: above.id } })).toBe(0);
    const entries = await site.services.db.auditEntry.findMany({
      where: { action: "user.bind", target_id: String(user.id) },
    });
    expect(entries).toHaveLength(7);
  });

  it("is created without the fields that One Hub ignores, which the message names", async () => {
    const body = { username: "newcomer", password: "long enough", role: 10, group: "vip", quota: 500 };
    const answer = await root.send("POST", "/user/", body);
    expect(answer).toMatchObject({
      success: true,
      data: { role: 1, group: "default", quota: 0, display_name: "newcomer" },
    });
    for (const name of ["role", "group", "quota"]) expect(answer.message).toContain(`${name} was ignored`);
    expect(await admin.send("POST", "/user/", { ...body, username: "other", role: 10 })).toMatchObject({
      success: false,
      code: "forbidden",
    });
    expect(await root.send("POST", "/user/", body)).toMatchObject({ sent: 200, status: 409 });
  });

  it("is changed by a PUT with non-empty fields only", async () => {
    const { id } = await site.makeUser({ display_name: "Before" });
    const changes: [object, object][] = [
      [{ status: 2 }, { status: 2 }],
      [{ status: 1 }, { status: 1 }],
      [{ email: "Someone@Mail.example" }, { email: "someone@mail.example" }],
      [
        { display_name: "", email: "", status: 0, role: 0, group: "" },
        { display_name: "Before", status: 1 },
      ],
      [
        { display_name: "After", group: "vip" },
        { display_name: "After", group: "vip" },
      ],
      [
        { role: 3, avatar_url: "https://a.example/b.png" },
        { role: 3, avatar_url: "https://a.example/b.png" },
      ],
      [{ username: `renamed-${id}` }, { username: `renamed-${id}` }],
    ];
    for (const [sent, expected] of changes) {
      expect([sent, await put(id, sent)]).toMatchObject([sent, { success: true, data: { id, ...expected } }]);
      expect(await read(id)).toMatchObject(expected);
    }
    const quota = await put(id, { quota: 5_000, used_quota: 7 });
    expect(quota).toMatchObject({ success: true, data: { quota: 0 } });
    expect(quota.message).toContain("quota is not changed here");
    expect(await put(id, { group: "nowhere" })).toMatchObject({ success: false });
    expect(await put(id, { role: 100 })).toMatchObject({ success: false });
    expect(await put(id, { status: 7 })).toMatchObject({ success: false });
    for (const bad of [true, String(id), null])
      expect((await admin.send("PUT", "/user/", { id: bad, status: 2 })).success).toBe(false);
    const other = await site.makeUser();
    expect(await put(other.id, { email: "someone@mail.example" })).toMatchObject({ status: 409 });
  });

  it("loses its sessions and its access token when a PUT disables it", async () => {
    const user = await site.makeUser();
    const own = await scriptOf(site, user);
    expect((await own.get("/user/self")).success).toBe(true);
    await put(user.id, { status: 2 });
    expect(await own.get("/user/self")).toMatchObject({ sent: 401, success: false });
  });

  it("can be written back exactly as it was read", async () => {
    const { id } = await site.makeUser({ display_name: "Same" });
    const before = await read(id);
    expect(await put(id, before)).toMatchObject({ success: true, message: "" });
    expect(await read(id)).toEqual(before);
  });

  it("is managed by name: the response contains role and status", async () => {
    const user = await site.makeUser();
    const manage = (action: string) => root.send("POST", "/user/manage", { username: user.username, action });
    expect((await manage("disable")).data).toMatchObject({ id: 0, username: "", role: 1, status: 2 });
    expect((await manage("promote")).data).toMatchObject({ role: 10 });
    expect(typesOf((await manage("enable")).data)).toEqual(columns);
    expect(await manage("explode")).toMatchObject({ sent: 200, status: 400, success: false });
  });
});

describe("the own account", () => {
  it("gets a new access token by a GET, and the old one ends at once", async () => {
    const user = await site.makeUser();
    const own = await scriptOf(site, user);
    const { data } = await own.get<string>("/user/token");
    expect(data).toMatch(/^[A-Za-z0-9]{32}$/);
    expect(await own.get("/user/self")).toMatchObject({ sent: 401 });
    const self = await site.app.inject({ url: "/api/user/self", headers: { authorization: data } });
    expect(self.json()).toMatchObject({ success: true, data: { id: user.id } });
  });

  it("gets one with a new session too, but not with an old one or from another site's page", async () => {
    const { db, secrets } = site.services;
    const user = await site.makeUser();
    const browser = await site.as(user);
    const ask = async (more: Record<string, string> = {}) => {
      const headers = { cookie: `session=${browser.cookie}`, host: "localhost:80", ...more };
      return (await site.app.inject({ url: "/api/user/token", headers })).json<{
        success: boolean;
        code?: string;
      }>();
    };
    expect(await ask({ referer: "https://evil.example/" })).toMatchObject({ code: "origin_refused" });
    expect(await ask({ "sec-fetch-site": "cross-site" })).toMatchObject({ code: "origin_refused" });
    expect(await ask()).toMatchObject({ success: true });
    await db.session.updateMany({
      where: { id_hash: secrets.hash(browser.cookie ?? "") },
      data: { created_time: new Date(Date.now() - 3_600_000) },
    });
    expect(await ask()).toMatchObject({ success: false, code: "sign_in_again" });
  });

  it("keeps its password and its name when the profile is changed by a PUT, and the message states it", async () => {
    const user = await site.makeUser({ display_name: "Me" });
    const own = await scriptOf(site, user);
    const change = (values: object) => own.send("PUT", "/user/self", values);
    expect(await change({ username: "other", display_name: "New", password: "" })).toMatchObject({
      success: true,
      message: expect.stringContaining("username was ignored"),
      data: { username: user.username, display_name: "New" },
    });
    expect((await change({ display_name: "" })).data).toMatchObject({ display_name: "New" });
    const refused = await change({ display_name: "X", password: "another password" });
    expect(refused).toMatchObject({
      sent: 200,
      success: false,
      message: expect.stringContaining("password"),
    });
  });

  it("can be unlinked from a provider that was never linked", async () => {
    const own = await scriptOf(site, await site.makeUser());
    for (const type of ["github", "wechat", "lark", "oidc"])
      expect(await own.send("POST", "/user/unbind", { type })).toMatchObject({ success: true });
    expect(await own.send("POST", "/user/unbind", { type: "myspace" })).toMatchObject({ success: false });
  });

  it("has its usage as a list of rows per day and model", async () => {
    const user = await site.makeUser();
    const own = await scriptOf(site, user);
    expect((await own.get<unknown[]>("/user/dashboard")).data).toEqual([]);
    await site.services.db.$executeRaw`
      INSERT INTO usage_hours (hour, user_id, token_id, channel_id, model, "group", request_count, quota, prompt_tokens, completion_tokens, request_time)
      VALUES (date_trunc('hour', now()), ${user.id}, 1, 1, 'gpt-4o', 'default', 2, 30, 4, 5, 600)`;
    expect((await own.get<unknown[]>("/user/dashboard")).data).toEqual([
      {
        Date: new Date().toISOString().slice(0, 10),
        RequestCount: 2,
        Quota: 30,
        PromptTokens: 4,
        CompletionTokens: 5,
        RequestTime: 600,
        ModelName: "gpt-4o",
      },
    ]);
  });
});
