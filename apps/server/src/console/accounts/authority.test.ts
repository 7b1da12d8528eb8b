import { randomBytes } from "node:crypto";
import type { Permissions } from "@gateway/shared/accounts/permissions";
import Fastify from "fastify";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { consoleRoutes } from "#console/index.ts";
import type { User } from "#platform/prisma/client.ts";
import { type Browser, buildConsole, type TestConsole } from "#test/console.ts";
import { nightly } from "#test/nightly.ts";

/**
 * Tests who may change whom: every route that changes an account of another person, for every pair of actor and
 * target, in both modes of the API. `npm test` has one actor, to whom every kind of change is allowed and refused.
 */
let site: TestConsole;
let root: User;

const everyArea: Permissions = { users: "edit", balances: "edit", tokens: "edit" };

/** The one who acts. Restricted administrators may edit users, balances and tokens. */
const actors = {
  restricted: { role: 10, permissions: everyArea },
  unrestricted: { role: 10 },
  root: { role: 100 },
} as const;
type ActorName = keyof typeof actors;

const targets = {
  user: { role: 1 },
  reliable: { role: 3 },
  demoted: { role: 1, demoted_by_admin: true },
  restricted: { role: 10, permissions: { users: "view" } },
  unrestricted: { role: 10 },
  root: { role: 100 },
} as const;
type TargetName = keyof typeof targets;

interface Change {
  method: "POST" | "PUT" | "PATCH" | "DELETE";
  url: string;
  body?: object;
  /** The role that the account has afterwards; absent when the change is about something else. */
  role?: number;
  /** True for a change that only root may make. */
  byRoot?: true;
  /** Only in version 2. */
  native?: true;
}

/** A target, with something of everything that can be changed. */
interface Target {
  user: User;
  token: number;
  session: string;
}

const changes: Readonly<Record<string, (target: Target) => Change>> = {
  "PUT /user username": ({ user }) => put({ id: user.id, username: `${user.username}-2` }),
  "PUT /user display name": ({ user }) => put({ id: user.id, display_name: "Changed" }),
  "PUT /user group": ({ user }) => put({ id: user.id, group: "vip" }),
  "PUT /user avatar": ({ user }) => put({ id: user.id, avatar_url: "https://example.com/a.png" }),
  "PUT /user password": ({ user }) => put({ id: user.id, password: "taken over now" }),
  "PUT /user email": ({ user }) => put({ id: user.id, email: `new-${user.id}@example.com` }),
  "PUT /user status": ({ user }) => put({ id: user.id, status: 2 }),
  "PUT /user permissions": ({ user }) => ({
    ...put({ id: user.id, permissions: { logs: "view" } }),
    byRoot: true,
    native: true,
  }),
  "PUT /user role 1": ({ user }) => ({ ...put({ id: user.id, role: 1 }), role: 1 }),
  "PUT /user role 3": ({ user }) => ({ ...put({ id: user.id, role: 3 }), role: 3 }),
  "PUT /user role 10": ({ user }) => ({ ...put({ id: user.id, role: 10 }), role: 10 }),
  "DELETE /user/:id": ({ user }) => ({ method: "DELETE", url: `/user/${user.id}` }),
  "POST /user/manage disable": ({ user }) => manage(user, "disable"),
  "POST /user/manage enable": ({ user }) => manage(user, "enable"),
  "POST /user/manage delete": ({ user }) => manage(user, "delete"),
  "POST /user/manage reset_totp": ({ user }) => manage(user, "reset_totp"),
  "POST /user/manage demote": ({ user }) => ({ ...manage(user, "demote"), role: 1 }),
  "POST /user/manage set_reliable": ({ user }) => ({ ...manage(user, "set_reliable"), role: 3 }),
  "POST /user/manage promote": ({ user }) => ({ ...manage(user, "promote"), role: 10 }),
  "POST /user/quota/:id": ({ user }) => ({
    method: "POST",
    url: `/user/quota/${user.id}`,
    body: { quota: 5, remark: "" },
  }),
  "PUT /user/:id/budget": ({ user }) => ({
    method: "PUT",
    url: `/user/${user.id}/budget`,
    body: { budget: null },
  }),
  "DELETE /user/:id/sessions": ({ user }) => ({ method: "DELETE", url: `/user/${user.id}/sessions` }),
  "DELETE /user/:id/sessions/:session": ({ user, session }) => ({
    method: "DELETE",
    url: `/user/${user.id}/sessions/${session}`,
  }),
  "POST /token/admin": ({ user }) => ({
    method: "POST",
    url: "/token/admin",
    body: { user_id: user.id, name: "given" },
    native: true,
  }),
  "PUT /token/admin": ({ token }) => ({
    method: "PUT",
    url: "/token/admin",
    body: { id: token, name: "renamed" },
    native: true,
  }),
  "PATCH /token/admin/:id": ({ token }) => ({
    method: "PATCH",
    url: `/token/admin/${token}`,
    body: { status: 2 },
  }),
  "PUT /token/admin/:id/budget": ({ token }) => ({
    method: "PUT",
    url: `/token/admin/${token}/budget`,
    body: { budget: null },
  }),
};

/** Every route of these areas that reads something of one account. Lists of all accounts show rows, not their details. */
const reads: Readonly<Record<string, (target: Target) => string>> = {
  "GET /user/:id": ({ user }) => `/user/${user.id}`,
  "GET /user/:id/usage": ({ user }) => `/user/${user.id}/usage`,
  "GET /user/:id/cache": ({ user }) => `/user/${user.id}/cache`,
  "GET /user/:id/sessions": ({ user }) => `/user/${user.id}/sessions`,
  "GET /user/:id/budget": ({ user }) => `/user/${user.id}/budget`,
  "GET /user/budgets": ({ user }) => `/user/budgets?ids=${user.id}`,
  "GET /token/admin/:id/budget": ({ token }) => `/token/admin/${token}/budget`,
  "GET /token/admin/:id/usage": ({ token }) => `/token/admin/${token}/usage`,
  "GET /token/admin/budgets": ({ token }) => `/token/admin/budgets?ids=${token}`,
  "GET /token/admin/mcp_bundle": ({ user }) => `/token/admin/mcp_bundle?user_id=${user.id}`,
};

/** Lists of all accounts. They show what the lists of One Hub show, of accounts of every role. */
const lists = ["GET /user", "GET /token/admin/search"];

const budget = {
  daily_spend: 500,
  daily_notify: 0,
  weekly_spend: 0,
  weekly_notify: 0,
  monthly_spend: 0,
  monthly_notify: 0,
};

function put(body: object): Change {
  return { method: "PUT", url: "/user", body };
}

function manage({ username }: User, action: string): Change {
  return { method: "POST", url: "/user/manage", body: { username, action } };
}

/** The rule, stated a second time: from the specification and not from the code. */
function isAllowed(actor: ActorName, target: TargetName, { role, byRoot }: Change): boolean {
  if (target === "root") return false;
  if (actor === "root") return true;
  if (byRoot === true) return false;
  const isEqual = target === "restricted" || target === "unrestricted";
  if (role !== undefined) return actor === "unrestricted" && (!isEqual || role < 10);
  return !isEqual && target !== "demoted";
}

/** A role that the account has already, and permissions of a role that has none. */
function isMeaningless({ method, role, byRoot }: Change, target: TargetName, actor: ActorName): boolean {
  if (byRoot === true) return actor === "root" && targets[target].role !== 10;
  return method === "PUT" && role === targets[target].role;
}

beforeAll(async () => {
  site = await buildConsole();
  root = await site.makeUser({ role: 100 });
});
afterAll(() => site.close());

async function makeTarget(name: TargetName): Promise<Target> {
  const { db } = site.services;
  const user = name === "root" ? root : await site.makeUser({ ...targets[name], totp_enabled: true, budget });
  const { id: token } = await db.token.create({
    data: {
      user_id: user.id,
      name: "own",
      budget,
      key_hash: randomBytes(32),
      key_encrypted: randomBytes(32),
      key_hint: "",
    },
  });
  await site.as(user);
  const [session] = await db.session.findMany({ where: { user_id: user.id } });
  return { user, token, session: Buffer.from(session?.id_hash ?? []).toString("hex") };
}

/** Returns what is stored about an account, to see whether a request changed it. */
async function stored({ user, token }: Target): Promise<string> {
  const { rows } = await site.database.pool.query<{ all: string }>(
    `select (select to_jsonb(u) - 'last_seen' from users u where id = $1)::text
      || (select to_jsonb(t) - 'accessed_time' from tokens t where id = $2)::text
      || (select count(*) from sessions where user_id = $1) || (select count(*) from tokens where user_id = $1) as all`,
    [user.id, token],
  );
  return rows[0]?.all ?? "";
}

async function send(browser: Browser, { method, url, body }: Change, version: string) {
  return browser.send(method, `/api${url}`, body, { "api-version": version });
}

/** Where the answers differ. The domain's test has the rule for every pair. */
const decisive: TargetName[] = ["user", "demoted", "unrestricted", "root"];

describe("who may change whom", () => {
  for (const version of ["2", "1"])
    for (const actor of Object.keys(actors) as ActorName[])
      for (const name of Object.keys(targets) as TargetName[]) {
        // Root changes the own account by other rules.
        if (actor === "root" && name === "root") continue;
        it(
          `${actor === "root" ? "root" : `an administrator, ${actor}`}: every change of ${name}, API version ${version}`,
          nightly(version === "1" || actor !== "unrestricted" || !decisive.includes(name)),
          async () => {
            const person = actor === "root" ? root : await site.makeUser(actors[actor]);
            const browser = await site.as(person);
            const wrong: string[] = [];
            let target = await makeTarget(name);
            for (const [title, changeOf] of Object.entries(changes)) {
              const change = changeOf(target);
              if (isMeaningless(change, name, actor) || (version === "1" && change.native === true)) continue;
              const before = await stored(target);
              const { body, response } = await send(browser, change, version);
              const allowed = isAllowed(actor, name, change);
              const status = Number(response.headers["api-status"] ?? response.statusCode);
              const refused =
                body.code === "forbidden" && status === 403 && (await stored(target)) === before;
              if (allowed ? !body.success : !refused)
                wrong.push(`${title}: ${status} ${body.message}, expected ${allowed ? "success" : "403"}`);
              if (body.success) target = await makeTarget(name);
            }
            expect(wrong).toEqual([]);
          },
        );
      }

  for (const actor of Object.keys(actors) as ActorName[])
    it(`${actor === "root" ? "root" : `an administrator, ${actor}`}: reads accounts of a lower role only`, async () => {
      const browser = await site.as(actor === "root" ? root : await site.makeUser(actors[actor]));
      const wrong: string[] = [];
      for (const name of Object.keys(targets) as TargetName[]) {
        // Everyone reads the own account.
        if (actor === "root" && name === "root") continue;
        const target = await makeTarget(name);
        const allowed = targets[name].role < actors[actor].role;
        for (const [title, pathOf] of Object.entries(reads)) {
          const { status, body } = await browser.get(`/api${pathOf(target)}`);
          const isEmpty = status === 403 || JSON.stringify(body.data) === "{}";
          if (allowed ? status !== 200 || isEmpty : !isEmpty) wrong.push(`${title} of ${name}: ${status}`);
        }
      }
      expect(wrong).toEqual([]);
    });

  it("every route of these areas is one of the changes or reads", async () => {
    const routes = new Set<string>();
    const listing = Fastify();
    listing.addHook("onRoute", ({ method, url, config }) => {
      for (const each of [method].flat())
        if (each !== "HEAD" && ["users", "balances", "tokens"].includes(config?.permission ?? ""))
          routes.add(`${each} ${url.slice("/api".length)}`);
    });
    await listing.register(consoleRoutes, { services: site.services });
    await listing.close();
    // Creates an account, and has a test of its own.
    routes.delete("POST /user");
    for (const list of lists) routes.delete(list);
    const tried = [...Object.keys(changes), ...Object.keys(reads)].map((title) =>
      title.split(" ", 2).join(" "),
    );
    expect([...routes].toSorted()).toEqual([...new Set(tried)].toSorted());
  });

  it("an administrator cannot take over another one by demoting, in any order of changes", async () => {
    const actor = await site.makeUser({ role: 10 });
    const helper = await site.makeUser({ role: 1 });
    const victim = await site.makeUser({ role: 10 });
    const browser = await site.as(actor);
    const act = (user: User, action: string) => send(browser, manage(user, action), "2");
    expect((await act(victim, "demote")).status).toBe(200);
    expect((await act(helper, "promote")).status).toBe(200);
    for (const who of [browser, await site.as(helper)])
      for (const body of [
        { id: victim.id, password: "taken over now" },
        { id: victim.id, password: "taken over now", role: 10 },
        { id: victim.id, email: "mine@example.com" },
      ])
        expect((await send(who, put(body), "2")).status).toBe(403);
    expect((await act(victim, "set_reliable")).status).toBe(200);
    expect((await send(browser, put({ id: victim.id, password: "taken over now" }), "2")).status).toBe(403);
    expect((await act(victim, "promote")).status).toBe(200);
    const { db } = site.services;
    expect(await db.user.findUniqueOrThrow({ where: { id: victim.id } })).toMatchObject({
      role: 10,
      password_hash: null,
      demoted_by_admin: false,
    });
  });

  it("an account that root demoted can be changed by every administrator of users", async () => {
    const victim = await site.makeUser({ role: 10 });
    expect((await send(await site.as(root), manage(victim, "demote"), "2")).status).toBe(200);
    const browser = await site.as(await site.makeUser({ role: 10, permissions: { users: "edit" } }));
    expect((await send(browser, put({ id: victim.id, display_name: "Changed" }), "2")).status).toBe(200);
  });

  it("new accounts: a role above user only from root and unrestricted administrators", async () => {
    const expected = { restricted: [200, 403, 403], unrestricted: [200, 200, 200], root: [200, 200, 200] };
    for (const actor of Object.keys(actors) as ActorName[]) {
      const browser = await site.as(actor === "root" ? root : await site.makeUser(actors[actor]));
      const statuses: number[] = [];
      for (const role of [1, 3, 10]) {
        const body = { username: `made-${actor}-${role}`, password: "long enough", role };
        statuses.push((await browser.send("POST", "/api/user", body)).status);
      }
      expect(statuses, actor).toEqual(expected[actor]);
    }
  });
});
