import type { TotpOffer } from "@gateway/shared/accounts/profile";
import type { Self, SessionRow } from "@gateway/shared/accounts/session";
import { Secret, TOTP } from "otpauth";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { takeGuess } from "#domain/accounts/sign-in/password-guesses.ts";
import type { User } from "#platform/prisma/client.ts";
import { type Browser, buildConsole, passwordOf, type TestConsole, version2 } from "#test/console.ts";
import { during } from "#test/overlap.ts";

let site: TestConsole;
let password_hash: string;

beforeAll(async () => {
  site = await buildConsole();
  password_hash = await passwordOf("open sesame");
});
afterAll(() => site.close());

const makePerson = () => site.makeUser({ password_hash });
const logIn = (user: User, body: object = {}) =>
  site.guest.send("POST", "/api/user/login", { username: user.username, password: "open sesame", ...body });

describe("the own account", () => {
  it("accepts display name, picture and language, and nothing else", async () => {
    const user = await makePerson();
    const browser = await site.as(user);
    const body = {
      display_name: " 小明 ",
      avatar_url: "https://pictures.example/me.png",
      language: "ja_JP",
    };
    const notTheirs = {
      id: 1,
      role: 100,
      status: 2,
      quota: 5,
      group: "svip",
      username: "root",
      email: "root@example.com",
      aff_code: "x",
      totp_enabled: true,
    };
    const refused = await browser.send("PUT", "/api/user/self", { ...body, ...notTheirs });
    expect(Object.keys(refused.body.fields ?? {})).toEqual(Object.keys(notTheirs));
    const answer = await browser.send<Self>("PUT", "/api/user/self", body);
    expect(answer.body.data).toMatchObject({
      id: user.id,
      username: user.username,
      display_name: "小明",
      avatar_url: "https://pictures.example/me.png",
      language: "ja_JP",
      role: 1,
      quota: 0,
      group: "default",
      email: null,
      totp_enabled: false,
    });
    expect((await logIn(user)).status).toBe(200);
    for (const avatar_url of ["javascript:alert(1)", "data:text/html,x", "//evil.example/x.png"]) {
      expect((await browser.send("PUT", "/api/user/self", { avatar_url })).status, avatar_url).toBe(400);
    }
    const sneaky = await browser.send("PUT", "/api/user/self", { password: "without asking" });
    expect(sneaky.body.fields?.["password"]).toContain("/api/user/self/password");
    expect((await logIn(user)).status).toBe(200);
    const cleared = await browser.send<Self>("PUT", "/api/user/self", { display_name: "" });
    expect(cleared.body.data).toMatchObject({ display_name: "", language: "ja_JP" });
  });

  it("returns its invite code", async () => {
    const user = await makePerson();
    expect((await (await site.as(user)).get("/api/user/aff")).body.data).toBe(user.aff_code);
    expect((await site.guest.get("/api/user/aff")).status).toBe(401);
  });
});

describe("a change of the own password", () => {
  it("requires the current one and ends all other sessions", async () => {
    const user = await makePerson();
    const [here, there] = [await site.as(user), await site.as(user)];
    const change = (current_password: string, password = "something new") =>
      here.send("PUT", "/api/user/self/password", { current_password, password });
    expect(await change("a guess")).toMatchObject({
      status: 400,
      body: { fields: { current_password: "The current password is wrong" } },
    });
    expect((await change("open sesame", "short")).body.fields).toHaveProperty("password");
    expect((await there.get("/api/user/self")).status).toBe(200);
    expect((await change("open sesame")).status).toBe(200);
    expect((await here.get("/api/user/self")).status).toBe(200);
    expect((await there.get("/api/user/self")).status).toBe(401);
    expect((await logIn(user)).status).toBe(401);
    expect((await logIn(user, { password: "something new" })).status).toBe(200);
    const note = { action: "user.password", user_id: user.id };
    expect(await site.services.db.auditEntry.count({ where: note })).toBe(1);
  });

  it("succeeds once when two are sent with the same current password", async () => {
    const browser = await site.as(await makePerson());
    const change = (password: string) =>
      browser.send("PUT", "/api/user/self/password", { current_password: "open sesame", password });
    const answers = await Promise.all([change("first new one"), change("second new one")]);
    expect(answers.map((each) => each.status).toSorted((a, b) => a - b)).toEqual([200, 400]);
  });
});

describe("the own sessions", () => {
  it("are listed with the current one marked, and ended one by one or all but the current one", async () => {
    const user = await makePerson();
    const [here, second, third] = [await site.as(user), await site.as(user), await site.as(user)];
    const rows = (await here.get<SessionRow[]>("/api/user/self/sessions")).body.data;
    expect(rows).toHaveLength(3);
    expect(rows.filter((row) => row.current)).toHaveLength(1);
    const seenBySecond = (await second.get<SessionRow[]>("/api/user/self/sessions")).body.data;
    const target = seenBySecond.find((row) => row.current)!;
    expect((await here.send("DELETE", `/api/user/self/sessions/${target.id}`)).status).toBe(200);
    expect((await second.get("/api/user/self")).status).toBe(401);
    expect((await here.send("DELETE", `/api/user/self/sessions/${target.id}`)).status).toBe(404);
    expect((await here.send("DELETE", "/api/user/self/sessions/nonsense")).status).toBe(400);
    expect((await here.send("DELETE", "/api/user/self/sessions")).status).toBe(200);
    expect((await third.get("/api/user/self")).status).toBe(401);
    expect((await here.get("/api/user/self")).status).toBe(200);
    expect(here.cookie).not.toBe(rows.find((row) => row.current)?.id);
  });
});

describe("the access token", () => {
  it("is shown once, replaces the previous one and can be revoked", async () => {
    const user = await makePerson();
    const browser = await site.as(user);
    const make = async () =>
      (await browser.send<{ token: string }>("POST", "/api/user/token", { password: "open sesame" })).body
        .data.token;
    const without = await browser.send("POST", "/api/user/token", {});
    expect(without).toMatchObject({
      status: 400,
      body: { fields: { password: expect.any(String) as string } },
    });
    expect((await browser.send("POST", "/api/user/token")).status).toBe(400);
    expect((await browser.send("POST", "/api/user/token", { password: "wrong" })).status).toBe(400);
    const asks = async (token: string) =>
      (await site.app.inject({ url: "/api/user/self", headers: { ...version2, authorization: token } }))
        .statusCode;
    const first = await make();
    expect(first).toMatch(/^\w{32}$/);
    expect(await asks(first)).toBe(200);
    const second = await make();
    expect([await asks(first), await asks(second)]).toEqual([401, 200]);
    const self = await browser.get<Self>("/api/user/self");
    expect(self.body.data.has_access_token).toBe(true);
    expect(JSON.stringify(self.body)).not.toContain(second);
    expect((await browser.send("DELETE", "/api/user/token")).status).toBe(200);
    expect(await asks(second)).toBe(401);
    // A link on another page must not be able to replace it.
    expect((await browser.get("/api/user/token")).status).not.toBe(200);
  });
});

describe("the current password", () => {
  it("cannot be guessed with a session: every route that takes it counts with sign-in, from every address", async () => {
    const user = await makePerson();
    const browser = await site.as(user);
    const places: [method: "POST" | "PUT", url: string, body: Record<string, string>][] = [
      ["POST", "/api/user/token", {}],
      ["PUT", "/api/user/self/password", { password: "another long password", field: "current_password" }],
      ["POST", "/api/user/self/totp", {}],
      ["POST", "/api/user/self/totp/disable", { code: "123456" }],
      ["POST", "/api/webauthn/registration/begin", {}],
      ["POST", "/api/user/self/identities/confirm", {}],
      ["POST", "/api/user/self/email/code", { email: "me@example.com" }],
    ];
    // Thirty guesses may be checked within a minute: seven remain, one for each place.
    const { db, secrets } = site.services;
    for (let n = 0; n < 30 - places.length; n += 1)
      await takeGuess(db, secrets, { name: user.username, user, ip: `198.51.100.${n}` });
    let checked = 0;
    for (const [round, [method, url, { field = "password", ...body }]] of [...places, ...places].entries()) {
      const address = { "x-forwarded-for": `203.0.113.${round}` };
      const answer = await browser.send(method, url, { ...body, [field]: `guess ${round}` }, address);
      if (round < places.length) expect(answer.status, url).toBe(400);
      if (answer.status === 400) checked += 1;
      else expect(answer.status, url).toBe(429);
    }
    expect(checked).toBeLessThanOrEqual(places.length + 1);
    const right = { password: "open sesame" };
    const late = await browser.send("POST", "/api/user/token", right, { "x-forwarded-for": "203.0.113.99" });
    expect(late.status).toBe(429);
    const signIn = { username: user.username, ...right };
    const elsewhere = await site.guest.send("POST", "/api/user/login", signIn, {
      "x-forwarded-for": "203.0.113.98",
    });
    expect(elsewhere.status).toBe(429);
  });
});

describe("the second factor", () => {
  /** The code that the app would show. `later` moves ahead in steps, since each code works once. */
  const codeOf = (secret: string, later = 0) =>
    TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: Date.now() + later * 30_000 });

  async function switchOn(browser: Browser): Promise<{ secret: string; recovery: string[] }> {
    const offer = await browser.send<TotpOffer>("POST", "/api/user/self/totp", { password: "open sesame" });
    const { secret } = offer.body.data;
    expect(offer.body.data.uri).toContain(`secret=${secret}`);
    const enabled = await browser.send<{ recovery_codes: string[] }>("POST", "/api/user/self/totp/enable", {
      code: codeOf(secret, -1),
    });
    expect(enabled.status).toBe(200);
    return { secret, recovery: enabled.body.data.recovery_codes };
  }

  it("requires the password to begin and a valid code to be enabled", async () => {
    const user = await makePerson();
    const browser = await site.as(user);
    expect(await browser.send("POST", "/api/user/self/totp", { password: "guess" })).toMatchObject({
      status: 400,
      body: { fields: { password: "The current password is wrong" } },
    });
    expect((await browser.send("POST", "/api/user/self/totp/enable", { code: "123456" })).status).toBe(409);
    await browser.send("POST", "/api/user/self/totp", { password: "open sesame" });
    const wrong = await browser.send("POST", "/api/user/self/totp/enable", { code: "abcdef" });
    expect(wrong).toMatchObject({ status: 403, body: { code: "totp_wrong" } });
    // Starting the set-up does not enable it.
    expect((await logIn(user)).status).toBe(200);
  });

  it("is required at sign-in, after the password, and each code works once", async () => {
    const user = await makePerson();
    const { secret } = await switchOn(await site.as(user));
    expect(await logIn(user, { password: "guess" })).toMatchObject({ body: { code: "wrong_credentials" } });
    const requested = await logIn(user);
    expect(requested).toMatchObject({ status: 401, body: { code: "totp_required" } });
    expect(requested.response.headers["set-cookie"]).toBeUndefined();
    expect(await logIn(user, { code: codeOf(secret, -1) })).toMatchObject({ body: { code: "totp_wrong" } });
    const code = codeOf(secret);
    expect((await logIn(user, { code: `${code.slice(0, 3)} ${code.slice(3)}` })).status).toBe(200);
    expect(await logIn(user, { code })).toMatchObject({ status: 403, body: { code: "totp_wrong" } });
    const tries = await Promise.all([1, 2, 3].map(() => logIn(user, { code: codeOf(secret, 1) })));
    expect(tries.filter((each) => each.status === 200)).toHaveLength(1);
    const sealed = await site.services.db.user.findUniqueOrThrow({ where: { id: user.id } });
    expect(Buffer.from(sealed.totp_secret!).includes(Buffer.from(Secret.fromBase32(secret).bytes))).toBe(
      false,
    );
  });

  it("can be replaced by recovery codes, each once, until they are renewed", async () => {
    const user = await makePerson();
    const browser = await site.as(user);
    const { secret, recovery } = await switchOn(browser);
    expect(recovery).toHaveLength(10);
    const [first = "", second = ""] = recovery;
    expect(first).toMatch(/^[a-z2-7]{4}(-[a-z2-7]{4}){3}$/);
    expect((await logIn(user, { code: first.toUpperCase().replaceAll("-", " ") })).status).toBe(200);
    expect((await logIn(user, { code: first })).status).toBe(403);
    const renewed = await browser.send<{ recovery_codes: string[] }>("POST", "/api/user/self/totp/recovery", {
      code: codeOf(secret),
    });
    expect(renewed.body.data.recovery_codes).not.toContain(second);
    expect((await logIn(user, { code: second })).status).toBe(403);
  });

  it("has ten recovery codes after they are renewed twice at once", async () => {
    const user = await makePerson();
    const browser = await site.as(user);
    const { secret } = await switchOn(browser);
    const { recoveryCode } = site.services.db;
    const answer = await during(
      site.database,
      ["SELECT FROM users u, recovery_codes r WHERE u.id = $1 AND r.user_id = u.id FOR UPDATE", user.id],
      async (client) => {
        await client.query("DELETE FROM recovery_codes WHERE user_id = $1", [user.id]);
        await client.query("INSERT INTO recovery_codes (user_id, code_hash) VALUES ($1, 'other')", [user.id]);
      },
      () => browser.send("POST", "/api/user/self/totp/recovery", { code: codeOf(secret) }),
    );
    expect(answer.status).toBe(200);
    expect(await recoveryCode.count({ where: { user_id: user.id } })).toBe(10);
  });

  it("rejects even the right code after a few attempts, from any addresses", async () => {
    const user = await makePerson();
    const { secret } = await switchOn(await site.as(user));
    const from = (n: number, code: string) =>
      site.guest.send(
        "POST",
        "/api/user/login",
        { username: user.username, password: "open sesame", code },
        { "x-forwarded-for": `203.0.113.${n}` },
      );
    for (let n = 0; n < 8; n++) expect((await from(n, "000 00x")).status).toBe(403);
    const refused = await from(99, codeOf(secret));
    expect(refused).toMatchObject({ status: 429, body: { code: "rate_limit_exceeded" } });
    expect(Number(refused.response.headers["retry-after"])).toBeGreaterThan(600);
  });

  it("is disabled with password and code, or by an administrator for a user who lost both", async () => {
    const user = await makePerson();
    const browser = await site.as(user);
    const { secret } = await switchOn(browser);
    const off = (body: object) => browser.send("POST", "/api/user/self/totp/disable", body);
    expect((await off({ password: "guess", code: codeOf(secret) })).status).toBe(400);
    expect((await off({ password: "open sesame", code: "nonsense" })).status).toBe(403);
    expect((await off({ password: "open sesame" })).status).toBe(400);
    expect((await off({ password: "open sesame", code: codeOf(secret) })).status).toBe(200);
    expect((await logIn(user)).status).toBe(200);

    const other = await makePerson();
    await switchOn(await site.as(other));
    const admin = await site.as(await site.makeUser({ role: 10 }));
    const reset = () =>
      admin.send("POST", "/api/user/manage", { username: other.username, action: "reset_totp" });
    expect((await reset()).status).toBe(200);
    expect((await reset()).status).toBe(409);
    expect((await logIn(other)).status).toBe(200);
  });
});
