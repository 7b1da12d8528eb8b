import { randomUUID } from "node:crypto";
import type { IdentityProviderInput, IdentityProviderRow } from "@gateway/shared/accounts/identity-provider";
import { Role } from "@gateway/shared/accounts/roles";
import type { Self } from "@gateway/shared/accounts/session";
import type { SiteStatus } from "@gateway/shared/site/status";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemActor } from "#domain/audit-log/audit.ts";
import { randomText } from "#platform/secrets.ts";
import { type Browser, buildConsole, type TestConsole, version2 } from "#test/console.ts";
import { type OpenIdServer, type Person, startOpenId } from "#test/identity-providers.ts";
import { during } from "#test/overlap.ts";

/** Sign-in with OpenID Connect providers that root has added, at a real provider. */
const address = "https://console.test";
let site: TestConsole;
let acme: OpenIdServer;
let other: OpenIdServer;
let root: Browser;

beforeAll(async () => {
  [acme, other] = await Promise.all([
    startOpenId(`${address}/oauth/oidc/acme`),
    startOpenId(`${address}/oauth/oidc/other`),
  ]);
  site = await buildConsole();
  await site.services.settings.change(systemActor, { ServerAddress: address, RegisterEnabled: false });
  root = await site.as(await site.makeUser({ role: Role.root }));
  for (const symbol of ["staff", "research"])
    await site.services.db.userGroup.create({ data: { symbol, name: symbol } });
  await add(acme, { slug: "acme", name: "Acme", groups_claim: "groups" });
  await add(other, { slug: "other", name: "Other", subject_claim: "oid" });
});
afterAll(async () => {
  await site.close();
  await Promise.all([acme.close(), other.close()]);
});

async function add(server: OpenIdServer, more: Partial<IdentityProviderInput>) {
  return root.send<IdentityProviderRow>("POST", "/api/identity_provider", {
    issuer: server.url,
    client_id: server.client.id,
    client_secret: server.client.secret,
    ...more,
  });
}

async function rowOf(slug: string): Promise<IdentityProviderRow> {
  const { body } = await root.get<IdentityProviderRow[]>("/api/identity_provider");
  const row = body.data.find((each) => each.slug === slug);
  if (row === undefined) throw new Error(`There is no provider ${slug}.`);
  return row;
}

async function change(slug: string, values: Partial<IdentityProviderRow>): Promise<void> {
  const { slug: _slug, preset: _preset, issuer: _issuer, subject_claim: _claim, ...row } = await rowOf(slug);
  const { account_count: _count, created_time: _time, ...rest } = row;
  const { scim_token_time: _token, scim_last_used: _used, ...current } = rest;
  const answer = await root.send("PUT", "/api/identity_provider", { ...current, ...values });
  expect(answer.body).toMatchObject({ success: true });
}

interface Answer {
  status: number;
  message: string;
  code?: string;
  params?: { reason?: string };
  data: Self | null;
}

/** A browser at the sign-in page. */
class Visitor {
  readonly jar = new Map<string, string>();
  readonly #from = `10.${dice()}.${dice()}.${dice()}`;

  async get(url: string): Promise<Omit<Answer, "data"> & { data: unknown }> {
    const cookie = [...this.jar].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = { ...version2, cookie, "x-forwarded-for": this.#from, origin: address };
    const response = await site.app.inject({ method: "GET", url, headers });
    for (const { name, value } of response.cookies) this.jar.set(name, value);
    return { ...response.json<Answer>(), status: response.statusCode };
  }

  /** Returns the address at which the provider asks for a password. */
  async pageOf(slug: string): Promise<string> {
    return String((await this.get(`/api/oauth/oidc/${slug}/endpoint`)).data);
  }

  async signIn(slug: string, person: Person): Promise<Answer> {
    const back = await (slug === "acme" ? acme : other).signIn(await this.pageOf(slug), person);
    return this.comeBack(slug, back);
  }

  async comeBack(slug: string, back: Record<string, string>): Promise<Answer> {
    const answer = await this.get(`/api/oauth/oidc/${slug}?${new URLSearchParams(back).toString()}`);
    return { ...answer, data: answer.data as Self | null };
  }
}

function dice(): number {
  return Math.floor(Math.random() * 256);
}

function stranger(more: Partial<Person> = {}): Person {
  const id = randomText(12);
  return { id, username: `kim-${id}`, name: "Kim Lee", ...more };
}

const userOf = (id: number | undefined) =>
  site.services.db.user.findUniqueOrThrow({ where: { id: id ?? 0 } });

describe("a sign-in provider that root has added", () => {
  it("is offered on the sign-in page, without its secrets", async () => {
    const { body, response } = await site.guest.get<SiteStatus>("/api/status");
    expect(body.data.identity_providers).toEqual([
      { slug: "acme", name: "Acme", preset: "" },
      { slug: "other", name: "Other", preset: "" },
    ]);
    expect(response.body).not.toContain(acme.client.secret);
    const list = await root.get("/api/identity_provider");
    expect(list.response.body).not.toContain(acme.client.secret);
    const { client_secret } = await site.services.db.identityProvider.findFirstOrThrow();
    expect(Buffer.from(client_secret).toString("latin1")).not.toContain(acme.client.secret);
  });

  it("is managed by root only", async () => {
    const admin = await site.as(await site.makeUser({ role: Role.admin }));
    expect((await admin.get("/api/identity_provider")).status).toBe(403);
    expect((await admin.send("POST", "/api/identity_provider", {})).status).toBe(403);
  });

  it("creates an account where sign-up is closed to others, and opens the same one later", async () => {
    const person = stranger({ email: "kim@acme.test", emailVerified: true });
    const first = await new Visitor().signIn("acme", person);
    expect(first).toMatchObject({ status: 200, data: { username: person.username, email: "kim@acme.test" } });
    const again = await new Visitor().signIn("acme", { ...person, username: "renamed" });
    expect(again.data?.id).toBe(first.data?.id);
    const links = await site.services.db.identity.findMany({ where: { user_id: first.data?.id ?? 0 } });
    expect(links).toMatchObject([{ provider: "oidc:acme", subject: person.id }]);
  });

  it("opens no account by its email address, and no account of another provider by the same id", async () => {
    const owner = await site.makeUser({ email: "boss@acme.test", role: Role.admin });
    const person = stranger({ email: "boss@acme.test", emailVerified: true, oid: "one" });
    const visitor = await new Visitor().signIn("acme", person);
    expect(visitor.status).toBe(200);
    expect(visitor.data?.id).not.toBe(owner.id);
    const elsewhere = await new Visitor().signIn("other", { ...person, oid: person.id });
    expect(elsewhere.status).toBe(200);
    expect(elsewhere.data?.id).not.toBe(visitor.data?.id);
  });

  it("identifies people by the claim that root has chosen, and refuses those without it", async () => {
    const first = await new Visitor().signIn("other", stranger({ oid: "object-7" }));
    const again = await new Visitor().signIn("other", stranger({ oid: "object-7" }));
    expect(again.data?.id).toBe(first.data?.id);
    expect(await new Visitor().signIn("other", stranger())).toMatchObject({
      status: 403,
      params: { reason: "sign_in_not_confirmed" },
    });
  });

  it("accepts a code only in the browser that requested it, once, and only for its own provider", async () => {
    const visitor = new Visitor();
    const page = await visitor.pageOf("acme");
    const back = await acme.signIn(page, stranger());
    expect((await new Visitor().comeBack("acme", back)).status).toBe(403);
    // The state is still unused, but the secrets of the other provider differ.
    const mixed = new Visitor();
    const at = await mixed.pageOf("acme");
    expect((await mixed.comeBack("other", await acme.signIn(at, stranger()))).status).toBe(403);
    const good = new Visitor();
    const start = await good.pageOf("acme");
    const arrival = await acme.signIn(start, stranger());
    expect((await good.comeBack("acme", arrival)).status).toBe(200);
    good.jar.delete("session");
    expect((await good.comeBack("acme", arrival)).status).toBe(403);
  });

  it("signs no one in while it is disabled", async () => {
    await change("acme", { enabled: false });
    expect((await new Visitor().get("/api/oauth/oidc/acme/endpoint")).params).toEqual({
      reason: "sign_in_method_off",
    });
    await change("acme", { enabled: true });
    expect((await new Visitor().get("/api/oauth/oidc/nowhere/endpoint")).status).toBe(403);
  });

  it("does not sign in a disabled account", async () => {
    const person = stranger();
    const { data } = await new Visitor().signIn("acme", person);
    await site.services.db.user.update({ where: { id: data?.id ?? 0 }, data: { status: 2 } });
    expect(await new Visitor().signIn("acme", person)).toMatchObject({ status: 403, code: "user_disabled" });
  });
});

const budget = {
  daily_spend: 500_000,
  daily_notify: 0,
  weekly_spend: 0,
  weekly_notify: 0,
  monthly_spend: 0,
  monthly_notify: 0,
  session_spend: 0,
};

describe("the rules of a sign-in provider", () => {
  const rules = [
    { external_group: "leads", group: "research", role: Role.reliable as number, budget: null },
    { external_group: "everyone", group: "staff", role: null, budget },
  ];

  it("give group, role and budget at each sign-in, and take them back", async () => {
    await change("acme", { rules });
    const person = stranger({ groups: ["everyone", "leads"] });
    const { data } = await new Visitor().signIn("acme", person);
    expect(await userOf(data?.id)).toMatchObject({ group: "research", role: Role.reliable, budget });
    await new Visitor().signIn("acme", { ...person, groups: ["everyone"] });
    expect(await userOf(data?.id)).toMatchObject({ group: "staff", role: Role.user, budget });
    await new Visitor().signIn("acme", { ...person, groups: [] });
    expect(await userOf(data?.id)).toMatchObject({ group: "default", role: Role.user, budget: null });
    const notes = await site.services.db.auditEntry.findMany({
      where: { action: "user.assign", target_id: String(data?.id) },
    });
    expect(notes).toHaveLength(3);
    expect(notes[0]).toMatchObject({ username: "oidc:acme", user_id: null });
  });

  it("give nothing of a group that SCIM takes from the person during the sign-in", async () => {
    await change("acme", { rules });
    const { db } = site.services;
    const { id: provider_id } = await db.identityProvider.findUniqueOrThrow({ where: { slug: "acme" } });
    const person = stranger();
    const { data } = await new Visitor().signIn("acme", person);
    const user_id = data?.id ?? 0;
    const name = { display_name: "leads", name_key: "leads" };
    const group = await db.scimGroup.create({ data: { id: randomUUID(), provider_id, ...name } });
    const user_name = person.id;
    const scimUser = { id: randomUUID(), user_name, name_key: user_name, active: true, attributes: {} };
    await db.scimUser.create({ data: { ...scimUser, provider_id, user_id } });
    await db.scimMember.create({ data: { group_id: group.id, person_id: scimUser.id } });
    const { status } = await during(
      site.database,
      ["SELECT FROM users WHERE id = $1 FOR UPDATE", user_id],
      (client) => client.query("DELETE FROM scim_members WHERE group_id = $1", [group.id]),
      () => new Visitor().signIn("acme", person),
    );
    expect(status).toBe(200);
    expect(await userOf(user_id)).toMatchObject({ group: "default", role: Role.user });
    await db.scimGroup.delete({ where: { id: group.id } });
  });

  it("give the administrator role only where root allows it, and never change root", async () => {
    const admin = [{ external_group: "it", group: "", role: Role.admin as number, budget: null }];
    const { slug: _slug, ...row } = await rowOf("acme");
    const { preset: _p, issuer: _i, subject_claim: _s, account_count: _c, created_time: _t, ...rest } = row;
    const { scim_token_time: _o, scim_last_used: _u, ...body } = rest;
    const refused = await root.send("PUT", "/api/identity_provider", { ...body, rules: admin });
    expect(refused).toMatchObject({ status: 400, body: { fields: { "rules.0.role": expect.any(String) } } });
    await change("acme", { rules: admin, may_administer: true });
    const person = stranger({ groups: ["it"] });
    const { data } = await new Visitor().signIn("acme", person);
    expect((await userOf(data?.id)).role).toBe(Role.admin);

    // Root has the same link, and stays root without any group.
    await site.services.db.user.update({ where: { id: data?.id ?? 0 }, data: { role: Role.root } });
    await new Visitor().signIn("acme", { ...person, groups: [] });
    expect((await userOf(data?.id)).role).toBe(Role.root);
  });

  it("do not change an administrator while the provider may not manage them", async () => {
    await change("acme", { rules, may_administer: false });
    const person = stranger({ groups: ["leads"] });
    const { data } = await new Visitor().signIn("acme", person);
    await site.services.db.user.update({ where: { id: data?.id ?? 0 }, data: { role: Role.admin } });
    expect((await new Visitor().signIn("acme", { ...person, groups: ["everyone"] })).status).toBe(200);
    expect(await userOf(data?.id)).toMatchObject({ role: Role.admin, group: "research" });
  });

  it("refuse people of no group, before an account is created, if only members may sign in", async () => {
    await change("acme", { rules, members_only: true });
    const users = await site.services.db.user.count();
    expect(await new Visitor().signIn("acme", stranger({ groups: ["visitors"] }))).toMatchObject({
      status: 403,
      params: { reason: "sign_in_not_member" },
    });
    expect(await site.services.db.user.count()).toBe(users);
    expect((await new Visitor().signIn("acme", stranger({ groups: ["everyone"] }))).status).toBe(200);
    await change("acme", { members_only: false });
  });

  it("refuse a sign-in whose groups were left out, instead of taking everything back", async () => {
    const more = { _claim_names: { groups: "src1" } };
    expect(await new Visitor().signIn("acme", stranger({ more }))).toMatchObject({
      status: 403,
      params: { reason: "sign_in_groups_missing" },
    });
  });

  it("name only groups that exist, and keep those from being deleted", async () => {
    const { slug: _slug, ...row } = await rowOf("acme");
    const { preset: _p, issuer: _i, subject_claim: _s, account_count: _c, created_time: _t, ...rest } = row;
    const { scim_token_time: _o, scim_last_used: _u, ...body } = rest;
    const wrong = [{ external_group: "x", group: "gone", role: null, budget: null }];
    expect(await root.send("PUT", "/api/identity_provider", { ...body, rules: wrong })).toMatchObject({
      status: 400,
      body: { fields: { "rules.0.group": expect.any(String) } },
    });
    const symbol = `g-${randomText(6)}`;
    const { id } = await site.services.db.userGroup.create({ data: { symbol, name: symbol } });
    await change("acme", { rules: [{ external_group: "x", group: symbol, role: null, budget: null }] });
    expect((await root.send("DELETE", `/api/user_group/${id}`)).status).toBe(409);
    await change("acme", { rules: [] });
    expect((await root.send("DELETE", `/api/user_group/${id}`)).status).toBe(200);
  });
});

describe("the test of an issuer", () => {
  it("returns the values of the discovery document", async () => {
    const { body } = await root.send("POST", "/api/identity_provider/test", { issuer: acme.url });
    expect(body.data).toMatchObject({ issuer: acme.url, token_endpoint: `${acme.url}/token` });
  });

  it("fails for an address without one, and for one of another issuer", async () => {
    for (const issuer of ["http://127.0.0.1:9", `${acme.url}/elsewhere`])
      expect(await root.send("POST", "/api/identity_provider/test", { issuer })).toMatchObject({
        status: 502,
        body: { code: "upstream_failed" },
      });
    for (const issuer of ["file:///etc/passwd", "https://user:secret@id.test", "id.test"])
      expect((await root.send("POST", "/api/identity_provider/test", { issuer })).status).toBe(400);
  });
});

describe("a link with a provider that root has added", () => {
  it("is listed for its owner, and can be removed while another method works", async () => {
    const visitor = new Visitor();
    const { data } = await visitor.signIn("acme", stranger());
    const owner = await site.as({ id: data?.id ?? 0 });
    const list = await owner.get("/api/user/self/identities");
    expect(list.body.data).toMatchObject([{ provider: "oidc:acme" }]);
    expect((await owner.send("POST", "/api/user/unbind", { type: "oidc:acme" })).status).toBe(409);
    await site.services.db.user.update({ where: { id: data?.id ?? 0 }, data: { password_hash: "x" } });
    expect((await owner.send("POST", "/api/user/unbind", { type: "oidc:acme" })).status).toBe(200);
  });

  it("ends with the provider; the account stays", async () => {
    const { data } = await new Visitor().signIn("other", stranger({ oid: randomText(8) }));
    const { id } = await rowOf("other");
    expect((await root.send("DELETE", `/api/identity_provider/${id}`)).status).toBe(200);
    expect(await site.services.db.identity.count({ where: { user_id: data?.id ?? 0 } })).toBe(0);
    expect(await userOf(data?.id)).toMatchObject({ status: 1 });
  });
});
