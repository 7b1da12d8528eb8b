import type { Self } from "@gateway/shared/accounts/session";
import type { Settings } from "@gateway/shared/site/settings";
import type { SiteStatus } from "@gateway/shared/site/status";
import type { LightMyRequestResponse } from "fastify";
import { Secret, TOTP } from "otpauth";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { enableTotp, offerTotp } from "#domain/accounts/sign-in/second-factor.ts";
import { endAccess } from "#domain/accounts/sign-in/sessions.ts";
import { systemActor } from "#domain/audit-log/audit.ts";
import { githubAt } from "#sign-in/github.ts";
import { identityProviders } from "#sign-in/index.ts";
import { larkAt } from "#sign-in/lark.ts";
import { buildConsole, passwordOf, type TestConsole, version2 } from "#test/console.ts";
import {
  type OpenIdServer,
  type Person,
  startGitHub,
  startLark,
  startOpenId,
  startWeChat,
  type WireServer,
} from "#test/identity-providers.ts";

const address = "https://console.test";
let site: TestConsole;
let openId: OpenIdServer;
let github: WireServer;
let lark: WireServer;
let wechat: WireServer;

beforeAll(async () => {
  [openId, github, lark, wechat] = await Promise.all([
    startOpenId(`${address}/oauth/oidc`),
    startGitHub(),
    startLark(),
    startWeChat(),
  ]);
  site = await buildConsole({
    identityProviders: {
      ...identityProviders,
      github: githubAt({ web: github.url, api: github.url }),
      lark: larkAt(lark.url),
    },
  });
  await configure({
    ServerAddress: address,
    GitHubClientId: github.credentials.id,
    GitHubClientSecret: github.credentials.secret,
    GitHubOAuthEnabled: true,
    LarkClientId: lark.credentials.id,
    LarkClientSecret: lark.credentials.secret,
    LarkAuthEnabled: true,
    WeChatServerAddress: `${wechat.url}/`,
    WeChatServerToken: wechat.credentials.secret,
    WeChatAuthEnabled: true,
    OIDCIssuer: openId.url,
    OIDCClientId: openId.client.id,
    OIDCClientSecret: openId.client.secret,
    OIDCAuthEnabled: true,
  });
});
afterAll(async () => {
  await site.close();
  await Promise.all([openId, github, lark, wechat].map((server) => server.close()));
});
beforeEach(() => configure({ RegisterEnabled: true, QuotaForNewUser: 0, QuotaForInviter: 0 }));

async function configure(values: Partial<Settings>): Promise<void> {
  await site.services.settings.change(systemActor, values);
}

interface Answer {
  status: number;
  success: boolean;
  message: string;
  code?: string;
  data: Self | null;
}

/** A browser with its own cookie jar and address. */
class Visitor {
  readonly jar = new Map<string, string>();
  readonly #address = `10.${dice()}.${dice()}.${dice()}`;

  static async as(user: { id: number }): Promise<Visitor> {
    const visitor = new Visitor();
    visitor.jar.set("session", (await site.as(user)).cookie ?? "");
    return visitor;
  }

  async ask(method: "GET" | "POST", url: string, payload?: object): Promise<LightMyRequestResponse> {
    const cookie = [...this.jar].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await site.app.inject({
      method,
      url,
      headers: { ...version2, cookie, "x-forwarded-for": this.#address, origin: address },
      ...(payload === undefined ? {} : { payload }),
    });
    for (const { name, value } of response.cookies) this.jar.set(name, value);
    return response;
  }

  async text(url: string): Promise<string> {
    return (await this.ask("GET", url)).json<{ data: string }>().data;
  }

  state(): Promise<string> {
    return this.text("/api/oauth/state");
  }

  async comeBack(provider: string, query: Record<string, string>): Promise<Answer> {
    const response = await this.ask("GET", `/api/oauth/${provider}?${new URLSearchParams(query).toString()}`);
    return { status: response.statusCode, ...response.json<Omit<Answer, "status">>() };
  }

  /** The confirmation that a signed-in user makes before linking an account. */
  async confirm(proof: object = {}): Promise<Answer> {
    const response = await this.ask("POST", "/api/user/self/identities/confirm", proof);
    return { status: response.statusCode, ...response.json<Omit<Answer, "status">>() };
  }

  /** The complete flow with a provider whose codes this test issues. */
  async signIn(wire: WireServer, person: Person, more: Record<string, string> = {}): Promise<Answer> {
    if (this.jar.has("session")) await this.confirm();
    const state = await this.state();
    return this.comeBack(nameOf(wire), { code: codeFor(wire, person), state, ...more });
  }

  /** The complete flow with the real provider. */
  async openId(person: Person, more: Record<string, string> = {}): Promise<Answer> {
    if (this.jar.has("session")) await this.confirm();
    const back = await openId.signIn(await this.text("/api/oauth/endpoint"), person);
    return this.comeBack("oidc", { ...back, ...more });
  }

  async self(): Promise<Self | undefined> {
    const response = await this.ask("GET", "/api/user/self");
    return response.statusCode === 200 ? response.json<{ data: Self }>().data : undefined;
  }
}

function dice(): number {
  return Math.floor(Math.random() * 256);
}

function nameOf(wire: WireServer): string {
  return wire === github ? "github" : wire === lark ? "lark" : "wechat";
}

let serial = 1_000;
function codeFor(wire: WireServer, person: Person): string {
  const code = `code-${(serial += 1)}`;
  wire.people.set(code, person);
  return code;
}

/** A person that no test has used. */
function stranger(more: Partial<Person> = {}): Person {
  serial += 1;
  return { id: String(serial), username: `octo-${serial}`, name: "Octo Cat", ...more };
}

describe("the first sign-in with a provider", () => {
  it("creates an account from GitHub, and the second sign-in opens the same", async () => {
    const visitor = new Visitor();
    const person = stranger({ email: "octo@github.test" });
    const first = await visitor.signIn(github, person);
    expect(first).toMatchObject({
      status: 200,
      success: true,
      message: "",
      data: { username: person.username, display_name: "Octo Cat", email: "octo@github.test", role: 1 },
    });
    expect((await visitor.self())?.id).toBe(first.data?.id);
    // The login was renamed at GitHub; the numeric id stays.
    const again = await new Visitor().signIn(github, { ...person, username: "renamed" });
    expect(again.data).toMatchObject({ id: first.data?.id, username: person.username });
    const row = await site.services.db.identity.findFirstOrThrow({ where: { user_id: first.data?.id ?? 0 } });
    expect(row).toMatchObject({ provider: "github", subject: person.id, label: "renamed" });
  });

  it("creates accounts from Lark and from WeChat, which have no user names", async () => {
    const fromLark = await new Visitor().signIn(lark, stranger({ id: "ou_1", name: "张三" }));
    expect(fromLark.data).toMatchObject({ display_name: "张三" });
    expect(fromLark.data?.username).toMatch(/^lark_\d{6}$/);
    const visitor = new Visitor();
    const fromWeChat = await visitor.signIn(wechat, stranger({ id: "wx-open-id" }));
    expect(fromWeChat.data?.username).toMatch(/^wechat_\d{6}$/);
    expect((await visitor.self())?.id).toBe(fromWeChat.data?.id);
  });

  it("creates an account from OpenID Connect, with PKCE, a nonce and the claims of the provider", async () => {
    const visitor = new Visitor();
    const authorize = new URL(await visitor.text("/api/oauth/endpoint"));
    expect(Object.fromEntries(authorize.searchParams)).toMatchObject({
      client_id: "gateway",
      redirect_uri: `${address}/oauth/oidc`,
      response_type: "code",
      code_challenge_method: "S256",
      scope: "openid profile email",
    });
    expect(authorize.searchParams.get("nonce")).toMatch(/^[\w-]{43}$/);
    const person = stranger({ username: "kim.lee@corp.test", email: "kim@corp.test", emailVerified: true });
    const back = await openId.signIn(authorize.href, person);
    const first = await visitor.comeBack("oidc", back);
    expect(first).toMatchObject({ status: 200, data: { username: "kim.lee", email: "kim@corp.test" } });
    const again = await new Visitor().openId(person);
    expect(again.data?.id).toBe(first.data?.id);
  });

  it("credits the inviter as registration does", async () => {
    await configure({ QuotaForNewUser: 100, QuotaForInviter: 30 });
    const inviter = await site.makeUser();
    const { data } = await new Visitor().openId(stranger(), { aff: inviter.aff_code });
    expect(data?.quota).toBe(100);
    const after = await site.services.db.user.findUniqueOrThrow({ where: { id: inviter.id } });
    expect(after).toMatchObject({ quota: 30n, aff_count: 1 });
    // A second sign-in is not a second invitation, and "null" is not an invite code.
    await new Visitor().signIn(github, stranger(), { aff: "null" });
    const later = await site.services.db.user.findUniqueOrThrow({ where: { id: inviter.id } });
    expect(later.quota).toBe(30n);
  });

  it("is rejected while sign-up is closed; known users can sign in", async () => {
    const person = stranger();
    await new Visitor().signIn(github, person);
    await configure({ RegisterEnabled: false });
    const users = await site.services.db.user.count();
    const refused = await new Visitor().signIn(github, stranger());
    expect(refused).toMatchObject({
      status: 403,
      message: "Sign-up is closed on this site. Ask an administrator for an account.",
    });
    expect(await site.services.db.user.count()).toBe(users);
    expect((await new Visitor().signIn(github, person)).status).toBe(200);
  });

  it("creates one account when the same person arrives twice in parallel", async () => {
    const person = stranger();
    const visitors = Array.from({ length: 4 }, () => new Visitor());
    const answers = await Promise.all(visitors.map((visitor) => visitor.signIn(github, person)));
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200, 200]);
    expect(new Set(answers.map((answer) => answer.data?.id)).size).toBe(1);
  });
});

describe("an existing account", () => {
  it("cannot be taken over by an email address, verified or not, nor by a name", async () => {
    const victim = await site.makeUser({ username: "victim", email: "victim@mail.test" });
    const claims: Partial<Person> = { username: "victim", email: "Victim@mail.test", emailVerified: true };
    for (const answer of [
      await new Visitor().signIn(github, stranger(claims)),
      await new Visitor().openId(stranger(claims)),
      await new Visitor().openId(stranger({ ...claims, emailVerified: false })),
    ]) {
      expect(answer.status).toBe(200);
      expect(answer.data?.id).not.toBe(victim.id);
      expect(answer.data?.email).toBeNull();
      expect(answer.data?.username).toMatch(/^victim_\d{6}$/);
    }
    expect(await site.services.db.identity.count({ where: { user_id: victim.id } })).toBe(0);
  });

  it("without an email address is not found by an empty one", async () => {
    const root = await site.makeUser({ role: 100 });
    const { data } = await new Visitor().signIn(github, stranger());
    expect(data?.id).not.toBe(root.id);
  });

  it("does not get an address that the provider has not verified", async () => {
    const { data } = await new Visitor().openId(stranger({ email: "claimed@x.test", emailVerified: false }));
    expect(data?.email).toBeNull();
    const unverified = stranger({ email: "also@x.test", emailVerified: false });
    expect((await new Visitor().signIn(github, unverified)).data?.email).toBeNull();
  });

  it("cannot be opened when it is disabled or deleted", async () => {
    const person = stranger();
    const { data } = await new Visitor().signIn(github, person);
    const id = data?.id ?? 0;
    await site.services.db.user.update({ where: { id }, data: { status: 2 } });
    const visitor = new Visitor();
    expect(await visitor.signIn(github, person)).toMatchObject({ status: 403, code: "user_disabled" });
    expect(visitor.jar.has("session")).toBe(false);
    await site.services.db.user.update({ where: { id }, data: { status: 1, deleted_at: new Date() } });
    expect(await visitor.signIn(github, person)).toMatchObject({ status: 403, code: "user_disabled" });
  });
});

describe("the second factor", () => {
  it("is required after a sign-in with a provider, unless the setting disables that", async () => {
    const person = stranger();
    const { data } = await new Visitor().signIn(github, person);
    const id = data?.id ?? 0;
    const user = await site.services.db.user.findUniqueOrThrow({ where: { id } });
    const { secret } = await offerTotp(site.services.db, site.services.secrets, user, "Test");
    const codeAt = (later: number) =>
      TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: Date.now() + later * 30_000 });
    const offered = await site.services.db.user.findUniqueOrThrow({ where: { id } });
    const actor = { id, username: user.username, ip: "" };
    await enableTotp(site.services.db, site.services.secrets, actor, offered, codeAt(-1));

    const visitor = new Visitor();
    const send = async (from: Visitor, code: string) => {
      const response = await from.ask("POST", "/api/oauth/code", { code });
      return { status: response.statusCode, ...response.json<Omit<Answer, "status">>() };
    };
    expect(await visitor.signIn(github, person)).toMatchObject({ status: 401, code: "totp_required" });
    expect(await visitor.self()).toBeUndefined();
    expect(await send(new Visitor(), codeAt(0))).toMatchObject({ status: 403, code: "forbidden" });
    expect(await send(visitor, "000000")).toMatchObject({ status: 403, code: "totp_wrong" });
    expect(await send(visitor, codeAt(0))).toMatchObject({ status: 200, data: { id } });
    expect((await visitor.self())?.id).toBe(id);
    expect(await send(visitor, codeAt(1))).toMatchObject({ status: 403, code: "forbidden" });

    const late = new Visitor();
    await late.signIn(github, person);
    await site.services.db.user.update({ where: { id }, data: { status: 2 } });
    expect(await send(late, codeAt(1))).toMatchObject({ status: 403, code: "user_disabled" });
    await site.services.db.user.update({ where: { id }, data: { status: 1 } });

    await configure({ IdentityProviderSecondFactor: false });
    expect(await new Visitor().signIn(github, person)).toMatchObject({ status: 200, data: { id } });
    await configure({ IdentityProviderSecondFactor: true });
  });
});

describe("binding", () => {
  it("links a provider to the signed-in user, returns bind and keeps the session", async () => {
    const user = await site.makeUser();
    const visitor = await Visitor.as(user);
    const session = visitor.jar.get("session");
    const person = stranger();
    for (const answer of [await visitor.signIn(github, person), await visitor.openId(person)]) {
      expect(answer).toMatchObject({ status: 200, success: true, message: "bind", data: null });
    }
    expect(visitor.jar.get("session")).toBe(session);
    const rows = await visitor.ask("GET", "/api/user/self/identities");
    expect(rows.json()).toMatchObject({
      data: [
        { provider: "github", label: person.username },
        { provider: "oidc", label: person.username },
      ],
    });
    expect((await new Visitor().signIn(github, person)).data?.id).toBe(user.id);
    expect(await visitor.signIn(github, person)).toMatchObject({ status: 200, message: "bind" });
    const notes = await site.services.db.auditEntry.findMany({
      where: { action: "user.bind", user_id: user.id },
    });
    expect(notes).toHaveLength(2);
  });

  it("rejects an account that is linked to another user, and a second one of the same provider", async () => {
    const person = stranger();
    await (await Visitor.as(await site.makeUser())).signIn(github, person);
    const other = await site.makeUser();
    const visitor = await Visitor.as(other);
    expect(await visitor.signIn(github, person)).toMatchObject({ status: 409, code: "conflict" });
    expect((await visitor.signIn(github, stranger())).status).toBe(200);
    expect(await visitor.signIn(github, stranger())).toMatchObject({ status: 409, code: "conflict" });
    expect(await site.services.db.identity.count({ where: { user_id: other.id } })).toBe(1);
  });

  it("requires the password each time, which a session alone does not have", async () => {
    const password_hash = await passwordOf("a long password");
    const user = await site.makeUser({ password_hash });
    const visitor = await Visitor.as(user);
    const link = async () => {
      const state = await visitor.state();
      return visitor.comeBack("github", { code: codeFor(github, stranger()), state });
    };
    const count = () => site.services.db.identity.count({ where: { user_id: user.id } });
    expect(await link()).toMatchObject({ status: 403, code: "proof_required" });
    expect(await visitor.confirm()).toMatchObject({ status: 400 });
    expect(await visitor.confirm({ password: "wrong" })).toMatchObject({ status: 400 });
    expect(await link()).toMatchObject({ status: 403, code: "proof_required" });
    expect(await visitor.confirm({ password: "a long password" })).toMatchObject({ status: 200 });
    // The confirmation is valid for this session only, and once.
    const other = await Visitor.as(user);
    const state = await other.state();
    const elsewhere = { code: codeFor(github, stranger()), state };
    expect(await other.comeBack("github", elsewhere)).toMatchObject({ code: "proof_required" });
    expect(await count()).toBe(0);
    expect(await link()).toMatchObject({ status: 200, message: "bind" });
    const unbound = await visitor.ask("POST", "/api/user/unbind", { type: "github" });
    expect(unbound.statusCode).toBe(200);
    expect(await link()).toMatchObject({ status: 403, code: "proof_required" });
    // It ends when the password changes.
    await visitor.confirm({ password: "a long password" });
    await site.services.db.$transaction((tx) =>
      endAccess(tx, site.services.secrets, user.id, visitor.jar.get("session")),
    );
    expect(await link()).toMatchObject({ status: 403, code: "proof_required" });
  });

  it("requires a recent sign-in if the account has no password", async () => {
    const user = await site.makeUser();
    const visitor = await Visitor.as(user);
    const created_time = new Date(Date.now() - 11 * 60_000);
    await site.services.db.session.updateMany({ where: { user_id: user.id }, data: { created_time } });
    expect(await visitor.confirm()).toMatchObject({ status: 403, code: "sign_in_again" });
    for (const [url, body] of [
      ["/api/user/token", {}],
      ["/api/webauthn/registration/begin", {}],
      ["/api/user/self/totp", {}],
    ] as const) {
      const answer = await visitor.ask("POST", url, body);
      expect(answer.json(), url).toMatchObject({ code: "sign_in_again" });
    }
    const again = await Visitor.as(user);
    expect(await again.confirm()).toMatchObject({ status: 200 });
  });

  it("applies to the user who began it, not to one who signs in later", async () => {
    const visitor = await Visitor.as(await site.makeUser());
    const state = await visitor.state();
    const next = await site.makeUser();
    visitor.jar.set("session", (await site.as(next)).cookie ?? "");
    const answer = await visitor.comeBack("github", { code: codeFor(github, stranger()), state });
    expect(answer).toMatchObject({ status: 403, code: "forbidden" });
    visitor.jar.delete("session");
    const asGuest = await visitor.comeBack("github", { code: codeFor(github, stranger()), state });
    expect(asGuest.status).toBe(403);
  });

  it("can be undone, but never for the last way to sign in", async () => {
    const visitor = new Visitor();
    const person = stranger();
    const { data } = await visitor.signIn(github, person);
    const id = data?.id ?? 0;
    const unbind = (type: string) => visitor.ask("POST", "/api/user/unbind", { type });
    expect((await unbind("github")).statusCode).toBe(409);
    expect((await unbind("wechat")).statusCode).toBe(404);
    expect((await unbind("telegram")).statusCode).toBe(400);
    await visitor.openId(person);
    // A disabled provider is not a way to sign in.
    await configure({ OIDCAuthEnabled: false });
    expect((await unbind("github")).statusCode).toBe(409);
    await configure({ OIDCAuthEnabled: true });
    const both = await Promise.all([unbind("github"), unbind("oidc")]);
    expect(both.map((answer) => answer.statusCode).toSorted((a, b) => a - b)).toEqual([200, 409]);
    const password_hash = await passwordOf("a long password");
    await site.services.db.user.update({ where: { id }, data: { password_hash } });
    await unbind("github");
    await unbind("oidc");
    expect(await site.services.db.identity.count({ where: { user_id: id } })).toBe(0);
    // Another user may link it now.
    expect((await new Visitor().signIn(github, person)).data?.id).not.toBe(id);
  });
});

describe.each([
  ["version 2", version2],
  ["compatibility mode", {}],
])("a WeChat code without a state, in %s", (_mode, version) => {
  const call = async (
    query: Record<string, string>,
    headers: Record<string, string> = {},
    name = "wechat",
  ) => {
    const { app } = site;
    const response = await app.inject({
      method: "GET",
      url: `/api/oauth/${name}?${new URLSearchParams(query).toString()}`,
      headers: { ...version, "x-forwarded-for": `10.${dice()}.${dice()}.${dice()}`, ...headers },
    });
    const session = response.cookies.find((cookie) => cookie.name === "session");
    const status = response.headers["api-status"] ?? String(response.statusCode);
    return { ...response.json<Omit<Answer, "status">>(), session, status };
  };

  it("signs in and credits the inviter", async () => {
    await configure({ QuotaForInviter: 30 });
    const inviter = await site.makeUser();
    const person = stranger();
    const first = await call({ code: codeFor(wechat, person), aff: inviter.aff_code });
    expect(first).toMatchObject({ success: true, message: "", session: { sameSite: "Strict" } });
    const after = await site.services.db.user.findUniqueOrThrow({ where: { id: inviter.id } });
    expect(after).toMatchObject({ quota: 30n, aff_count: 1 });
    const again = await call({ code: codeFor(wechat, person), state: "" });
    expect(again.data?.id).toBe(first.data?.id);
    expect(await call({ code: "no such code" })).toMatchObject({ success: false, session: undefined });
    expect(await call({})).toMatchObject({ success: false, status: "400" });
  });

  it("is rejected if a link or another site's page led the browser there; the code is not consumed", async () => {
    const led: Record<string, string>[] = [
      { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" },
      { "sec-fetch-site": "same-site" },
      { "sec-fetch-site": "none", "sec-fetch-mode": "navigate" },
      { "sec-fetch-site": "same-origin", "sec-fetch-mode": "navigate" },
      { accept: "text/html,application/xhtml+xml,*/*;q=0.8" },
      { accept: "application/json, TEXT/HTML" },
      { referer: "https://other.test/" },
      { origin: "https://other.test" },
      { origin: "null" },
    ];
    for (const headers of led) {
      const code = codeFor(wechat, stranger());
      const answer = await call({ code }, headers);
      const name = JSON.stringify(headers);
      expect(answer, name).toMatchObject({ success: false, code: "origin_refused", session: undefined });
      expect(wechat.people.has(code), name).toBe(true);
    }
    const own = { "sec-fetch-site": "same-origin", "sec-fetch-mode": "cors", referer: `${address}/login` };
    expect(await call({ code: codeFor(wechat, stranger()) }, own)).toMatchObject({ success: true });
  });

  it("does not link an account, nor replace a state that was sent, nor work with other providers", async () => {
    const user = await Visitor.as(await site.makeUser());
    const cookie = `session=${user.jar.get("session") ?? ""}`;
    expect(await call({ code: codeFor(wechat, stranger()) }, { cookie })).toMatchObject({
      success: false,
      code: "proof_required",
    });
    const wrong = { code: codeFor(wechat, stranger()), state: "made-up" };
    expect(await call(wrong)).toMatchObject({ success: false, status: "403" });
    for (const name of ["github", "lark", "oidc"])
      expect(await call({ code: "x" }, {}, name), name).toMatchObject({ success: false, status: "400" });
  });
});

describe("the state", () => {
  it("works once", async () => {
    const visitor = new Visitor();
    const state = await visitor.state();
    const person = stranger();
    expect((await visitor.comeBack("github", { code: codeFor(github, person), state })).status).toBe(200);
    visitor.jar.delete("session");
    const again = await visitor.comeBack("github", { code: codeFor(github, person), state });
    expect(again).toMatchObject({ status: 403, code: "forbidden" });
  });

  it("works only in its own browser, and an attempt from another one consumes it", async () => {
    for (const [name, wire] of Object.entries({ github, lark, wechat })) {
      const visitor = new Visitor();
      const state = await visitor.state();
      const thief = new Visitor();
      await thief.state();
      const code = codeFor(wire, stranger());
      const answer = await thief.comeBack(name, { code, state });
      expect(answer, name).toMatchObject({ status: 403, code: "forbidden" });
      // The provider was not called.
      expect(wire.people.has(code)).toBe(true);
      expect((await visitor.comeBack(name, { code, state })).status).toBe(403);
    }
    const victim = new Visitor();
    const back = await openId.signIn(await new Visitor().text("/api/oauth/endpoint"), stranger());
    expect((await victim.comeBack("oidc", back)).status).toBe(403);
  });

  it("is required of every provider: a link alone neither signs in nor links", async () => {
    const visitor = await Visitor.as(await site.makeUser());
    for (const name of ["github", "lark", "wechat", "oidc"]) {
      // A code of WeChat is typed in; only a link is refused.
      expect((await visitor.comeBack(name, { code: "x" })).status, name).toBe(name === "wechat" ? 403 : 400);
      expect((await visitor.comeBack(name, { code: "x", state: "made-up" })).status, name).toBe(403);
    }
  });

  it("expires after ten minutes, is stored hashed, and its cookie is HttpOnly", async () => {
    const visitor = new Visitor();
    const response = await visitor.ask("GET", "/api/oauth/state");
    const state = response.json<{ data: string }>().data;
    expect(response.cookies).toMatchObject([
      { name: "sign-in", httpOnly: true, sameSite: "Lax", path: "/api/oauth", maxAge: 600 },
    ]);
    const rows = await site.services.db.oneTimeCode.findMany({ where: { purpose: "sign-in" } });
    const stored = JSON.stringify(rows, (_name, value: unknown) =>
      value instanceof Uint8Array ? Buffer.from(value).toString("latin1") : value,
    );
    expect(stored).not.toContain(state);
    expect(stored).not.toContain(visitor.jar.get("sign-in"));
    await site.services.db.oneTimeCode.updateMany({ data: { expires_at: new Date(Date.now() - 60_000) } });
    const late = await visitor.comeBack("github", { code: codeFor(github, stranger()), state });
    expect(late.status).toBe(403);
  });

  it("lets one browser start in two windows", async () => {
    const visitor = new Visitor();
    const states = [await visitor.state(), await visitor.state()];
    const person = stranger();
    for (const state of states) {
      const answer = await visitor.comeBack("github", { code: codeFor(github, person), state });
      expect(answer.status).toBe(200);
      visitor.jar.delete("session");
    }
  });

  it("may be used again when the provider could not be reached", async () => {
    for (const [name, wire] of Object.entries({ github, lark, wechat })) {
      const visitor = new Visitor();
      const query = { code: codeFor(wire, stranger()), state: await visitor.state() };
      wire.broken = 503;
      expect(await visitor.comeBack(name, query), name).toMatchObject({
        status: 502,
        code: "upstream_failed",
      });
      wire.broken = undefined;
      expect((await visitor.comeBack(name, query)).status, name).toBe(200);
    }
  });
});

describe("GitHub's page", () => {
  it("is opened by /oauth/github/start with a state that works once, in this browser", async () => {
    const visitor = new Visitor();
    const left = await visitor.ask("GET", "/api/oauth/github/start");
    expect(left.statusCode).toBe(302);
    const page = new URL(left.headers.location ?? "");
    expect(`${page.origin}${page.pathname}`).toBe(`${github.url}/login/oauth/authorize`);
    const { state = "", ...query } = Object.fromEntries(page.searchParams);
    expect(query).toEqual({
      response_type: "code",
      client_id: github.credentials.id,
      redirect_uri: `${address}/oauth/github`,
      scope: "user:email",
    });
    expect(left.cookies).toContainEqual(
      expect.objectContaining({ name: "sign-in", httpOnly: true, path: "/api/oauth" }),
    );
    const code = codeFor(github, stranger());
    expect((await new Visitor().comeBack("github", { code, state: `${state}x` })).status).toBe(403);
    expect((await visitor.comeBack("github", { code, state })).status).toBe(200);
    visitor.jar.delete("session");
    expect((await visitor.comeBack("github", { code, state })).status).toBe(403);
  });

  it("is not opened without the server's address, or while the method is off", async () => {
    const status = async () => (await new Visitor().ask("GET", "/api/oauth/github/start")).statusCode;
    await configure({ ServerAddress: "" });
    expect(await status()).toBe(409);
    await configure({ ServerAddress: address, GitHubOAuthEnabled: false });
    expect(await status()).toBe(403);
    await configure({ GitHubOAuthEnabled: true });
  });
});

describe("a refusal by the provider", () => {
  it("is reported without the provider's text", async () => {
    for (const name of ["github", "lark", "wechat", "oidc"]) {
      const visitor = new Visitor();
      const state =
        name === "oidc"
          ? (new URL(await visitor.text("/api/oauth/endpoint")).searchParams.get("state") ?? "")
          : await visitor.state();
      const iss: Record<string, string> = name === "oidc" ? { iss: openId.url } : {};
      const answer = await visitor.comeBack(name, { code: "never-issued", state, ...iss });
      expect(answer, name).toMatchObject({ status: 403, code: "forbidden" });
      expect(answer.message).toBe("The sign-in provider did not confirm this sign-in. Start again.");
    }
  });

  it("applies to a code of another sign-in, because PKCE and the nonce bind it", async () => {
    const one = new Visitor();
    const stolen = await openId.signIn(await one.text("/api/oauth/endpoint"), stranger());
    const two = new Visitor();
    const own = new URL(await two.text("/api/oauth/endpoint")).searchParams.get("state") ?? "";
    expect((await two.comeBack("oidc", { ...stolen, state: own })).status).toBe(403);
  });
});

describe("the settings of sign-in", () => {
  it("apply at once: secret, switch and what the status offers", async () => {
    const status = async () => (await site.guest.get<SiteStatus>("/api/status")).body.data;
    expect(await status()).toMatchObject({
      github_oauth: true,
      lark_login: true,
      wechat_login: true,
      oidc_auth: true,
    });
    github.credentials.secret = "rotated";
    expect((await new Visitor().signIn(github, stranger())).status).toBe(403);
    await configure({ GitHubClientSecret: "rotated" });
    expect((await new Visitor().signIn(github, stranger())).status).toBe(200);
    await configure({ GitHubOAuthEnabled: false, OIDCAuthEnabled: false });
    expect(await status()).toMatchObject({ github_oauth: false, oidc_auth: false });
    expect((await new Visitor().signIn(github, stranger())).status).toBe(403);
    expect((await new Visitor().ask("GET", "/api/oauth/endpoint")).statusCode).toBe(403);
    await configure({ GitHubOAuthEnabled: true, OIDCAuthEnabled: true });
  });

  it("never send a user to an address from a request", async () => {
    const evil = { ...version2, host: "evil.example", "x-forwarded-host": "evil.example" };
    const ask = () => site.app.inject({ url: "/api/oauth/endpoint", headers: evil });
    const reported = await ask();
    expect(reported.statusCode).toBe(200);
    expect(decodeURIComponent(reported.body)).toContain(`redirect_uri=${address}/oauth/oidc`);
    expect(reported.body).not.toContain("evil");
    await configure({ ServerAddress: "" });
    try {
      const refused = await ask();
      expect(refused.statusCode).toBe(409);
      expect(refused.json()).toMatchObject({ code: "server_address_missing" });
    } finally {
      await configure({ ServerAddress: address });
    }
  });

  it("cannot be enabled without what they require, and keep it while enabled", async () => {
    await expect(configure({ LarkAuthEnabled: true, LarkClientSecret: "" })).rejects.toMatchObject({
      issues: { LarkAuthEnabled: { reason: "sign_in_unfinished" } },
    });
    await expect(configure({ OIDCIssuer: "" })).rejects.toMatchObject({ status: 400 });
  });

  it("never leave the server when they are secret", async () => {
    const root = await site.as(await site.makeUser({ role: 100 }));
    const text = JSON.stringify((await root.get("/api/option")).body);
    expect(text).not.toContain(openId.client.secret);
    expect(text).not.toContain(lark.credentials.secret);
  });
});
