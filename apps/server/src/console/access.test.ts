import Fastify, { type FastifyInstance } from "fastify";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildConsole, origin, type TestConsole } from "#test/console.ts";
import type { Access } from "./guards.ts";
import { consoleRoutes } from "./index.ts";

/** Tests access route by route. The list comes from the routes themselves, so new routes are covered. */
interface Route {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  url: string;
  access: Access;
}

let site: TestConsole;
let app: FastifyInstance;
const routes: Route[] = [];
const cookies: Record<"user" | "admin" | "root", string> = { user: "", admin: "", root: "" };

beforeAll(async () => {
  site = await buildConsole();
  app = Fastify({ trustProxy: true });
  app.addHook("onRoute", ({ method, url, config }) => {
    for (const each of [method].flat()) {
      if (each === "HEAD" || each === "OPTIONS" || config?.access === undefined) continue;
      // An existing id: the first user made below.
      const path = url.replaceAll(/:\w+/g, "1");
      routes.push({ method: each as Route["method"], url: path, access: config.access });
    }
  });
  await app.register(consoleRoutes, { services: site.services });
  await app.ready();
  for (const [name, role] of [
    ["root", 100],
    ["admin", 10],
    ["user", 1],
  ] as const)
    cookies[name] = (await site.as(await site.makeUser({ role }))).cookie ?? "";
});
afterAll(async () => {
  await app.close();
  await site.close();
});

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
  const { code } = response.json<{ code?: string }>();
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
  it("requires a signed-in user unless it is open to anyone", async () => {
    const closed = routes.filter((route) => route.access !== "anyone");
    expect(closed.length).toBeGreaterThan(30);
    expect(await askAll(closed, undefined)).toEqual(expected(closed, "401 unauthenticated"));
    expect(await askAll(closed, "a-cookie-that-nobody-has")).toEqual(expected(closed, "401 unauthenticated"));
  });

  it("rejects everyone else if it is for administrators", async () => {
    const higher = routes.filter((route) => route.access === "admin" || route.access === "root");
    expect(await askAll(higher, cookies.user)).toEqual(expected(higher, "403 forbidden"));
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
    expect(await askAll(changing, undefined, foreign)).toEqual(expected(changing, "403 origin_refused"));
  });
});
