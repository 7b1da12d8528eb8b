import { randomUUID } from "node:crypto";
import { Role } from "@gateway/shared/accounts/roles";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { providerKeyOf } from "#domain/identity-providers/identity-providers.ts";
import { networkOf } from "#platform/http/network-of.ts";
import type { IdentityProvider, Prisma } from "#platform/prisma/client.ts";
import { randomText } from "#platform/secrets.ts";
import { type Browser, buildConsole, type TestConsole } from "#test/console.ts";
import { during } from "#test/overlap.ts";

/** Requests as Entra ID and Okta document them, and those of clients that attack. */
let site: TestConsole;
let root: Browser;
let provider: IdentityProvider;
let token: string;

beforeAll(async () => {
  site = await buildConsole();
  root = await site.as(await site.makeUser({ role: Role.root }));
  await site.services.db.userGroup.create({ data: { symbol: "staff", name: "Staff" } });
  provider = await addProvider("acme");
  token = await tokenOf(provider);
});
afterAll(() => site.close());

async function addProvider(slug: string): Promise<IdentityProvider> {
  await root.send("POST", "/api/identity_provider", {
    slug,
    name: slug,
    issuer: `https://${slug}.test`,
    client_id: "gateway",
    client_secret: "secret",
    groups_claim: "groups",
  });
  return site.services.db.identityProvider.findUniqueOrThrow({ where: { slug } });
}

async function tokenOf({ id }: { id: number }): Promise<string> {
  const { body } = await root.send<{ token: string }>("POST", `/api/identity_provider/${id}/scim_token`);
  return body.data.token;
}

async function setRules(rules: unknown[], more: Prisma.IdentityProviderUpdateInput = {}): Promise<void> {
  const data = { rules: rules as Prisma.InputJsonArray, may_administer: false, ...more };
  await site.services.db.identityProvider.update({ where: { id: provider.id }, data });
}

interface Resource {
  id: string;
  userName: string;
  displayName: string;
  externalId?: string;
  active: boolean;
  emails?: unknown[];
  members?: { value: string }[];
  groups?: { value: string; display: string }[];
  totalResults: number;
  itemsPerPage: number;
  Resources: Resource[];
  scimType?: string;
  detail?: string;
  status?: string;
  meta: { location: string; resourceType: string };
}

async function scim(
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE",
  path: string,
  body?: unknown,
  as = token,
) {
  const response = await site.app.inject({
    method,
    url: `/scim/v2${path}`,
    headers: { authorization: `Bearer ${as}`, "content-type": "application/scim+json" },
    ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
  });
  const type = response.headers["content-type"];
  if (response.statusCode !== 204) expect(type).toMatch(/^application\/scim\+json/);
  return {
    status: response.statusCode,
    body: (response.body === "" ? {} : response.json()) as Resource,
    headers: response.headers,
  };
}

const userSchema = "urn:ietf:params:scim:schemas:core:2.0:User";
const patchSchema = "urn:ietf:params:scim:api:messages:2.0:PatchOp";
const patch = (...Operations: unknown[]) => ({ schemas: [patchSchema], Operations });

async function create(more: Record<string, unknown> = {}) {
  const name = `kim-${randomText(8).toLowerCase()}`;
  const { body } = await scim("POST", "/Users", {
    schemas: [userSchema],
    userName: `${name}@acme.test`,
    externalId: randomUUID(),
    active: true,
    ...more,
  });
  return body;
}

async function accountOf(person: { id: string }) {
  const { user } = await site.services.db.scimUser.findUniqueOrThrow({
    where: { id: person.id },
    include: { user: true },
  });
  return user;
}

const escaped = (text: string) => encodeURIComponent(text);

describe("the token of a SCIM client", () => {
  it("is stored as a hash, belongs to one provider, and is needed for every address", async () => {
    const row = await site.services.db.identityProvider.findUniqueOrThrow({ where: { id: provider.id } });
    expect(Buffer.from(row.scim_token_hash ?? []).toString("latin1")).not.toContain(token);
    const list = await root.get("/api/identity_provider");
    expect(list.response.body).not.toContain(token);
    for (const path of ["/Users", "/ServiceProviderConfig", "/nowhere"])
      for (const wrong of ["", `${token}x`, "scim-"])
        expect(await scim("GET", path, undefined, wrong)).toMatchObject({
          status: 401,
          body: { status: "401", detail: "The SCIM token is missing or wrong." },
        });
  });

  it("ends when root replaces or revokes it, which only root may do", async () => {
    const other = await addProvider("short");
    const first = await tokenOf(other);
    const second = await tokenOf(other);
    expect((await scim("GET", "/Users", undefined, first)).status).toBe(401);
    expect((await scim("GET", "/Users", undefined, second)).status).toBe(200);
    const admin = await site.as(await site.makeUser({ role: Role.admin }));
    expect((await admin.send("POST", `/api/identity_provider/${other.id}/scim_token`)).status).toBe(403);
    await root.send("DELETE", `/api/identity_provider/${other.id}/scim_token`);
    expect((await scim("GET", "/Users", undefined, second)).status).toBe(401);
  });

  it("shows and changes no one of another provider", async () => {
    const person = await create();
    const other = await tokenOf(await addProvider("rival"));
    expect((await scim("GET", `/Users/${person.id}`, undefined, other)).status).toBe(404);
    expect((await scim("DELETE", `/Users/${person.id}`, undefined, other)).status).toBe(404);
    expect((await scim("GET", "/Users", undefined, other)).body.totalResults).toBe(0);
    const group = { displayName: "Rivals", members: [{ value: person.id }] };
    expect((await scim("POST", "/Groups", group, other)).status).toBe(400);
  });
});

describe("the service", () => {
  it("describes itself", async () => {
    expect((await scim("GET", "/ServiceProviderConfig")).body).toMatchObject({
      patch: { supported: true },
      bulk: { supported: false },
    });
    expect((await scim("GET", "/ResourceTypes")).body.Resources.map(({ id }) => id)).toEqual([
      "User",
      "Group",
    ]);
    expect((await scim("GET", `/Schemas/${userSchema}`)).body.id).toBe(userSchema);
    expect((await scim("GET", "/Schemas/none")).status).toBe(404);
    expect((await scim("GET", "/Bulk")).body).toMatchObject({ status: "404" });
  });
});

describe("Entra ID", () => {
  it("tests the connection, creates, finds, changes and disables a person", async () => {
    const probe = await scim("GET", `/Users?filter=${escaped(`userName eq "${randomUUID()}"`)}`);
    expect(probe).toMatchObject({ status: 200, body: { totalResults: 0, Resources: [] } });
    const sent = {
      schemas: [userSchema, "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"],
      externalId: "0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef",
      userName: "Test_User_ab6490ee@acme.test",
      active: true,
      emails: [{ primary: true, type: "work", value: "Test_User@acme.test" }],
      meta: { resourceType: "User" },
      name: { formatted: "Given Family", familyName: "Family", givenName: "Given" },
      roles: [],
    };
    const { status, body, headers } = await scim("POST", "/Users", sent);
    expect(status).toBe(201);
    expect(headers.location).toBe(body.meta.location);
    expect(body).toMatchObject({ userName: sent.userName, externalId: sent.externalId, emails: sent.emails });
    const account = await accountOf(body);
    expect(account).toMatchObject({
      username: "Test_User_ab6490ee",
      display_name: "Given Family",
      role: Role.user,
      email: null,
      password_hash: null,
    });
    const byName = await scim(
      "GET",
      `/Users?filter=${escaped('userName eq "test_user_AB6490ee@acme.test"')}`,
    );
    expect(byName.body.Resources.map(({ id }) => id)).toEqual([body.id]);

    const changed = await scim(
      "PATCH",
      `/Users/${body.id}`,
      patch(
        { op: "Replace", path: 'emails[type eq "work"].value', value: "updated@acme.test" },
        { op: "Replace", path: "name.familyName", value: "Updated" },
        { op: "Add", path: "displayName", value: "Given Updated" },
      ),
    );
    expect(changed.body).toMatchObject({
      displayName: "Given Updated",
      emails: [{ type: "work", value: "updated@acme.test" }],
    });
    const off = await scim(
      "PATCH",
      `/Users/${body.id}`,
      patch({ op: "Replace", path: "active", value: "False" }),
    );
    expect(off).toMatchObject({ status: 200, body: { active: false } });
    expect(await accountOf(body)).toMatchObject({ status: 2, display_name: "Given Updated" });
    expect((await scim("DELETE", `/Users/${body.id}`)).status).toBe(204);
    expect((await scim("GET", `/Users/${body.id}`)).status).toBe(404);
    expect((await scim("POST", "/Users", sent)).status).toBe(201);
  });

  it("creates a group, adds and removes members, and reads it without them", async () => {
    const [one, two] = [await create(), await create()];
    const { body: group } = await scim("POST", "/Groups", {
      schemas: ["urn:ietf:params:scim:schemas:core:2.0:Group"],
      externalId: "8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159",
      displayName: "displayName-1",
      meta: { resourceType: "Group" },
    });
    const add = { op: "Add", path: "members", value: [{ $ref: null, value: one.id }, { value: two.id }] };
    expect((await scim("PATCH", `/Groups/${group.id}`, patch(add))).body.members).toHaveLength(2);
    const remove = { op: "Remove", path: "members", value: [{ $ref: null, value: one.id }] };
    const { body } = await scim("PATCH", `/Groups/${group.id}`, patch(remove));
    expect(body.members?.map(({ value }) => value)).toEqual([two.id]);
    const filter = escaped('displayName eq "displayName-1"');
    const found = await scim("GET", `/Groups?excludedAttributes=members&filter=${filter}`);
    expect(found.body.Resources).toMatchObject([{ id: group.id }]);
    expect(found.body.Resources[0]).not.toHaveProperty("members");
    expect((await scim("GET", `/Users/${two.id}`)).body.groups).toMatchObject([{ value: group.id }]);
    expect((await scim("DELETE", `/Groups/${group.id}`)).status).toBe(204);
  });
});

describe("Okta", () => {
  it("pages through people, replaces a person, and switches one off and on", async () => {
    const person = await create({ name: { givenName: "Kim", familyName: "Lee" } });
    const page = await scim("GET", "/Users?startIndex=1&count=1");
    expect(page.body).toMatchObject({ itemsPerPage: 1, startIndex: 1 });
    expect(page.body.totalResults).toBeGreaterThan(1);
    expect((await scim("GET", "/Users?startIndex=1&count=0")).body.Resources).toEqual([]);
    const whole = { ...person, name: { givenName: "Kim", familyName: "Park" }, active: true };
    const replaced = await scim("PUT", `/Users/${person.id}`, whole);
    expect(replaced.body).toMatchObject({ id: person.id, name: { familyName: "Park" } });
    expect(await accountOf(person)).toMatchObject({ display_name: "Kim Park" });
    const set = (active: boolean) =>
      scim("PATCH", `/Users/${person.id}`, patch({ op: "replace", value: { active } }));
    expect((await set(false)).body.active).toBe(false);
    expect((await set(true)).body.active).toBe(true);
    expect(await accountOf(person)).toMatchObject({ status: 1 });
  });

  it("renames a group and replaces its members", async () => {
    const [one, two] = [await create(), await create()];
    const { body: group } = await scim("POST", "/Groups", {
      displayName: "Okta",
      members: [{ value: one.id }],
    });
    const value = { id: group.id, displayName: "Okta renamed" };
    expect(
      (await scim("PATCH", `/Groups/${group.id}`, patch({ op: "replace", value }))).body.displayName,
    ).toBe("Okta renamed");
    const members = { op: "replace", path: "members", value: [{ value: two.id }] };
    const { body } = await scim("PATCH", `/Groups/${group.id}`, patch(members));
    expect(body.members?.map((each) => each.value)).toEqual([two.id]);
    await scim("DELETE", `/Groups/${group.id}`);
  });
});

describe("a person who is deactivated or removed", () => {
  it("loses sessions and the access token at once, and does not get them back", async () => {
    const person = await create();
    const account = await accountOf(person);
    const browser = await site.as(account);
    expect((await browser.get("/api/user/self")).status).toBe(200);
    await scim("PATCH", `/Users/${person.id}`, patch({ op: "replace", path: "active", value: false }));
    expect((await browser.get("/api/user/self")).status).toBe(401);
    await scim("PATCH", `/Users/${person.id}`, patch({ op: "replace", path: "active", value: true }));
    expect((await browser.get("/api/user/self")).status).toBe(401);
    expect(await site.services.db.session.count({ where: { user_id: account.id } })).toBe(0);
    await scim("DELETE", `/Users/${person.id}`);
    const after = await site.services.db.user.findUniqueOrThrow({ where: { id: account.id } });
    expect(after.deleted_at).not.toBeNull();
    expect(await site.services.db.identity.count({ where: { user_id: account.id } })).toBe(0);
  });

  it("stays disabled if an administrator disabled the account", async () => {
    const person = await create();
    const { id, username } = await accountOf(person);
    await root.send("POST", "/api/user/manage", { username, action: "disable" });
    expect((await scim("GET", `/Users/${person.id}`)).body.active).toBe(false);
    for (const active of [true, false, true])
      await scim("PATCH", `/Users/${person.id}`, patch({ op: "replace", path: "active", value: active }));
    expect(await site.services.db.user.findUniqueOrThrow({ where: { id } })).toMatchObject({ status: 2 });
  });

  it("is named in the audit log, with the client", async () => {
    const person = await create();
    const { id } = await accountOf(person);
    await scim("DELETE", `/Users/${person.id}`);
    const notes = await site.services.db.auditEntry.findMany({
      where: { target_type: "user", target_id: String(id) },
      orderBy: { id: "asc" },
    });
    expect(notes.map(({ action }) => action)).toEqual([
      "scim.user_create",
      "scim.user_delete",
      "user.delete",
    ]);
    expect(notes.every(({ username, user_id }) => username === "scim:acme" && user_id === null)).toBe(true);
  });
});

describe("an existing account", () => {
  it("is taken over by the person's own link only, never by name or address", async () => {
    const owner = await site.makeUser({ username: "boss", email: "boss@acme.test" });
    const person = await create({ userName: "boss@acme.test", emails: [{ value: "boss@acme.test" }] });
    const account = await accountOf(person);
    expect(account.id).not.toBe(owner.id);
    expect(account.username).toMatch(/^boss_\d{6}$/);
    expect(account.email).toBeNull();

    const linked = await site.makeUser();
    const subject = randomUUID();
    const key = { provider: providerKeyOf(provider), subject };
    await site.services.db.identity.create({ data: { ...key, user_id: linked.id } });
    expect((await accountOf(await create({ externalId: subject }))).id).toBe(linked.id);
  });

  it("of an administrator is not changed unless root allows it; that of root never", async () => {
    for (const role of [Role.admin, Role.root]) {
      const admin = await site.makeUser({ role });
      const subject = randomUUID();
      const key = { provider: providerKeyOf(provider), subject };
      await site.services.db.identity.create({ data: { ...key, user_id: admin.id } });
      const sent = { userName: `admin-${role}`, externalId: subject, active: false };
      const refused = await scim("POST", "/Users", sent);
      expect(refused).toMatchObject({ status: 403, body: { status: "403" } });
      await setRules([], { may_administer: true });
      expect((await scim("POST", "/Users", sent)).status).toBe(role === Role.admin ? 201 : 403);
      await setRules([]);
      const { status } = await site.services.db.user.findUniqueOrThrow({ where: { id: admin.id } });
      expect(status).toBe(role === Role.admin ? 2 : 1);
    }
  });

  it("is protected from SCIM once it has become an administrator's", async () => {
    const person = await create();
    const { id } = await accountOf(person);
    await site.services.db.user.update({ where: { id }, data: { role: Role.admin } });
    const off = patch({ op: "replace", path: "active", value: false });
    expect((await scim("PATCH", `/Users/${person.id}`, off)).status).toBe(403);
    expect((await scim("DELETE", `/Users/${person.id}`)).status).toBe(403);
    expect(await accountOf(person)).toMatchObject({ status: 1, deleted_at: null });
  });

  it("keeps its link with the provider as long as SCIM manages it", async () => {
    const person = await create();
    const account = await accountOf(person);
    await site.services.db.user.update({ where: { id: account.id }, data: { password_hash: "x" } });
    const browser = await site.as(account);
    expect((await browser.send("POST", "/api/user/unbind", { type: "oidc:acme" })).status).toBe(409);
  });
});

describe("groups and rules", () => {
  const rules = [
    { external_group: "Everyone", group: "staff", role: null, budget: null },
    { external_group: "leads-id", group: "", role: Role.reliable, budget: null },
    { external_group: "Admins", group: "", role: Role.admin, budget: null },
  ];

  it("give and take group and role with each change, also with the last group", async () => {
    await setRules(rules);
    const person = await create();
    const { body: all } = await scim("POST", "/Groups", {
      displayName: "Everyone",
      members: [{ value: person.id }],
    });
    expect(await accountOf(person)).toMatchObject({ group: "staff", role: Role.user });
    const { body: leads } = await scim("POST", "/Groups", { displayName: "Leads", externalId: "leads-id" });
    await scim(
      "PATCH",
      `/Groups/${leads.id}`,
      patch({ op: "add", path: "members", value: [{ value: person.id }] }),
    );
    expect(await accountOf(person)).toMatchObject({ group: "staff", role: Role.reliable });
    await scim("DELETE", `/Groups/${leads.id}`);
    expect(await accountOf(person)).toMatchObject({ group: "staff", role: Role.user });
    await scim("PATCH", `/Groups/${all.id}`, patch({ op: "replace", path: "displayName", value: "Some" }));
    expect(await accountOf(person)).toMatchObject({ group: "default" });
    await scim(
      "PATCH",
      `/Groups/${all.id}`,
      patch({ op: "replace", path: "displayName", value: "Everyone" }),
    );
    expect(await accountOf(person)).toMatchObject({ group: "staff" });
    await scim("DELETE", `/Groups/${all.id}`);
    expect(await accountOf(person)).toMatchObject({ group: "default" });
    await setRules([]);
  });

  it("give nothing of a group that the person leaves while another group changes", async () => {
    await setRules(rules);
    const [person, gone] = [await create(), await create()];
    const { body: leads } = await scim("POST", "/Groups", {
      displayName: "Leads",
      externalId: "leads-id",
      members: [{ value: person.id }, { value: gone.id }],
    });
    expect((await accountOf(person)).role).toBe(Role.reliable);
    const { body: all } = await scim("POST", "/Groups", { displayName: "Everyone" });
    const join = ({ id: value }: Resource) =>
      scim("PATCH", `/Groups/${all.id}`, patch({ op: "add", path: "members", value: [{ value }] }));
    const row = "SELECT FROM users WHERE id = $1 FOR UPDATE";
    const left = await during(
      site.database,
      [row, (await accountOf(person)).id],
      (client) => client.query("DELETE FROM scim_members WHERE person_id = $1", [person.id]),
      () => join(person),
    );
    expect(left.status).toBe(200);
    expect(await accountOf(person)).toMatchObject({ group: "staff", role: Role.user });
    const deleted = await during(
      site.database,
      [row, (await accountOf(gone)).id],
      (client) => client.query("DELETE FROM scim_users WHERE id = $1", [gone.id]),
      () => join(gone),
    );
    expect(deleted.status).toBe(400);
    for (const { id } of [leads, all]) await scim("DELETE", `/Groups/${id}`);
    await setRules([]);
  });

  it("make no administrator while the provider may not manage them", async () => {
    await setRules(rules);
    const person = await create();
    const { body } = await scim("POST", "/Groups", {
      displayName: "Admins",
      members: [{ value: person.id }],
    });
    expect((await accountOf(person)).role).toBeLessThan(Role.admin);
    await scim("DELETE", `/Groups/${body.id}`);
    await setRules([]);
  });
});

describe("a faulty request", () => {
  it("is refused in the form of SCIM, and changes nothing", async () => {
    const person = await create();
    const before = await scim("GET", `/Users/${person.id}`);
    const users = await site.services.db.user.count();
    for (const [sent, scimType] of [
      [{ schemas: [userSchema] }, "invalidValue"],
      [{ userName: 7 }, "invalidValue"],
      [{ userName: "kim", active: "yes" }, "invalidValue"],
      ["text", "invalidValue"],
    ] as const) {
      expect(await scim("POST", "/Users", sent)).toMatchObject({ status: 400, body: { scimType } });
      expect(await scim("PUT", `/Users/${person.id}`, sent)).toMatchObject({ status: 400 });
    }
    const half = patch(
      { op: "replace", path: "displayName", value: "Half" },
      { op: "replace", path: "active", value: 7 },
    );
    expect(await scim("PATCH", `/Users/${person.id}`, half)).toMatchObject({ status: 400 });
    expect(await scim("GET", `/Users/${person.id}`)).toMatchObject({ body: before.body });
    expect(await site.services.db.user.count()).toBe(users);
    for (const filter of [
      'userName co "k"',
      String.raw`userName eq "\u0000"`,
      String.raw`externalId eq "\ud800"`,
    ])
      expect(await scim("GET", `/Users?filter=${escaped(filter)}`)).toMatchObject({
        status: 400,
        body: { scimType: "invalidFilter" },
      });
    for (const id of ["7", "x".repeat(90), randomUUID()])
      expect((await scim("GET", `/Users/${id}`)).status).toBe(404);
  });

  it("does not create the same person twice, one after the other or at once", async () => {
    const person = await create();
    const again = { userName: person.userName.toUpperCase(), externalId: randomUUID() };
    expect(await scim("POST", "/Users", again)).toMatchObject({
      status: 409,
      body: { scimType: "uniqueness" },
    });
    const users = await site.services.db.user.count();
    const twin = { userName: `twin-${randomText(6)}`, externalId: randomUUID() };
    const both = await Promise.all([scim("POST", "/Users", twin), scim("POST", "/Users", twin)]);
    expect(both.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([201, 409]);
    expect(await site.services.db.user.count()).toBe(users + 1);
  });

  it("is refused above its limits: size, changed members, requests per minute", async () => {
    expect((await scim("POST", "/Users", { userName: "big", note: "x".repeat(1_100_000) })).status).toBe(413);
    const members = Array.from({ length: 1_001 }, () => ({ value: randomUUID() }));
    expect(await scim("POST", "/Groups", { displayName: "Many", members })).toMatchObject({
      status: 413,
      body: { scimType: "tooMany" },
    });
    const { requestCounts } = site.services;
    const flood = { max: 1, windowMs: 60_000 };
    for (let sent = 0; sent <= 3_000; sent += 1)
      await requestCounts.add(`scim ${networkOf("10.77.0.1")}`, flood);
    const late = await site.app.inject({
      url: "/scim/v2/Users",
      headers: { authorization: `Bearer ${token}`, "x-forwarded-for": "10.77.0.1" },
    });
    expect(late.statusCode).toBe(429);
    expect(late.headers["retry-after"]).toBeDefined();
  });
});
