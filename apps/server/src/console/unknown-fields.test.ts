import Fastify, { type FastifyInstance } from "fastify";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { type Browser, buildConsole, origin, type TestConsole } from "#test/console.ts";
import { consoleRoutes } from "./index.ts";
import { MOST_ITEMS } from "./request-body.ts";
import { unknownFieldsIn } from "./unknown-fields.ts";

let site: TestConsole;
let app: FastifyInstance;
let root: Browser;
const routes: { method: "POST" | "PUT" | "PATCH" | "DELETE"; url: string }[] = [];

/** Bodies that another program defines: the browser's passkeys, price lists, telegram, other gateways' prices. */
const open = new Set([
  "POST /api/webauthn/registration/finish",
  "POST /api/webauthn/login/finish",
  "POST /api/prices/sync",
  "POST /api/telegram/:secret",
]);

beforeAll(async () => {
  site = await buildConsole();
  app = Fastify({ trustProxy: true });
  app.addHook("onRoute", ({ method, url, schema }) => {
    for (const each of [method].flat())
      if (schema?.body !== undefined && url.startsWith("/api/") && !open.has(`${each} ${url}`))
        routes.push({ method: each as "POST", url });
  });
  await app.register(consoleRoutes, { services: site.services });
  await app.ready();
  root = await site.as(await site.makeUser({ role: 100 }));
});
afterAll(async () => {
  await app.close();
  await site.close();
});

describe("fields that do not exist", () => {
  it("are refused by name on every route, in version 2", async () => {
    expect(routes.length).toBeGreaterThan(60);
    const silent: string[] = [];
    for (const [index, { method, url }] of routes.entries()) {
      const response = await app.inject({
        method,
        url: url.replaceAll(/:\w+/g, "999999"),
        headers: {
          ...origin,
          cookie: `session=${root.cookie}`,
          "x-forwarded-for": `10.9.${index >> 8}.${index & 255}`,
        },
        payload: { priorty: 5 },
      });
      const { issues } = response.json<{ issues?: Record<string, object> }>();
      if (response.statusCode !== 400 || issues?.["priorty"] === undefined)
        silent.push(`${method} ${url}: ${response.statusCode} ${response.body}`);
    }
    expect(silent).toEqual([]);
  });

  it("are refused within a budget, so that a misspelled limit is not taken for none", async () => {
    const { id } = await site.makeUser();
    const put = (budget: object) => root.send("PUT", `/api/user/${id}/budget`, { budget });
    expect((await put({ day: 3_000 })).body).toMatchObject({
      success: false,
      issues: { "budget.day": { reason: "field_unknown" } },
    });
    expect((await put({ daily_spent: 3_000 })).body.success).toBe(false);
  });

  it("are found in nested objects, lists, records, unions and intersections", () => {
    const inner = z.object({ a: z.int().optional() });
    const namesIn = (schema: z.ZodType, body: unknown) =>
      Object.keys(unknownFieldsIn(schema, body)?.issues ?? {});
    const cases: [z.ZodType, unknown, string[]][] = [
      [z.object({ inner: inner.optional() }), { inner: { b: 1 }, c: 1 }, ["inner.b", "c"]],
      [z.object({ list: z.array(inner).default([]) }), { list: [{ a: 1 }, { b: 1 }] }, ["list.1.b"]],
      [z.record(z.string(), inner), { any: { a: 1 }, other: { b: 1 } }, ["other.b"]],
      [z.union([inner, z.object({ kind: z.literal("x") })]), { kind: "x", b: 1 }, ["b"]],
      [z.union([inner, z.object({ kind: z.literal("x") })]), { kind: "x" }, []],
      [z.discriminatedUnion("k", [z.object({ k: z.literal(1), a: z.int() })]), { k: 1, a: 1, b: 1 }, ["b"]],
      [
        z.intersection(z.object({ id: z.int() }), z.object({ inner })),
        { id: 1, inner: { b: 1 } },
        ["inner.b"],
      ],
      [z.preprocess((given) => given ?? {}, inner), { b: 1 }, ["b"]],
      [inner.nullable().prefault({}).readonly(), { b: 1 }, ["b"]],
      [inner.transform((value) => value), { b: 1 }, ["b"]],
      [z.looseObject({}), { b: 1 }, []],
      [z.unknown(), { b: 1 }, []],
      [inner, JSON.parse('{"__proto__": 1, "constructor": 2}'), ["__proto__", "constructor"]],
    ];
    for (const [schema, body, names] of cases)
      expect(namesIn(schema, body).toSorted()).toEqual(names.toSorted());
  });

  it("are at most twenty in the error, however many a body has", () => {
    const body = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`f${index}`, 1]));
    expect(Object.keys(unknownFieldsIn(z.object({}), body)?.issues ?? {})).toHaveLength(20);
  });
});

describe("the status in a PUT", () => {
  it("disables and enables a token, by both addresses and by an administrator, and stops its key", async () => {
    const owner = await site.as(await site.makeUser({ balance: 1_000n }));
    const { id } = (await owner.send<{ id: number }>("POST", "/api/token", { name: "app" })).body.data;
    const methods: [Browser, string, object][] = [
      [owner, "/api/token", { id }],
      [owner, `/api/token/${id}`, {}],
      [root, "/api/token/admin", { id }],
    ];
    for (const [who, url, body] of methods)
      for (const status of [2, 1]) {
        const answer = await who.send<{ status: number }>("PUT", url, { ...body, status });
        expect([url, answer.status, answer.body.data.status]).toEqual([url, 200, status]);
        const row = await site.services.db.token.findUniqueOrThrow({ where: { id } });
        expect(row.status).toBe(status);
      }
  });

  it("does not enable a token that has expired, unless the same change extends it", async () => {
    const owner = await site.as(await site.makeUser());
    const { id } = (await owner.send<{ id: number }>("POST", "/api/token", { name: "old" })).body.data;
    await owner.send("PUT", "/api/token", { id, status: 2, expired_time: 1_000 });
    const put = (change: object) => owner.send("PUT", "/api/token", { id, status: 1, ...change });
    expect((await put({})).status).toBe(409);
    expect((await put({ expired_time: -1 })).body.data).toMatchObject({ status: 1 });
  });

  it("disables and enables a channel, together with other fields or alone", async () => {
    const input = { type: 1, name: "one", key: "sk-1", models: ["gpt-5"], groups: ["default"] };
    const { id } = (await root.send<{ id: number }>("POST", "/api/channel", input)).body.data;
    for (const [url, body] of [
      ["/api/channel", { id }],
      [`/api/channel/${id}`, { name: "two" }],
    ] as const)
      for (const status of [2, 1]) {
        const answer = await root.send("PUT", url, { ...body, status });
        expect(answer.body.data, url).toMatchObject({ status });
      }
    const wrong = await root.send("PUT", `/api/channel/${id}`, { status: 2, models: [] });
    expect(wrong.status).toBe(400);
    expect((await root.get(`/api/channel/${id}`)).body.data).toMatchObject({ status: 1, name: "two" });
  });
});

describe("lists in a body", () => {
  it("are limited on every route before their items are validated", async () => {
    const long: string[] = [];
    for (const [index, { method, url }] of routes.entries()) {
      const response = await app.inject({
        method,
        url: url.replaceAll(/:\w+/g, "999999"),
        headers: {
          ...origin,
          cookie: `session=${root.cookie}`,
          "x-forwarded-for": `10.8.${index >> 8}.${index & 255}`,
        },
        payload: { values: Array.from({ length: MOST_ITEMS + 1 }, () => 0) },
      });
      const { issues } = response.json<{ issues?: Record<string, { reason: string }> }>();
      if (response.statusCode !== 400 || issues?.["values"]?.reason !== "list_too_long")
        long.push(`${method} ${url}: ${response.statusCode} ${response.body}`);
    }
    expect(long).toEqual([]);
  });
});
