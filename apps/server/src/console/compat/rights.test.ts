import type { Permissions } from "@gateway/shared/accounts/permissions";
import { type AdminArea, adminAreas } from "@gateway/shared/accounts/roles";
import Fastify, { type FastifyInstance } from "fastify";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { consoleRoutes } from "#console/index.ts";
import { buildConsole, type TestConsole } from "#test/console.ts";
import { compatRoutes } from "./routes.ts";

/**
 * Tests the permissions of administrators that use One Hub's API: those of the native route, whichever
 * handler runs.
 */
interface Route {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  url: string;
  access: string;
  permission: AdminArea | "any" | undefined;
}

let site: TestConsole;
let app: FastifyInstance;
const routes: Route[] = [];

beforeAll(async () => {
  site = await buildConsole();
  app = Fastify({ trustProxy: true, routerOptions: { ignoreTrailingSlash: true } });
  app.addHook("onRoute", ({ method, url, config }) => {
    for (const each of [method].flat()) {
      if (each === "HEAD" || each === "OPTIONS" || config?.access === undefined) continue;
      const route = { method: each as Route["method"], url, access: config.access };
      routes.push({ ...route, permission: config.permission });
    }
  });
  await app.register(consoleRoutes, { services: site.services });
  await app.ready();
});
afterAll(async () => {
  await app.close();
  await site.close();
});

let addresses = 0;

/** Sends a request as a program for One Hub does: no version, no origin. */
async function ask(method: Route["method"], url: string, cookie: string | undefined, payload: object = {}) {
  addresses += 1;
  const response = await app.inject({
    method,
    url,
    headers: {
      cookie: `session=${cookie}`,
      "x-forwarded-for": `10.7.${addresses >> 8}.${addresses & 255}`,
    },
    ...(method === "GET" ? {} : { payload }),
  });
  return {
    status: Number(response.headers["api-status"]),
    success: response.json<{ success: boolean }>().success,
  };
}

async function administrator(lacking: readonly AdminArea[]): Promise<string | undefined> {
  const given = adminAreas.filter((area) => !lacking.includes(area));
  const permissions = Object.fromEntries(given.map((area) => [area, "edit"])) as Permissions;
  return (await site.as(await site.makeUser({ role: 10, permissions }))).cookie;
}

/** Returns everything that is stored, without the times of the last activity. */
async function everything(): Promise<Record<string, string>> {
  const { rows } = await site.database.pool.query<{ name: string }>(
    `select table_name as name from information_schema.tables where table_schema = 'public'
      and table_type = 'BASE TABLE' and table_name not in ('sessions', 'users') order by 1`,
  );
  const found: Record<string, string> = {};
  for (const { name } of rows) {
    const { rows: sums } = await site.database.pool.query<{ sum: string }>(
      `select count(*) || ' ' || coalesce(sum(hashtext(t::text)), 0) as sum from "${name}" t`,
    );
    found[name] = sums[0]?.sum ?? "";
  }
  return found;
}

const compatOf = ({ method, url }: Route) => compatRoutes[`${method} ${url.slice("/api".length)}`];

describe("permissions in the compatibility mode", () => {
  it("are checked by every handler, for every area that an administrator lacks", async () => {
    const handled = routes.filter((route) => compatOf(route) !== undefined && route.access === "admin");
    expect(handled.filter((route) => compatOf(route)?.handle !== undefined).length).toBeGreaterThan(20);
    const before = await everything();
    const passed: string[] = [];
    for (const area of adminAreas) {
      const cookie = await administrator([area]);
      for (const { method, url, permission } of handled.filter((route) => route.permission === area)) {
        const { status, success } = await ask(method, url.replaceAll(/:\w+|\*/g, "1"), cookie);
        if (status !== 403 || success) passed.push(`${method} ${url} without ${permission}: ${status}`);
      }
    }
    expect(passed).toEqual([]);
    expect(await everything()).toEqual(before);
  });

  it("of root and of administrators are not given to lower roles", async () => {
    const admin = await administrator([]);
    const { cookie: user } = await site.as(await site.makeUser());
    const before = await everything();
    const passed: string[] = [];
    for (const route of routes.filter((each) => compatOf(each) !== undefined)) {
      const url = route.url.replaceAll(/:\w+|\*/g, "1");
      const visitors = [
        ...(route.access === "root" ? [admin] : []),
        ...(route.access === "root" || route.access === "admin" ? [user] : []),
      ];
      for (const cookie of visitors) {
        const { status, success } = await ask(route.method, url, cookie);
        if (status !== 403 || success) passed.push(`${route.method} ${route.url}: ${status}`);
      }
    }
    expect(passed).toEqual([]);
    expect(await everything()).toEqual(before);
  });

  it("to give balances are required by everything that becomes a balance, in both modes", async () => {
    const cookie = await administrator(["balances"]);
    const uuid = "3f1c0de2-6a2b-4b7e-9d39-0a1f4f0c7e11";
    const gateway = { type: "epay", uuid, name: "epay", icon: "", notify_domain: "", currency: "CNY" };
    const config = { pay_domain: "https://pay.example", partner_id: "1", key: "a-secret", pay_type: "" };
    const older = { ...gateway, config: JSON.stringify(config), enable: true };
    const before = await everything();
    for (const [method, url, payload] of [
      ["POST", "/api/redemption/", { name: "codes", quota: 100, count: 1 }],
      ["PUT", "/api/redemption/", { id: 1, name: "codes", quota: 100 }],
      ["POST", "/api/payment/", older],
      ["PUT", "/api/payment/", { id: 1, ...older }],
    ] as const)
      expect([url, method, await ask(method, url, cookie, payload)]).toEqual([
        url,
        method,
        { status: 403, success: false },
      ]);
    const response = await app.inject({
      method: "POST",
      url: "/api/user",
      headers: { cookie: `session=${cookie}`, "api-version": "2" },
      payload: { username: "rich", password: "a long password", display_name: "Rich", quota: 5 },
    });
    expect(response.statusCode).toBe(403);
    expect(await everything()).toEqual(before);
    // Ignored and named in the message, not given.
    const poor = { username: "not-rich", password: "a long password", quota: 5 };
    expect(await ask("POST", "/api/user/", cookie, poor)).toEqual({ status: 200, success: true });
    const user = await site.services.db.user.findFirstOrThrow({ where: { username: "not-rich" } });
    expect(user.quota).toBe(0n);
  });

  it("over settings do not include those that only root may change", async () => {
    const cookie = await administrator([]);
    const before = site.services.settings.current().ServerAddress;
    const change = { key: "ServerAddress", value: "https://elsewhere.example" };
    expect(await ask("PUT", "/api/option/", cookie, change)).toEqual({ status: 403, success: false });
    expect(site.services.settings.current().ServerAddress).toBe(before);
  });
});
