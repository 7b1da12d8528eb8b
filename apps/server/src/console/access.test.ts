import Fastify, { type FastifyInstance } from "fastify";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildConsole, origin, type TestConsole, version2 } from "#test/console.ts";
import type { RouteAccess } from "./guards.ts";
import { consoleRoutes } from "./index.ts";

/** Tests access route by route. The list comes from the routes themselves, so new routes are covered. */
interface Route {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  url: string;
  access: RouteAccess;
  checksOrigin: boolean;
}

let site: TestConsole;
let app: FastifyInstance;
const routes: Route[] = [];
/** Sessions that began with more rights than they have, because the account and the session are read each time. */
const cookies: Record<"ended" | "demoted" | "admin" | "root", string> = {
  ended: "",
  demoted: "",
  admin: "",
  root: "",
};

beforeAll(async () => {
  site = await buildConsole();
  app = Fastify({ trustProxy: true });
  app.addHook("onRoute", ({ method, url, config }) => {
    for (const each of [method].flat()) {
      if (each === "HEAD" || each === "OPTIONS" || config?.access === undefined) continue;
      // An existing id: the first user made below.
      const path = url.replaceAll(/:\w+/g, "1");
      const checksOrigin = each !== "GET" || config.checksOrigin === true;
      routes.push({ method: each as Route["method"], url: path, access: config.access, checksOrigin });
    }
  });
  await app.register(consoleRoutes, { services: site.services });
  await app.ready();
  const { db } = site.services;
  for (const [name, role] of [
    ["root", 100],
    ["admin", 10],
    ["demoted", 10],
    ["ended", 100],
  ] as const) {
    const { id } = await site.makeUser({ role });
    cookies[name] = (await site.as({ id })).cookie ?? "";
    expect(await ask(self, cookies[name])).toBe("GET /api/user/self: 200 ");
    if (name === "demoted") await db.user.update({ where: { id }, data: { role: 1 } });
    if (name === "ended") await db.session.deleteMany({ where: { user_id: id } });
  }
});
afterAll(async () => {
  await app.close();
  await site.close();
});

const self: Route = { method: "GET", url: "/api/user/self", access: "user", checksOrigin: false };
let addresses = 0;

async function ask(route: Route, cookie: string | undefined, headers: Record<string, string> = origin) {
  addresses += 1;
  const response = await app.inject({
    method: route.method,
    url: route.url,
    headers: {
      ...headers,
      // A new address for each request: rate limits have their own test.
      "x-forwarded-for": `10.9.${addresses >> 8}.${addresses & 255}`,
      ...(cookie === undefined ? {} : { cookie: `session=${cookie}` }),
    },
    ...(route.method === "GET" ? {} : { payload: {} }),
  });
  const isJson = response.headers["content-type"]?.startsWith("application/json") === true;
  const { code } = isJson ? response.json<{ code?: string }>() : {};
  return `${route.method} ${route.url}: ${response.statusCode} ${code ?? ""}`;
}

const expected = (list: Route[], answer: string) =>
  list.map(({ method, url }) => `${method} ${url}: ${answer}`);

async function askAll(list: Route[], cookie: string | undefined, headers?: Record<string, string>) {
  const answers: string[] = [];
  for (const route of list) answers.push(await ask(route, cookie, headers));
  return answers;
}

describe("every route of the management API", () => {
  it("requires a session that has not ended unless it is open to anyone", async () => {
    const closed = routes.filter((route) => route.access !== "anyone");
    expect(closed.length).toBeGreaterThan(30);
    expect(await askAll(closed, undefined)).toEqual(expected(closed, "401 unauthenticated"));
    expect(await askAll(closed, cookies.ended)).toEqual(expected(closed, "401 unauthenticated"));
  });

  it("rejects everyone else if it is for administrators, also one who just was one", async () => {
    const higher = routes.filter((route) => route.access === "admin" || route.access === "root");
    expect(await askAll(higher, cookies.demoted)).toEqual(expected(higher, "403 forbidden"));
  });

  it("rejects administrators if it is for root", async () => {
    const highest = routes.filter((route) => route.access === "root");
    expect(highest.length).toBeGreaterThan(0);
    expect(await askAll(highest, cookies.admin)).toEqual(expected(highest, "403 forbidden"));
  });

  it("rejects pages of other sites if it changes something, with and without a session", async () => {
    const changing = routes.filter((route) => route.method !== "GET");
    const foreign = { ...origin, origin: "https://evil.example" };
    expect(await askAll(changing, cookies.root, foreign)).toEqual(expected(changing, "403 origin_refused"));
    const open = changing.filter((route) => route.access === "anyone");
    expect(await askAll(open, undefined, foreign)).toEqual(expected(open, "403 origin_refused"));
  });

  it("rejects pages that lead a browser to a GET with its cookie if it changes something or returns a credential", async () => {
    const changing = routes.filter((route) => route.method === "GET" && route.checksOrigin);
    expect(changing.map(({ url }) => url).toSorted()).toEqual([
      "/api/channel/test",
      "/api/channel/test/1",
      "/api/channel/update_balance",
      "/api/channel/update_balance/1",
      "/api/device/1",
      "/api/reset_password",
      "/api/token/1/key",
      "/api/token/playground",
      "/api/user/logout",
      "/api/user/order/status",
      "/api/user/token",
      "/api/verification",
    ]);
    const browser = { "user-agent": "Mozilla/5.0 (X11; Linux x86_64)", host: "localhost:80" };
    const leading: Record<string, string>[] = [
      { "sec-fetch-site": "same-site", "sec-fetch-dest": "empty" },
      { "sec-fetch-site": "same-origin", "sec-fetch-dest": "image" },
      { "sec-fetch-site": "none", "sec-fetch-dest": "document" },
      { referer: "http://localhost:81/page" },
    ];
    for (const led of leading) {
      const answers = await askAll(changing, cookies.root, { ...version2, ...browser, ...led });
      expect(answers, JSON.stringify(led)).toEqual(expected(changing, "403 origin_refused"));
    }
    // Over plain http browsers name no source. Only our scripts can name the version.
    const picture = await app.inject({
      url: "/api/token/playground",
      headers: { ...browser, cookie: `session=${cookies.root}` },
    });
    expect(picture.json()).toMatchObject({ code: "origin_refused" });
    const ownPage = [
      { ...browser, ...version2, "sec-fetch-site": "same-origin", "sec-fetch-dest": "empty" },
      { ...browser, ...version2 },
    ];
    for (const headers of ownPage) {
      const answer = await ask({ ...self, url: "/api/token/playground" }, cookies.root, headers);
      expect(answer).toBe("GET /api/token/playground: 200 ");
    }
  });

  it("writes nothing if it is a GET that does not check the origin", async () => {
    // The state of a sign-in is bound to the browser and works once.
    const bound = /^\/api\/oauth\//;
    const endless = /\/(?:events|stream)$/;
    // Made of the routes alone.
    const description = /^\/api\/openapi/;
    const reading = routes.filter(
      ({ checksOrigin, url }) =>
        !checksOrigin && ![bound, endless, description].some((pattern) => pattern.test(url)),
    );
    await site.database.pool.query(`
      CREATE FUNCTION refuse_write() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'a GET wrote to %', TG_TABLE_NAME; END $$;
      DO $$ DECLARE name text; BEGIN
        FOR name IN SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition LOOP
          EXECUTE format('CREATE TRIGGER refuse_write BEFORE INSERT OR UPDATE OR DELETE ON %I FOR EACH ROW EXECUTE FUNCTION refuse_write()', name);
        END LOOP;
      END $$`);
    try {
      const answers = await askAll(reading, cookies.root);
      expect(answers.filter((answer) => / 500 /.test(answer))).toEqual([]);
      const playground = await ask({ ...self, url: "/api/token/playground" }, cookies.admin);
      expect(playground).toBe("GET /api/token/playground: 500 internal");
    } finally {
      await site.database.pool.query("DROP FUNCTION refuse_write CASCADE");
    }
  });
});
