import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { renewAccessToken } from "#domain/accounts/profile.ts";
import { buildConsole, passwordOf, type TestConsole } from "#test/console.ts";

/** Tests the responses to a caller without `Api-Version: 2`, for any route. */
let site: TestConsole;
let token: string;

beforeAll(async () => {
  site = await buildConsole();
  const account = await site.makeUser({ role: 100, password_hash: await passwordOf("a long password") });
  const { db, secrets } = site.services;
  token = await renewAccessToken(db, secrets, { ...account, ip: "10.0.0.1" }, account);
});
afterAll(() => site.close());

async function ask(
  method: "GET" | "POST" | "PUT" | "DELETE",
  url: string,
  payload?: string | object,
  headers: Record<string, string> = { authorization: token },
) {
  const response = await site.app.inject({ method, url, headers, ...(payload && { payload }) });
  expect(response.headers["content-type"]).toMatch(/^application\/json/);
  return {
    sent: response.statusCode,
    status: Number(response.headers["api-status"] ?? 0),
    body: response.json<{ success: boolean; message: string; code?: string; data?: unknown }>(),
    response,
  };
}

describe("the HTTP status without Api-Version: 2", () => {
  it("is 200 for refusals; the true one is in Api-Status, the code in the body", async () => {
    expect(await ask("GET", "/api/channel/999999")).toMatchObject({
      sent: 200,
      status: 404,
      body: { success: false, code: "not_found" },
    });
    expect(await ask("GET", "/api/channel/?size=101")).toMatchObject({ sent: 200, status: 400 });
    const wrong = { username: "nobody", password: "wrong" };
    expect(await ask("POST", "/api/user/login", wrong, {})).toMatchObject({
      sent: 200,
      status: 401,
      body: { code: "wrong_credentials" },
    });
    expect(await ask("POST", "/api/user/login", "{", {})).toMatchObject({ sent: 200, status: 400 });
    expect(await ask("GET", "/api/status")).toMatchObject({
      sent: 200,
      status: 200,
      body: { success: true },
    });
  });

  it("is unchanged for missing and wrong credentials, unknown addresses, limits and failures", async () => {
    expect(await ask("GET", "/api/channel/", undefined, {})).toMatchObject({ sent: 401, status: 401 });
    expect(await ask("GET", "/api/channel/", undefined, { authorization: "wrong" })).toMatchObject({
      sent: 401,
    });
    expect(await ask("GET", "/api/no/such/route")).toMatchObject({ sent: 404, body: { success: false } });
    const flood = { "x-forwarded-for": "203.0.113.40" };
    for (let n = 0; n < 20; n++) await ask("POST", "/api/user/login", "{", flood);
    expect(await ask("POST", "/api/user/login", "{", flood)).toMatchObject({
      sent: 429,
      body: { code: "rate_limit_exceeded" },
    });
  });

  it("is the true one with Api-Version: 2, and One Hub's for any other version", async () => {
    const two = { authorization: token, "api-version": "2" };
    const answer = await ask("GET", "/api/channel/999999", undefined, two);
    expect(answer).toMatchObject({ sent: 404, status: 0 });
    expect(answer.response.headers["vary"]).toContain("Api-Version");
    for (const version of ["", "1", "2.0", "two"])
      expect(
        (await ask("GET", "/api/channel/999999", undefined, { ...two, "api-version": version })).sent,
      ).toBe(200);
  });

  it("is the true one at addresses that monitoring systems call", async () => {
    expect((await site.app.inject("/api/health")).headers["api-status"]).toBeUndefined();
  });

  it("is 200 for a notification of an unknown payment gateway", async () => {
    for (const method of ["GET", "POST"] as const) {
      const request = {
        method,
        url: `/api/payment/notify/${"n".repeat(70)}`,
        ...(method === "POST" && { payload: "x=1" }),
      };
      const older = await site.app.inject(request);
      expect([older.statusCode, older.headers["api-status"]]).toEqual([200, "404"]);
      expect(older.json()).toMatchObject({ success: false, code: "not_found" });
      const two = await site.app.inject({ ...request, headers: { "api-version": "2" } });
      expect(two.statusCode).toBe(404);
    }
  });

  it("of a sign-in with Lark is 200 while it is off, with or without a state, and 403 for a wrong state", async () => {
    for (const query of ["", "?code=c", "?code=c&state=s"])
      expect(await ask("GET", `/api/oauth/lark${query}`, undefined, {})).toMatchObject({
        sent: 200,
        status: 403,
        body: { success: false, message: "This sign-in method is disabled." },
      });
    for (const [key, value] of [
      ["LarkClientId", "id"],
      ["LarkClientSecret", "secret"],
      ["LarkAuthEnabled", "true"],
    ])
      expect((await ask("PUT", "/api/option/", { key, value })).body.success).toBe(true);
    await site.services.settings.reload();
    for (const query of ["", "?code=c", "?code=c&state=s"])
      expect((await ask("GET", `/api/oauth/lark${query}`, undefined, {})).sent).toBe(403);
  });
});

describe("a program that keeps its cookie", () => {
  it("signs in, reads and changes without any header of a browser", async () => {
    const user = await site.makeUser({ role: 10, password_hash: await passwordOf("a long password") });
    const login = await site.app.inject({
      method: "POST",
      url: "/api/user/login",
      // The content type that `curl -d` sends.
      headers: { "content-type": "application/x-www-form-urlencoded" },
      payload: JSON.stringify({ username: user.username, password: "a long password" }),
    });
    expect(login.json()).toMatchObject({ success: true });
    const [session] = login.cookies;
    expect(session).toMatchObject({ name: "session", sameSite: "Strict", httpOnly: true });
    const cookie = `session=${session?.value}`;
    expect(await ask("GET", "/api/user/self", undefined, { cookie })).toMatchObject({ sent: 200 });
    const made = await ask("POST", "/api/token/", { name: "by cookie" }, { cookie });
    expect(made.body).toMatchObject({ success: true });
    const led = { cookie, referer: "https://evil.example/" };
    expect((await ask("POST", "/api/token/", { name: "led" }, led)).body).toMatchObject({
      success: false,
      code: "origin_refused",
    });
  });
});

describe("lists", () => {
  const names = ["channel", "user", "token", "log", "log/self", "user/invoice", "task", "mj", "payment"];
  const first = { page: 1, size: 10, total_count: expect.any(Number), data: expect.any(Array) };

  it.each(names)("return the first page and ten rows without a page and a size: %s", async (list) => {
    expect((await ask("GET", `/api/${list}/`)).body.data).toMatchObject(first);
  });

  it.each(["page=0&size=0", "page=-1&size=-5", "page=&size="])(
    "take %s for no page and no size",
    async (query) => {
      expect((await ask("GET", `/api/channel/?${query}`)).body.data).toMatchObject(first);
    },
  );
});
