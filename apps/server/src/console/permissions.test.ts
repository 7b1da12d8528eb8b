import type { Permissions } from "@gateway/shared/accounts/permissions";
import { type AdminArea, type AdminLevel, adminAreas } from "@gateway/shared/accounts/roles";
import type { Self } from "@gateway/shared/accounts/session";
import type { UserDetail } from "@gateway/shared/accounts/user";
import Fastify, { type FastifyInstance } from "fastify";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCallers } from "#domain/tokens/callers.ts";
import { type Browser, buildConsole, origin, type TestConsole } from "#test/console.ts";
import { consoleRoutes } from "./index.ts";

/**
 * Tests route by route what administrators with limited permissions reach. The list comes from the routes
 * themselves.
 */
interface Route {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  url: string;
  permission: AdminArea | "any" | undefined;
  level: AdminLevel;
}

let site: TestConsole;
let app: FastifyInstance;
let root: Browser;
const routes: Route[] = [];

beforeAll(async () => {
  site = await buildConsole();
  app = Fastify({ trustProxy: true });
  app.addHook("onRoute", ({ method, url, config }) => {
    for (const each of [method].flat()) {
      if (each === "HEAD" || each === "OPTIONS" || config?.access !== "admin") continue;
      routes.push({
        method: each as Route["method"],
        // An id that does not exist: an allowed request must not change anything.
        url: url.replaceAll(/:\w+/g, "999999"),
        permission: config.permission,
        level: config.level ?? (each === "GET" ? "view" : "edit"),
      });
    }
  });
  await app.register(consoleRoutes, { services: site.services });
  await app.ready();
  root = await site.as(await site.makeUser({ role: 100 }));
});
afterAll(async () => {
  await app.close();
  await site.close();
});

let addresses = 0;

async function refused(route: Route, cookie: string | undefined): Promise<boolean> {
  addresses += 1;
  const response = await app.inject({
    method: route.method,
    url: route.url,
    headers: {
      ...origin,
      "x-forwarded-for": `10.7.${addresses >> 8}.${addresses & 255}`,
      cookie: `session=${cookie}`,
    },
    ...(route.method === "GET" ? {} : { payload: {} }),
  });
  return response.statusCode === 403 && response.body.includes("Ask an administrator.");
}

/** Returns those of the routes that an administrator with these permissions reaches. */
async function openRoutes(permissions: Permissions | undefined, list: Route[]): Promise<Route[]> {
  const browser = await site.as(
    await site.makeUser({ role: 10, ...(permissions === undefined ? {} : { permissions }) }),
  );
  const open: Route[] = [];
  for (const route of list) if (!(await refused(route, browser.cookie))) open.push(route);
  return open;
}

/** One route of each permission and level. */
const oneOfEach = () => [
  ...new Map(routes.map((route) => [`${route.permission} ${route.level}`, route])).values(),
];

describe("the permissions of administrators", () => {
  it("are declared by every route for them, and every permission allows something", () => {
    expect(routes.filter(({ permission }) => permission === undefined)).toEqual([]);
    const named = new Set(routes.map(({ permission }) => permission));
    expect(adminAreas.filter((area) => !named.has(area))).toEqual([]);
  });

  it("are complete until root limits them", async () => {
    const list = oneOfEach();
    expect(await openRoutes(undefined, list)).toEqual(list);
  });

  it("are only the names that forms offer when the list is empty", async () => {
    const list = oneOfEach();
    expect(await openRoutes({}, list)).toEqual(list.filter(({ permission }) => permission === "any"));
  });

  it("allow viewing, or changing as well, in the given areas only", async () => {
    const permissions: Permissions = { channels: "view", logs: "edit", balances: "edit" };
    const expected = routes.filter(({ permission, level }) => {
      if (permission === "any" || permission === "logs" || permission === "balances") return true;
      return permission === "channels" && level === "view";
    });
    expect(await openRoutes(permissions, routes)).toEqual(expected);
  });

  it("allow nothing when the stored value cannot be parsed", async () => {
    const browser = await site.as(await site.makeUser({ role: 10, permissions: { everything: "edit" } }));
    expect((await browser.get("/api/user")).status).toBe(403);
  });

  it("do not apply to root", async () => {
    const tied = await site.as(await site.makeUser({ role: 100, permissions: {} }));
    expect((await tied.get("/api/channel")).status).toBe(200);
  });

  it("prevent the start when a route does not declare its own", async () => {
    const careless = Fastify();
    careless.addHook("onRoute", (route) => {
      if (route.url !== "/api/user" || route.config === undefined) return;
      // A copy: other routes, also of other tests of this process, share the object.
      route.config = { ...route.config };
      delete route.config.permission;
    });
    await expect(
      (async () => {
        await careless.register(consoleRoutes, { services: site.services });
        await careless.ready();
      })(),
    ).rejects.toThrow("does not name its permission");
    await careless.close();
  });
});

describe("giving permissions", () => {
  const change = (who: Browser, id: number, permissions: Permissions | null) =>
    who.send<UserDetail>("PUT", "/api/user", { id, permissions });

  it("takes effect with the next request of an open session, and can be reverted", async () => {
    const user = await site.makeUser({ role: 10 });
    const browser = await site.as(user);
    expect((await browser.get("/api/channel")).status).toBe(200);
    const answer = await change(root, user.id, { users: "view" });
    expect(answer.body.data.permissions).toEqual({ users: "view" });
    expect((await browser.get("/api/channel")).status).toBe(403);
    expect((await browser.get("/api/user")).status).toBe(200);
    expect((await browser.get<Self>("/api/user/self")).body.data.permissions).toEqual({ users: "view" });
    expect((await change(root, user.id, null)).body.data.permissions).toBeNull();
    expect((await browser.get("/api/channel")).status).toBe(200);
  });

  it("is for root only, applies to administrators only, and is recorded", async () => {
    const admin = await site.makeUser({ role: 10 });
    const other = await site.makeUser({ role: 1 });
    const browser = await site.as(admin);
    expect((await change(browser, admin.id, null)).status).toBe(403);
    expect((await change(browser, other.id, { users: "edit" })).status).toBe(403);
    const wrong = await change(root, other.id, { users: "edit" });
    expect(wrong.status).toBe(400);
    expect(wrong.body.fields).toHaveProperty("permissions");
    await change(root, admin.id, { logs: "view" });
    const entry = await site.services.db.auditEntry.findFirstOrThrow({
      where: { action: "user.change", target_id: String(admin.id) },
      orderBy: { id: "desc" },
    });
    expect(entry.before).toMatchObject({ permissions: null });
    expect(entry.after).toMatchObject({ permissions: { logs: "view" } });
  });

  it("survives a change of the role: a user who becomes an administrator again has the same permissions", async () => {
    const admin = await site.makeUser({ role: 10, permissions: { logs: "view" } });
    for (const action of ["demote", "promote"])
      await root.send("POST", "/api/user/manage", { username: admin.username, action });
    const browser = await site.as(admin);
    expect((await browser.get("/api/log")).status).toBe(200);
    expect((await browser.get("/api/channel")).status).toBe(403);
  });

  it("over users does not allow giving balances", async () => {
    const browser = await site.as(await site.makeUser({ role: 10, permissions: { users: "edit" } }));
    const user = { username: "penniless", password: "long enough", quota: 1_000 };
    expect((await browser.send("POST", "/api/user", user)).status).toBe(403);
    const made = await browser.send<UserDetail>("POST", "/api/user", { ...user, quota: 0 });
    expect(made.status).toBe(200);
    const quota = `/api/user/quota/${made.body.data.id}`;
    expect((await browser.send("POST", quota, { quota: 1 })).status).toBe(403);
  });

  it("over channels decides who may choose the channel of a call", async () => {
    const { db, secrets } = site.services;
    const pinned = async (permissions: Permissions) => {
      const browser = await site.as(await site.makeUser({ role: 10, permissions }));
      const made = await browser.send<{ key: string }>("POST", "/api/token", { name: "pinning" });
      return createCallers(db, secrets).find(`${made.body.data.key}#1`);
    };
    expect((await pinned({ channels: "view" })).pin).toEqual({ only: 1 });
    await expect(pinned({ logs: "edit" })).rejects.toMatchObject({ code: "forbidden" });
  });

  it("over logs decides whose charges and bodies an administrator can read", async () => {
    const owner = await site.makeUser();
    const bill = { price_type: "tokens", group_ratio: "1", lines: [], exact: "0" };
    await site.database.pool.query(
      "insert into request_logs (request_id, created_at, user_id, type, bill) values ('narrowed', now(), $1, 2, $2)",
      [owner.id, bill],
    );
    const without = await site.as(await site.makeUser({ role: 10, permissions: { channels: "edit" } }));
    const within = await site.as(await site.makeUser({ role: 10, permissions: { logs: "view" } }));
    expect((await without.get("/api/log/narrowed/explain")).status).toBe(404);
    expect((await within.get("/api/log/narrowed/explain")).status).toBe(200);
  });
});
