import type { WaitingDevice } from "@gateway/shared/accounts/device";
import type { TokenRow } from "@gateway/shared/accounts/token";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { hashPassword } from "#domain/accounts/sign-in/passwords.ts";
import { systemActor } from "#domain/audit-log/audit.ts";
import { createCallers } from "#domain/tokens/callers.ts";
import { buildConsole, type Browser, origin, type TestConsole } from "#test/console.ts";

interface Started {
  device_code: string;
  user_code: string;
  verification_uri: string;
  verification_uri_complete: string;
  expires_in: number;
  interval: number;
}

const GRANT_TYPE = "urn:ietf:params:oauth:grant-type:device_code";

let site: TestConsole;
let me: Browser;
let userId: number;

beforeAll(async () => {
  site = await buildConsole();
});
afterAll(() => site.close());
beforeEach(async () => {
  const user = await site.makeUser();
  userId = user.id;
  me = await site.as(user);
});

const ip = "203.0.113.9";

async function post(path: string, form: Record<string, string> | string, from = ip) {
  const response = await site.app.inject({
    method: "POST",
    url: path,
    headers: { "content-type": "application/x-www-form-urlencoded", "x-forwarded-for": from },
    payload: typeof form === "string" ? form : new URLSearchParams(form).toString(),
  });
  return { response, status: response.statusCode, body: response.json<Record<string, unknown>>() };
}

let addresses = 0;

async function start(name = "laptop"): Promise<Started> {
  addresses += 1;
  const from = `198.51.100.${addresses}`;
  const { response, body } = await post("/device/authorization", { device_name: name }, from);
  expect(response.statusCode).toBe(200);
  return body as unknown as Started;
}

const poll = (code: string) => post("/device/token", { grant_type: GRANT_TYPE, device_code: code });

/** Changes the stored row of a sign-in, found by its device code being the latest one. */
async function age(seconds: number): Promise<void> {
  await site.database.pool.query(
    "update one_time_codes set expires_at = expires_at - make_interval(secs => $1) where id = (select max(id) from one_time_codes where purpose = 'device')",
    [seconds],
  );
}

const approve = (code: string, input: object = {}, browser = me) =>
  browser.send("POST", `/api/device/${code}/approve`, { name: "laptop", ...input });

describe("the authorization endpoint", () => {
  it("returns the codes and the address of the page, and stores neither code", async () => {
    const { response, body } = await post("/device/authorization", { device_name: " My laptop " });
    expect(body).toEqual({
      device_code: expect.stringMatching(/^[\w-]{43}$/),
      user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
      verification_uri: "http://localhost:80/device",
      verification_uri_complete: `http://localhost:80/device?code=${String(body["user_code"])}`,
      expires_in: 600,
      interval: 5,
    });
    expect(response.headers["cache-control"]).toBe("no-store");
    const rows = JSON.stringify(
      await site.services.db.oneTimeCode.findMany({ where: { purpose: "device" } }),
    );
    expect(rows).not.toContain(body["device_code"]);
    expect(rows).not.toContain(String(body["user_code"]).replace("-", ""));
  });

  it("accepts JSON, and a client_id as the name", async () => {
    const response = await site.app.inject({
      method: "POST",
      url: "/device/authorization",
      payload: { client_id: "my-tool" },
    });
    const { user_code } = response.json<Started>();
    const found = await me.get<WaitingDevice>(`/api/device/${user_code}`);
    expect(found.body.data).toMatchObject({ device_name: "my-tool" });
  });

  it.each([
    ["", "no name"],
    [`device_name=${"x".repeat(65)}`, "a long name"],
    ["device_name=a%00b", "a control character"],
    ["device_name=a%E2%80%AEb", "a character that reverses the text"],
    ["device_name=a&device_name=b", "a repeated parameter"],
  ])("refuses %j: %s", async (form) => {
    const { status, body } = await post("/device/authorization", form);
    expect(status).toBe(400);
    expect(body).toMatchObject({ error: "invalid_request", error_description: expect.stringMatching(/\w/) });
  });

  it("refuses bodies that are too large or unreadable", async () => {
    const large = await post("/device/authorization", `device_name=${"x".repeat(9_000)}`);
    expect([large.status, large.body["error"]]).toEqual([413, "invalid_request"]);
    const broken = await site.app.inject({
      method: "POST",
      url: "/device/authorization",
      headers: { "content-type": "application/json" },
      payload: "{",
    });
    expect([broken.statusCode, broken.json<{ error: string }>().error]).toEqual([400, "invalid_request"]);
  });

  it("limits the sign-ins of one address, and returns when to try again", async () => {
    const from = "192.0.2.77";
    for (let count = 0; count < 30; count += 1)
      expect((await post("/device/authorization", { device_name: "x" }, from)).status).toBe(200);
    const { response, body } = await post("/device/authorization", { device_name: "x" }, from);
    expect(response.statusCode).toBe(429);
    expect(body["error"]).toBe("slow_down");
    expect(Number(response.headers["retry-after"])).toBeGreaterThan(500);
  });

  it("has the configured address of the site", async () => {
    await site.services.settings.change(systemActor, { ServerAddress: "https://gateway.example" });
    const { verification_uri } = await start();
    await site.services.settings.change(systemActor, { ServerAddress: "" });
    expect(verification_uri).toBe("https://gateway.example/device");
  });
});

describe("the token endpoint", () => {
  it.each([
    [{}, "invalid_request"],
    [{ grant_type: GRANT_TYPE }, "invalid_request"],
    [{ grant_type: "password", device_code: "x" }, "unsupported_grant_type"],
    [{ grant_type: GRANT_TYPE, device_code: "unknown" }, "invalid_grant"],
  ])("answers %j with %s", async (form: Record<string, string>, error) => {
    const { response, status, body } = await post("/device/token", form);
    expect([status, body["error"]]).toEqual([400, error]);
    expect(response.headers["cache-control"]).toBe("no-store");
  });

  it("is pending at first, and asks a device that polls too often to slow down", async () => {
    const { device_code } = await start();
    expect((await poll(device_code)).body["error"]).toBe("authorization_pending");
    expect((await poll(device_code)).body["error"]).toBe("slow_down");
    const stored = await site.services.db.oneTimeCode.findFirstOrThrow({
      where: { purpose: "device" },
      orderBy: { id: "desc" },
    });
    expect(stored.payload).toMatchObject({ interval: 10 });
  });

  it("issues one token after the approval, with the user's limits", async () => {
    const { device_code, user_code } = await start("Work laptop");
    const expires = Math.floor(Date.now() / 1000) + 3_600;
    const answer = await approve(user_code, {
      name: "laptop",
      expired_time: expires,
      unlimited_quota: false,
      remain_quota: 1_000,
      setting: { limits: { limit_model_setting: { enabled: true, models: ["demo-chat"] } } },
    });
    expect(answer.status).toBe(200);
    expect(await site.services.db.token.count({ where: { user_id: userId } })).toBe(0);

    const { response, body } = await poll(device_code);
    expect(response.statusCode).toBe(200);
    expect(response.headers["cache-control"]).toBe("no-store");
    expect(body).toEqual({
      access_token: expect.stringMatching(/^sk-/),
      token_type: "Bearer",
      expires_in: expect.any(Number),
    });
    expect(Math.abs(Number(body["expires_in"]) - 3_600)).toBeLessThan(30);
    const { caller } = await createCallers(site.services.db, site.services.secrets).find(
      `Bearer ${String(body["access_token"])}`,
    );
    expect(caller.userId).toBe(userId);
    const { data } = (await me.get<TokenRow[]>("/api/token/devices")).body;
    expect(data).toMatchObject([
      {
        device_name: "Work laptop",
        name: "laptop",
        expired_time: expires,
        unlimited_quota: false,
        remain_quota: 1_000,
        setting: { limits: { limit_model_setting: { enabled: true, models: ["demo-chat"] } } },
      },
    ]);

    expect((await poll(device_code)).body["error"]).toBe("invalid_grant");
    expect(await site.services.db.token.count({ where: { user_id: userId } })).toBe(1);
    const audits = await site.services.db.auditEntry.findMany({ where: { user_id: userId } });
    expect(audits.map((entry) => entry.action).toSorted()).toEqual(["device.approve", "token.create"]);
    expect(JSON.stringify(audits.map(({ target_id, after }) => [target_id, after]))).not.toContain(user_code);

    expect((await me.send("DELETE", `/api/token/${data[0]?.id}`)).status).toBe(200);
    expect((await me.get("/api/token/devices")).body.data).toEqual([]);
  });

  it("issues one token when two polls arrive at once", async () => {
    const { device_code, user_code } = await start();
    await approve(user_code);
    const polls = await Promise.all(Array.from({ length: 5 }, () => poll(device_code)));
    expect(polls.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(polls.filter(({ body }) => body["error"] === "invalid_grant")).toHaveLength(4);
    expect(await site.services.db.token.count({ where: { user_id: userId } })).toBe(1);
  });

  it("reports a denied, an expired and a disabled user's sign-in", async () => {
    const denied = await start();
    expect((await me.send("POST", `/api/device/${denied.user_code}/deny`)).status).toBe(200);
    expect((await poll(denied.device_code)).body["error"]).toBe("access_denied");
    expect((await poll(denied.device_code)).body["error"]).toBe("access_denied");

    const expired = await start();
    await approve(expired.user_code);
    await age(601);
    expect((await poll(expired.device_code)).body["error"]).toBe("expired_token");

    const disabled = await start();
    await approve(disabled.user_code);
    await site.services.db.user.update({ where: { id: userId }, data: { status: 2 } });
    expect((await poll(disabled.device_code)).body["error"]).toBe("access_denied");
    expect(await site.services.db.token.count({ where: { user_id: userId } })).toBe(0);
  });
});

it("is ended by a new password and by disabling the account, approved or not", async () => {
  const access = async () => site.services.db.token.count({ where: { user_id: userId, deleted_at: null } });
  const changed = await start();
  expect((await approve(changed.user_code)).status).toBe(200);
  const body = { current_password: "open sesame", password: "another long password" };
  await site.services.db.user.update({
    where: { id: userId },
    data: { password_hash: await hashPassword(body.current_password) },
  });
  expect((await me.send("PUT", "/api/user/self/password", body)).status).toBe(200);
  expect((await poll(changed.device_code)).body).toMatchObject({ error: "invalid_grant" });
  const disabled = await start();
  expect((await approve(disabled.user_code)).status).toBe(200);
  const root = await site.as(await site.makeUser({ role: 100 }));
  for (const status of [2, 1])
    expect((await root.send("PUT", "/api/user", { id: userId, status })).status).toBe(200);
  expect((await poll(disabled.device_code)).body).toMatchObject({ error: "invalid_grant" });
  expect(await access()).toBe(0);
});

describe("the user", () => {
  it("finds the device by its code in any spelling, and decides once", async () => {
    const { user_code } = await start("Box");
    const spelling = encodeURIComponent(` ${user_code.toLowerCase().replace("-", " ")} `);
    const found = await me.get<WaitingDevice>(`/api/device/${spelling}`);
    expect(found.body.data).toMatchObject({ device_name: "Box", ip: `198.51.100.${addresses}` });
    expect(Math.abs(found.body.data.created_time - Date.now() / 1000)).toBeLessThan(30);
    expect((await approve(user_code)).status).toBe(200);

    const other = await site.as(await site.makeUser());
    for (const answer of [
      await other.get(`/api/device/${user_code}`),
      await approve(user_code, {}, other),
      await other.send("POST", `/api/device/${user_code}/deny`),
      await approve(user_code),
    ]) {
      expect(answer.status).toBe(404);
      expect(answer.body).toMatchObject({ params: { reason: "device_code_unknown" } });
    }
  });

  it("cannot use an expired code, and stays with a code after limits that are not allowed", async () => {
    const { user_code, device_code } = await start();
    const refused = await approve(user_code, { group: "vip" });
    expect(refused.status).toBe(403);
    expect(Object.keys(refused.body.fields ?? {})).toEqual(["group"]);
    expect((await poll(device_code)).body["error"]).toBe("authorization_pending");
    await age(601);
    expect((await me.get(`/api/device/${user_code}`)).status).toBe(404);
    expect((await approve(user_code)).status).toBe(404);
  });

  it("has a limited number of guesses, and right codes do not count", async () => {
    const { user_code } = await start();
    for (let count = 0; count < 15; count += 1)
      expect((await me.get(`/api/device/${user_code}`)).status).toBe(200);
    const guesses: number[] = [];
    for (let count = 0; count < 12; count += 1) guesses.push((await me.get("/api/device/BBBB-BBBB")).status);
    expect(guesses.filter((status) => status === 404)).toHaveLength(10);
    expect(guesses.at(-1)).toBe(429);
    expect((await approve(user_code)).status).toBe(429);
  });
});

it("refuses pages of other sites", async () => {
  for (const url of ["/device/authorization", "/device/token"]) {
    const headers = { ...origin, origin: "https://evil.example" };
    const response = await site.app.inject({ method: "POST", url, headers, payload: { device_name: "x" } });
    expect(response.statusCode).toBe(403);
  }
});
