import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { issueSetupToken } from "#domain/accounts/setup.ts";
import { buildConsole, origin, passwordOf, type TestConsole, version2 } from "#test/console.ts";
import { guardRoute } from "./guards.ts";

let site: TestConsole;

beforeAll(async () => {
  site = await buildConsole();
});
afterAll(() => site.close());

const cookieOf = (header: unknown) => /session=([^;]*)/.exec(String(header))?.[1] ?? "";

describe("the first run", () => {
  it("requires set-up, creates the root account with the link and signs it in", async () => {
    const { db, secrets } = site.services;
    const before = await site.guest.get<{ needs_setup: boolean }>("/api/status");
    expect(before.body).toMatchObject({ success: true, data: { needs_setup: true, system_name: "One Hub" } });

    const token = await issueSetupToken(db, secrets);
    const account = { username: "first", password: "a long password" };
    const wrong = await site.guest.send("POST", "/api/setup", { ...account, token: "guess" });
    expect(wrong).toMatchObject({ status: 401, body: { code: "wrong_credentials" } });
    const check = (link: string) => site.guest.send("POST", "/api/setup/check", { token: link });
    expect(await check("guess")).toMatchObject({ status: 401, body: { code: "wrong_credentials" } });
    expect((await check(token ?? "")).status).toBe(200);
    const short = await site.guest.send("POST", "/api/setup", { token, username: "x", password: "short" });
    expect(short.status).toBe(400);
    expect(Object.keys(short.body.fields ?? {})).toEqual(["username", "password"]);

    const language = "ja_JP";
    const made = await site.guest.send("POST", "/api/setup", { ...account, token, language });
    expect(made.body).toMatchObject({
      success: true,
      data: { username: "first", role: 100, quota: 100_000_000, group_name: "Default" },
    });
    expect(made.body.data).not.toHaveProperty("password_hash");
    expect(made.response.headers["set-cookie"]).toMatch(
      /session=\w{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Strict$/,
    );
    const again = await site.guest.send("POST", "/api/setup", { ...account, username: "second", token });
    expect(again).toMatchObject({ status: 409, body: { code: "setup_done" } });
    expect(await check(token ?? "")).toMatchObject({ status: 409, body: { code: "setup_done" } });
    expect((await site.guest.get("/api/status")).body.data).toMatchObject({ needs_setup: false, language });
  });

  it("the language of the site is zh_CN, unless an administrator chose another one", async () => {
    const root = await site.as(await site.makeUser({ role: 100 }));
    const shown = async (value: string | null) => {
      const { status } = await root.send("PUT", "/api/option/batch", { values: { Language: value } });
      const { data } = (await site.guest.get<{ language: string }>("/api/status")).body;
      return [status, data?.language];
    };
    expect(await shown("en_US")).toEqual([200, "en_US"]);
    expect(await shown(null)).toEqual([200, "zh_CN"]);
  });
});

describe("a session", () => {
  it("begins with the password, changes its id at every sign-in and ends with the sign-out", async () => {
    const user = await site.makeUser({ password_hash: await passwordOf("open sesame") });
    const login = { username: user.username, password: "open sesame" };
    const first = await site.guest.send("POST", "/api/user/login", login);
    expect(first.body).toMatchObject({ success: true, data: { id: user.id } });
    const cookie = cookieOf(first.response.headers["set-cookie"]);
    const headers = { cookie: `session=${cookie}` };
    const second = await site.guest.send("POST", "/api/user/login", login, headers);
    const next = cookieOf(second.response.headers["set-cookie"]);
    expect(next).not.toBe(cookie);
    const self = (session: string) =>
      site.app.inject({ url: "/api/user/self", headers: { cookie: `session=${session}` } });
    expect((await self(cookie)).statusCode).toBe(401);
    expect((await self(next)).json()).toMatchObject({ success: true, data: { username: user.username } });
    const out = await site.guest.send("POST", "/api/user/logout", undefined, { cookie: `session=${next}` });
    expect(out).toMatchObject({ status: 200, body: { success: true, data: null } });
    expect((await self(next)).statusCode).toBe(401);
  });

  it("begins with the name that an account had before an import changed it", async () => {
    const password_hash = await passwordOf("open sesame");
    const { id } = await site.makeUser({ password_hash, imported_username: "Mei.Lin" });
    const login = { username: "Mei.Lin", password: "open sesame" };
    const { body } = await site.guest.send("POST", "/api/user/login", login);
    expect(body).toMatchObject({ success: true, data: { id } });
  });

  it("is Secure over https", async () => {
    const user = await site.makeUser({ password_hash: await passwordOf("open sesame") });
    const login = { username: user.username, password: "open sesame" };
    const headers = { "x-forwarded-proto": "https" };
    const { response } = await site.guest.send("POST", "/api/user/login", login, headers);
    expect(response.headers["set-cookie"]).toContain("Secure");
  });

  it("ends when it is revoked, and is useless for a disabled or demoted user", async () => {
    const { db } = site.services;
    const admin = await site.makeUser({ role: 10 });
    const browser = await site.as(admin);
    expect((await browser.get("/api/user/self")).status).toBe(200);
    await db.user.update({ where: { id: admin.id }, data: { status: 2 } });
    expect(await browser.get("/api/user/self")).toMatchObject({
      status: 401,
      body: { code: "unauthenticated" },
    });
    expect((await browser.get("/api/status")).status).toBe(200);
    await db.user.update({ where: { id: admin.id }, data: { status: 1, role: 100 } });
    expect((await browser.get("/api/option")).status).toBe(200);
    await db.user.update({ where: { id: admin.id }, data: { role: 1 } });
    expect(await browser.get("/api/option")).toMatchObject({ status: 403, body: { code: "forbidden" } });
    await db.session.deleteMany({ where: { user_id: admin.id } });
    expect(await browser.get("/api/user/self")).toMatchObject({ status: 401 });
  });
});

describe("an access token", () => {
  it("authenticates with and without Bearer, from any origin", async () => {
    const { secrets } = site.services;
    const token = "k".repeat(32);
    await site.makeUser({ role: 100, access_token_hash: secrets.hash(token) });
    for (const authorization of [token, `Bearer ${token}`]) {
      const headers = { authorization, origin: "https://elsewhere.example" };
      const body = { key: "Notice", value: "hello" };
      expect(await site.guest.send("PUT", "/api/option", body, headers)).toMatchObject({ status: 200 });
    }
    const wrong = await site.app.inject({
      url: "/api/user/self",
      headers: { authorization: "Bearer nonsense" },
    });
    expect(wrong.statusCode).toBe(401);
    expect((await site.guest.get("/api/notice")).body.data).toBe("hello");
  });
});

describe("guessing passwords", () => {
  it("is limited to twenty attempts of one address, with Retry-After", async () => {
    const ask = (from: string, payload: object) =>
      site.app.inject({
        method: "POST",
        url: "/api/user/login",
        headers: { ...origin, "x-forwarded-for": from },
        payload,
      });
    // An attempt is counted before it is read.
    for (let n = 0; n < 20; n++) expect((await ask("203.0.113.7", {})).statusCode).toBe(400);
    const guess = { username: "somebody", password: "wrong" };
    const refused = await ask("203.0.113.7", guess);
    expect(refused.statusCode).toBe(429);
    expect(refused.json()).toMatchObject({ success: false, code: "rate_limit_exceeded" });
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(1000);
    expect((await ask("203.0.113.8", guess)).statusCode).toBe(401);
  });

  it("is limited sooner for one account, without revealing whether it exists", async () => {
    const user = await site.makeUser({ password_hash: await passwordOf("open sesame") });
    const ask = async (username: string, password = "wrong") =>
      (
        await site.guest.send(
          "POST",
          "/api/user/login",
          { username, password },
          { "x-forwarded-for": username === user.username ? "203.0.113.20" : "203.0.113.21" },
        )
      ).body;
    for (let n = 0; n < 8; n++) {
      expect((await ask(user.username)).code).toBe("wrong_credentials");
      expect((await ask("a-ghost")).code).toBe("wrong_credentials");
    }
    const refused = await ask(user.username, "open sesame");
    expect(refused).toMatchObject({ code: "rate_limit_exceeded" });
    expect(await ask("a-ghost")).toMatchObject({ code: "rate_limit_exceeded", message: refused.message });
  });
});

describe("a request from a page of another site", () => {
  it("changes nothing with our cookie, and cannot sign a user in", async () => {
    const root = await site.as(await site.makeUser({ role: 100 }));
    const body = { key: "Notice", value: "owned" };
    for (const foreign of ["https://evil.example", "null", "http://localhost:81"]) {
      const answer = await root.send("PUT", "/api/option", body, { origin: foreign });
      expect(answer).toMatchObject({ status: 403, body: { code: "origin_refused" } });
    }
    const login = { username: "a", password: "b" };
    const foreign = { origin: "https://evil.example" };
    expect((await site.guest.send("POST", "/api/user/login", login, foreign)).status).toBe(403);
    expect((await site.guest.get("/api/notice")).body.data).not.toBe("owned");
  });

  it("is recognised by any single header that a browser sends", async () => {
    const root = await site.as(await site.makeUser({ role: 100 }));
    const ask = async (headers: Record<string, string>, cookie = `session=${root.cookie}`) => {
      const answer = await site.app.inject({
        method: "PUT",
        url: "/api/option",
        headers: { ...version2, host: "localhost:80", cookie, ...headers },
        payload: { key: "About", value: "us" },
      });
      return answer.json<{ code?: string }>().code ?? "taken";
    };
    const own = "http://localhost:80";
    const evil = "https://evil.example";
    // A program that keeps its cookie sends none of these headers; Node's fetch sends its mode.
    expect(await ask({})).toBe("taken");
    expect(await ask({ "sec-fetch-mode": "cors", "user-agent": "node" })).toBe("taken");
    expect(await ask({ referer: `${own}/panel/setting` })).toBe("taken");
    expect(await ask({ origin: own })).toBe("taken");
    expect(await ask({ origin: own, "sec-fetch-site": "same-origin", referer: `${own}/` })).toBe("taken");
    const foreigners: Record<string, string>[] = [
      { origin: evil },
      { origin: "null" },
      { origin: "" },
      { origin: evil, referer: `${own}/` },
      { origin: evil, "sec-fetch-site": "same-origin" },
      { referer: `${evil}/page` },
      { referer: "about:blank" },
      { referer: "" },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
      { "sec-fetch-site": "none" },
      { "sec-fetch-site": "same-origin" },
      { "sec-fetch-site": "" },
      { "sec-fetch-site": "cross-site", referer: `${own}/` },
    ];
    for (const foreign of foreigners)
      expect([foreign, await ask(foreign)]).toEqual([foreign, "origin_refused"]);
  });

  it("cannot sign a user in, also without a session", async () => {
    const ask = async (headers: Record<string, string>) => {
      const answer = await site.app.inject({
        method: "POST",
        url: "/api/user/login",
        headers: { ...version2, host: "localhost:80", "content-type": "text/plain", ...headers },
        payload: JSON.stringify({ username: "nobody", password: "wrong" }),
        remoteAddress: "203.0.113.90",
      });
      return answer.json<{ code?: string }>().code;
    };
    expect(await ask({})).toBe("wrong_credentials");
    const foreigners: Record<string, string>[] = [
      { origin: "https://evil.example" },
      { referer: "https://evil.example/" },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
    ];
    for (const foreign of foreigners)
      expect([foreign, await ask(foreign)]).toEqual([foreign, "origin_refused"]);
  });

  it("is accepted from the configured server address", async () => {
    const root = await site.as(await site.makeUser({ role: 100 }));
    const address = { key: "ServerAddress", value: "https://ai.example.com" };
    expect((await root.send("PUT", "/api/option", address)).status).toBe(200);
    const body = { key: "About", value: "us" };
    const answer = await root.send("PUT", "/api/option", body, { origin: "https://ai.example.com" });
    expect(answer.status).toBe(200);
  });
});

describe("bad input", () => {
  it("gets the true status, a code, a message and the request id", async () => {
    const root = await site.as(await site.makeUser({ role: 100 }));
    const send = (headers: Record<string, string>, payload: string) =>
      site.app.inject({
        method: "PUT",
        url: "/api/option",
        headers: { ...origin, cookie: `session=${root.cookie}`, ...headers },
        payload,
      });
    const json = { "content-type": "application/json" };
    const broken = await send(json, "{");
    expect(broken.statusCode).toBe(400);
    expect(broken.json()).toMatchObject({ success: false, code: "invalid_request" });
    expect(broken.json<{ request_id: string }>().request_id).toHaveLength(36);
    expect((await send(json, "")).statusCode).toBe(400);
    expect((await send({ "content-type": "text/plain" }, "x")).json()).toMatchObject({
      code: "invalid_request",
      message: "The body is not valid JSON.",
    });
    expect(
      (await send(json, JSON.stringify({ key: "Notice", value: "x".repeat(2_000_000) }))).statusCode,
    ).toBe(413);
    expect((await send(json, '{"key":"Notice","value":"a\\u0000b"}')).statusCode).toBe(400);
    expect((await send(json, '{"key":"__proto__","value":1}')).json()).toMatchObject({
      code: "invalid_request",
    });
  });

  it("is parsed as JSON whatever its Content-Type", async () => {
    const root = await site.as(await site.makeUser({ role: 100 }));
    for (const type of ["application/x-www-form-urlencoded", "text/plain", "multipart/form-data", ""]) {
      const answer = await site.app.inject({
        method: "PUT",
        url: "/api/option",
        headers: { ...origin, cookie: `session=${root.cookie}`, ...(type && { "content-type": type }) },
        payload: Buffer.from(JSON.stringify({ key: "About", value: `as ${type}` })),
      });
      expect(answer.json()).toMatchObject({ success: true });
      expect((await site.guest.get("/api/about")).body.data).toBe(`as ${type}`);
    }
  });

  it("is rejected by the field's name when no field can store it, however deep it is", async () => {
    const root = await site.as(await site.makeUser({ role: 100 }));
    const send = async (payload: string, url = "/api/prices/sync") => {
      const response = await site.app.inject({
        method: "POST",
        url,
        headers: { ...origin, cookie: `session=${root.cookie}` },
        payload,
      });
      return [response.statusCode, response.json<{ message: string }>().message];
    };
    const nested = (open: string, close: string) => open.repeat(100_000) + close.repeat(100_000);
    expect(await send(nested("[", "]"))).toEqual([400, "0: It has more than 64 levels."]);
    expect(await send(`{"a":${nested('{"b":', "}").replace("{}", '{"b":1}')}}`)).toEqual([
      400,
      expect.stringMatching(/levels|not valid JSON/),
    ]);
    expect(await send(`{"list":${nested("[", "]")}}`, "/api/user/login")).toEqual([
      400,
      "list: It has more than 64 levels.",
    ]);
    const sentence = "Text must not contain";
    expect(await send('{"a":{"b":["x","\\ud800"]}}')).toEqual([
      400,
      `a.b.1: ${sentence} half of a surrogate pair.`,
    ]);
    expect(await send('{"name":"a\\u0000"}', "/api/token")).toEqual([
      400,
      `name: ${sentence} the character U+0000.`,
    ]);
    expect(await send('{"setting":{"\\udc00":1}}', "/api/token")).toEqual([
      400,
      "setting: A name contains half of a surrogate pair.",
    ]);
    const search = await root.get("/api/user?keyword=a%00b");
    expect(search).toMatchObject({
      status: 400,
      body: { fields: { keyword: `${sentence} the character U+0000` } },
    });
  });

  it("returns a 404 in the same envelope", async () => {
    const answer = await site.guest.get("/api/no/such/route");
    expect(answer).toMatchObject({ status: 404, body: { success: false, code: "not_found" } });
  });
});

describe("settings over the API", () => {
  it("are for administrators only and never show a secret", async () => {
    const user = await site.as(await site.makeUser({ role: 3 }));
    const root = await site.as(await site.makeUser({ role: 100 }));
    expect((await site.guest.get("/api/option")).status).toBe(401);
    expect((await user.get("/api/option")).status).toBe(403);
    const secret = { key: "GitHubClientSecret", value: "do not show" };
    expect((await root.send("PUT", "/api/option", secret)).status).toBe(200);
    const { body } = await root.get<Record<string, unknown>>("/api/option");
    expect(body.data).toMatchObject({ RetryTimes: 3 });
    expect(JSON.stringify(body)).not.toContain("do not show");
    expect(body.data).not.toHaveProperty("GitHubClientSecret");
    const wrong = await root.send("PUT", "/api/option", { key: "RetryTimes", value: -1 });
    expect(wrong).toMatchObject({ status: 400, body: { code: "invalid_request" } });
  });
});

describe("public routes", () => {
  it("return the health of the node, the texts and the public groups", async () => {
    expect((await site.guest.get("/api/health")).body).toEqual({ status: "ok" });
    expect((await site.guest.get("/api/ready")).body).toEqual({ status: "ok" });
    for (const path of ["notice", "about", "home_page_content"]) {
      expect((await site.guest.get(`/api/${path}/`)).body).toMatchObject({ success: true });
    }
    const vip = await site.as(await site.makeUser({ group: "vip" }));
    expect(Object.keys((await site.guest.get<object>("/api/user_group_map")).body.data)).toEqual(["default"]);
    const own = await vip.get<Record<string, unknown>>("/api/user_group_map");
    expect(Object.keys(own.body.data)).toEqual(["default", "vip"]);
    expect(own.body.data["vip"]).toEqual({
      id: 2,
      symbol: "vip",
      name: "VIP",
      ratio: 1,
      public: false,
      enable: true,
      api_rate: 600,
    });
  });

  it("include the description of the API", async () => {
    const { response } = await site.guest.get("/api/openapi.json");
    const document = response.json<{ openapi: string; paths: Record<string, object> }>();
    expect(document.openapi).toBe("3.1.0");
    expect(document.paths["/api/user/login"]).toMatchObject({ post: { requestBody: {} } });
    expect(document.paths["/api/status"]).toBeDefined();
  });

  it("describe every operation with a summary, a unique name, its area and who may call it", async () => {
    for (const name of ["openapi", "openapi-compat"]) {
      const { response } = await site.guest.get(`/api/${name}.json`);
      const { paths } = response.json<{ paths: Record<string, Record<string, Operation>> }>();
      const operations = Object.values(paths).flatMap((path) => Object.values(path));
      expect(operations.length).toBeGreaterThan(200);
      for (const operation of operations) {
        expect(operation).toMatchObject({
          summary: expect.stringMatching(/^[A-Z].{5,}[^.]$/),
          description: expect.stringMatching(/\.$/),
          tags: [expect.stringMatching(/./)],
        });
      }
      const names = operations.map(({ operationId }) => operationId);
      expect(names.filter((each, index) => names.indexOf(each) !== index)).toEqual([]);
    }
    const { response } = await site.guest.get("/api/openapi.json");
    const { paths } = response.json<{ paths: Record<string, Record<string, Operation>> }>();
    expect(paths["/api/status"]?.["get"]).toMatchObject({ security: [], tags: ["Site"] });
    expect(paths["/api/channel"]?.["post"]).toMatchObject({
      description: "For administrators who may edit the area channels.",
      security: [{ accessToken: [] }, { session: [] }],
    });
  });

  it("describe the compatibility mode beside version 2, from the same routes", async () => {
    type Description = { info: { title: string }; paths: Record<string, Record<string, object>> };
    const read = async (name: string) => (await site.app.inject(`/api/${name}.json`)).json<Description>();
    const two = await read("openapi");
    const older = await read("openapi-compat");
    expect([two.info.title, older.info.title]).toEqual([
      "Management API, version 2",
      "Management API, compatibility mode",
    ]);
    expect(Object.keys(older.paths).sort()).toEqual(Object.keys(two.paths).sort());
    const text = (description: Description, path: string, method: string) =>
      JSON.stringify(description.paths[path]?.[method]);
    expect(text(two, "/api/channel/", "get") ?? text(two, "/api/channel", "get")).toContain("key_hints");
    expect(text(two, "/api/channel", "get")).toContain("api-version");
    expect(text(older, "/api/channel", "get")).toContain('"models":{"type":"string"}');
    expect(text(older, "/api/token", "post")).toContain('"key":{"type":"string"}');
    expect(text(older, "/api/user", "get")).toContain("telegram_id");
  });
});

interface Operation {
  summary: string;
  description: string;
  operationId: string;
  tags: string[];
  security: object[];
}

describe("a console below a path", () => {
  it("works there with its cookie", async () => {
    const below = await buildConsole({ basePath: "gateway" });
    try {
      const user = await below.makeUser({ password_hash: await passwordOf("open sesame") });
      const login = { username: user.username, password: "open sesame" };
      const { response } = await below.guest.send("POST", "/gateway/api/user/login", login);
      expect(response.headers["set-cookie"]).toContain("Path=/gateway;");
      expect((await below.app.inject({ url: "/api/status" })).statusCode).toBe(404);
    } finally {
      await below.close();
    }
  });
});

it("a route without access or response schema prevents the start", async () => {
  const route = { url: "/api/forgotten", method: "GET" as const, handler: async () => "" };
  const guard = (given: object) => guardRoute({ ...route, ...given }, site.services, {} as never);
  expect(() => guard({})).toThrow(/does not say who may use it/);
  expect(() => guard({ config: { access: "anyone" } })).toThrow(/does not say what may leave/);
});
