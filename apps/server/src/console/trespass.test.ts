import Fastify, { type FastifyInstance } from "fastify";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { hashPassword } from "#domain/accounts/sign-in/passwords.ts";
import type { User } from "#platform/prisma/client.ts";
import { buildConsole, origin, type TestConsole } from "#test/console.ts";
import type { RouteAccess } from "./guards.ts";
import { consoleRoutes } from "./index.ts";

/**
 * Tests route by route what a signed-in user can reach of others. The routes and the tables themselves are
 * listed, so that new ones are covered.
 */
interface Route {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  url: string;
  access: RouteAccess;
  body: z.core.$ZodType | undefined;
}

/** Marks everything that the victim owns. No other user may ever read it. */
const mark = "belongs-to-somebody-else";

let site: TestConsole;
let app: FastifyInstance;
let victim: User;
let root: User;
const routes: Route[] = [];

beforeAll(async () => {
  site = await buildConsole();
  app = Fastify({ trustProxy: true });
  app.addHook("onRoute", ({ method, url, config, schema }) => {
    for (const each of [method].flat()) {
      if (each === "HEAD" || each === "OPTIONS" || config?.access === undefined) continue;
      const body = schema?.body as z.core.$ZodType | undefined;
      routes.push({ method: each as Route["method"], url, access: config.access, body });
    }
  });
  await app.register(consoleRoutes, { services: site.services });
  await app.ready();
  root = await site.makeUser({ role: 100, username: "the-root" });
  victim = await site.makeUser({ username: mark, display_name: mark, balance: 5_000_000n });
  const browser = await site.as(victim);
  await browser.send("POST", "/api/token", { name: mark });
  await site.database.pool.query(
    "insert into request_logs (request_id, created_at, user_id, username, type, content) values ($1::text, now(), $2, $1::text, 2, $1::text)",
    [mark, victim.id],
  );
});
afterAll(async () => {
  await app.close();
  await site.close();
});

let addresses = 0;

async function ask(route: Route, url: string, cookie: string | undefined, payload: object = {}) {
  addresses += 1;
  const response = await app.inject({
    method: route.method,
    url,
    headers: {
      ...origin,
      // A new address for each request: rate limits have their own test.
      "x-forwarded-for": `10.8.${addresses >> 8}.${addresses & 255}`,
      ...(cookie === undefined ? {} : { cookie: `session=${cookie}` }),
    },
    ...(route.method === "GET" ? {} : { payload }),
  });
  return { status: response.statusCode, body: response.body };
}

/** Returns a body that the route accepts, generated from its schema. Optional fields are left out. */
function sample(schema: z.core.$ZodType | undefined): Record<string, unknown> {
  if (schema === undefined) return {};
  const made = fill(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }));
  return made !== null && typeof made === "object" ? (made as Record<string, unknown>) : {};
}

function fill(schema: z.core.JSONSchema.BaseSchema, field = ""): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.default !== undefined) return schema.default;
  const options = schema.anyOf ?? schema.oneOf;
  if (options?.[0]) return fill(options[0], field);
  switch (schema.type) {
    case "object":
      return Object.fromEntries(
        (schema.required ?? []).map((name) => [
          name,
          fill((schema.properties?.[name] ?? {}) as z.core.JSONSchema.BaseSchema, name),
        ]),
      );
    case "array":
      return schema.minItems ? [fill((schema.items ?? {}) as z.core.JSONSchema.BaseSchema)] : [];
    case "integer":
    case "number":
      return Math.max(schema.minimum ?? 1, 1);
    case "boolean":
      return true;
    case "null":
      return null;
    default:
      return /email/.test(schema.format ?? field)
        ? "someone@example.com"
        : "sample-text".padEnd(schema.minLength ?? 0, "x");
  }
}

interface Owned {
  table: string;
  column: "id" | "user_id";
}

/** Returns every table that contains the owner of a row, and the users themselves. */
async function ownedTables(): Promise<Owned[]> {
  const { rows } = await site.database.pool.query<{ table: string }>(
    `select c.table_name as table from information_schema.columns c
      join information_schema.tables t using (table_schema, table_name)
      where c.table_schema = 'public' and c.column_name = 'user_id' and t.table_type = 'BASE TABLE'
      order by 1`,
  );
  return [
    { table: "users", column: "id" },
    ...rows.map(({ table }) => ({ table, column: "user_id" as const })),
  ];
}

/** Returns everything stored about these users, except the times of their last activity. */
async function everythingOf(people: User[]): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const { table, column } of await ownedTables()) {
    const { rows } = await site.database.pool.query<{ row: string }>(
      `select (to_jsonb(t) - 'last_seen' - 'accessed_time')::text as row from "${table}" t
        where ${column} = any($1) order by 1`,
      [people.map((person) => person.id)],
    );
    found[table] = rows.map(({ row }) => row);
  }
  return found;
}

/** Returns every value by which a path could name something of theirs. */
async function namesOfTheirThings(people: User[]): Promise<string[]> {
  const names = new Set<string>();
  for (const rows of Object.values(await everythingOf(people)))
    for (const row of rows) {
      const values = JSON.parse(row) as Record<string, string | number | undefined>;
      for (const key of ["id", "id_hash", "request_id", "uuid"])
        if (values[key] !== undefined) names.add(String(values[key]).replace(/^\\x/, ""));
    }
  return [...names];
}

function addressed(route: Route, name: string): string {
  return route.url.replaceAll(/:\w+/g, encodeURIComponent(name));
}

/** Returns values that no user may set for themselves, added to those that the route accepts. */
function greed(own: Record<string, unknown>, target: User): Record<string, unknown> {
  return {
    ...own,
    id: target.id,
    user_id: target.id,
    role: 100,
    quota: 900_000_000,
    balance: 900_000_000,
    used_quota: -1,
    remain_quota: 900_000_000,
    access_token: "chosen-by-the-visitor-himself-0123456789",
    inviter_id: target.id,
    totp_enabled: false,
  };
}

describe("another user's data", () => {
  it("cannot be read or changed by naming it, on any route with a parameter", async () => {
    const attacker = await site.makeUser({ username: "curious" });
    const { cookie } = await site.as(attacker);
    const before = await everythingOf([victim, root]);
    const named = routes.filter(
      (route) => route.access !== "admin" && route.access !== "root" && /:\w/.test(route.url),
    );
    const names = await namesOfTheirThings([victim, root]);
    expect(named.length).toBeGreaterThan(3);
    expect(names).toEqual(expect.arrayContaining([mark, String(victim.id)]));
    const reported: string[] = [];
    for (const route of named) {
      const payload = sample(route.body);
      for (const name of names) {
        const { body } = await ask(route, addressed(route, name), cookie, payload);
        // A response may repeat the requested name, but nothing else of the victim.
        if (name !== mark && body.includes(mark))
          reported.push(`${route.method} ${route.url} with ${name}: ${body}`);
      }
    }
    expect(reported).toEqual([]);
    expect(await everythingOf([victim, root])).toEqual(before);
  });

  it("does not appear in any list of the own data", async () => {
    const { cookie } = await site.as(await site.makeUser({ username: "looking" }));
    const lists = routes.filter(
      (route) => route.method === "GET" && route.access === "user" && !/:\w/.test(route.url),
    );
    const reported: string[] = [];
    for (const route of lists)
      for (const query of ["", `?user_id=${victim.id}&username=${mark}&keyword=${mark}`]) {
        const { body } = await ask(route, `${route.url}${query}`, cookie);
        if (body.includes(mark)) reported.push(`${route.url}${query}: ${body}`);
      }
    expect(lists.length).toBeGreaterThan(5);
    expect(reported).toEqual([]);
  });
});

describe("fields that a route does not offer", () => {
  /** Permissions and balances of all users, by user name. */
  async function rightsAndMoney(): Promise<Record<string, string>> {
    const { rows } = await site.database.pool.query<{ username: string; rest: string }>(
      `select username, role || ' ' || "group" || ' ' || quota || ' ' || used_quota || ' ' || coalesce(inviter_id, 0)
        as rest from users`,
    );
    return Object.fromEntries(rows.map(({ username, rest }) => [username, rest]));
  }

  it("give no user permissions or balance, and change no other user", async () => {
    const attacker = await site.makeUser({ username: "greedy" });
    const { cookie } = await site.as(attacker);
    const others = await everythingOf([victim, root]);
    const before = await rightsAndMoney();
    const open = routes.filter(
      (route) => route.method !== "GET" && (route.access === "user" || route.access === "anyone"),
    );
    expect(open.length).toBeGreaterThan(15);
    const broken: string[] = [];
    for (const route of open) {
      // A new session each time: one of these routes signs out, another one changes the password.
      const session = (await site.as(attacker)).cookie ?? cookie;
      const { status, body } = await ask(
        route,
        addressed(route, String(attacker.id)),
        session,
        greed(sample(route.body), victim),
      );
      if (status >= 500) broken.push(`${route.method} ${route.url}: ${status} ${body}`);
    }
    expect(broken).toEqual([]);
    const after = await rightsAndMoney();
    for (const [username, rest] of Object.entries(before))
      expect({ username, rest: after[username] }).toEqual({ username, rest });
    for (const [username, rest] of Object.entries(after))
      if (!(username in before)) expect(`${username} ${rest}`).toMatch(/^\S+ 1 default /);
    expect(await everythingOf([victim, root])).toEqual(others);
  });

  it("do not let an administrator change root or create another", async () => {
    const admin = await site.makeUser({ username: "ambitious", role: 10 });
    const { cookie } = await site.as(admin);
    const before = await everythingOf([root]);
    const theirs = routes.filter(
      (route) => route.method !== "GET" && route.access === "admin" && /user/.test(route.url),
    );
    expect(theirs.length).toBeGreaterThan(3);
    for (const route of theirs)
      for (const role of [100, 10]) {
        const body = { ...greed(sample(route.body), root), username: root.username, role };
        await ask(route, addressed(route, String(root.id)), cookie, body);
      }
    const { rows } = await site.database.pool.query<{ username: string }>(
      "select username from users where role >= 100",
    );
    expect(rows).toEqual([{ username: "the-root" }]);
    expect(await everythingOf([root])).toEqual(before);
  });
});

describe("a session", () => {
  it("is never one that the visitor sent before signing in", async () => {
    const brought = "a".repeat(43);
    const password = "known to both of us";
    const user = await site.makeUser({ username: "fixed", password_hash: await hashPassword(password) });
    const signedIn = await app.inject({
      method: "POST",
      url: "/api/user/login",
      headers: { ...origin, cookie: `session=${brought}` },
      payload: { username: user.username, password },
    });
    expect(signedIn.statusCode).toBe(200);
    expect(signedIn.headers["set-cookie"]).toMatch(/^session=[^;]{20,}/);
    expect(signedIn.headers["set-cookie"]).not.toContain(brought);
    const route = routes.find(({ url, method }) => url === "/api/user/self" && method === "GET");
    expect(route && (await ask(route, route.url, brought)).status).toBe(401);
  });
});
