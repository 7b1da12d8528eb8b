import type { PasskeyRow } from "@gateway/shared/accounts/passkey";
import type { Self } from "@gateway/shared/accounts/session";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { systemActor } from "#domain/audit-log/audit.ts";
import { makeAuthenticator } from "#test/authenticator.ts";
import { type Browser, buildConsole, passwordOf, type TestConsole } from "#test/console.ts";

let site: TestConsole;
beforeAll(async () => {
  site = await buildConsole();
});
afterEach(() => site.services.settings.set(systemActor, "PasskeyLoginEnabled", null));
afterAll(() => site.close());

const home = "http://localhost:80";
type Options = { challenge: string; rp: { id?: string }; rpId?: string };

async function person(values: object = {}) {
  const user = await site.makeUser({ password_hash: await passwordOf("my password"), ...values });
  return { user, browser: await site.as(user), device: makeAuthenticator("http://localhost:80", user.id) };
}

const begin = (browser: Browser, password = "my password") =>
  browser.send<Options>("POST", "/api/webauthn/registration/begin", { password });
const finish = (browser: Browser, body: object) =>
  browser.send<PasskeyRow>("POST", "/api/webauthn/registration/finish", body);

async function withPasskey(values: object = {}) {
  const someone = await person(values);
  const options = (await begin(someone.browser)).body.data;
  const answer = await finish(someone.browser, { ...someone.device.register(options), alias: "Laptop" });
  expect(answer.status).toBe(200);
  return { ...someone, passkey: answer.body.data };
}

let number = 0;
const from = () => ({ "x-forwarded-for": `198.51.100.${(number += 1) % 250}` });
const challenge = async () =>
  (await site.guest.send<Options>("POST", "/api/webauthn/login/begin", {}, from())).body.data;
const signIn = (answer: object, headers = {}) =>
  site.guest.send<Self>("POST", "/api/webauthn/login/finish", answer, { ...from(), ...headers });

describe("a passkey", () => {
  it("is added with the password, shown without its key, renamed and removed", async () => {
    const { browser, passkey, user } = await withPasskey();
    expect(passkey).toMatchObject({ alias: "Laptop", last_used: null });
    expect(Object.keys(passkey).sort()).toEqual(["alias", "backed_up", "created_time", "id", "last_used"]);
    const one = `/api/webauthn/credentials/${passkey.id}`;
    expect((await browser.send("PATCH", one, { alias: "Phone" })).status).toBe(200);
    expect((await browser.get("/api/webauthn/credentials")).body.data).toMatchObject([{ alias: "Phone" }]);
    const stranger = await site.as(await site.makeUser());
    expect((await stranger.send("DELETE", one)).status).toBe(404);
    expect((await stranger.send("PATCH", one, { alias: "Mine" })).status).toBe(404);
    expect((await browser.send("DELETE", one)).status).toBe(200);
    expect((await browser.get("/api/webauthn/credentials")).body.data).toEqual([]);
    const notes = await site.services.db.auditEntry.findMany({
      where: { user_id: user.id },
      orderBy: { id: "asc" },
    });
    expect(notes.map(({ action }) => action)).toEqual(["user.passkey_add", "user.passkey_remove"]);
  });

  it("is not added without the password, an own challenge, or the user's presence", async () => {
    const { browser, device } = await person();
    expect((await begin(browser, "wrong")).body.fields).toHaveProperty("password");
    const options = (await begin(browser)).body.data;
    const other = await site.as(await site.makeUser());
    expect((await finish(other, device.register(options))).status).toBe(403);
    device.behave.verifiesUser = false;
    expect((await finish(browser, device.register((await begin(browser)).body.data))).status).toBe(403);
    device.behave.verifiesUser = true;
    const good = device.register((await begin(browser)).body.data);
    expect((await finish(browser, good)).status).toBe(200);
    expect((await finish(browser, good)).status).toBe(403);
  });

  it("is one of at most twenty, although more registrations have begun", async () => {
    const { browser, device, user } = await person();
    const devices = [device, makeAuthenticator(home, user.id)];
    const rows = Array.from({ length: 19 }, (_, index) => ({
      user_id: user.id,
      credential_id: Buffer.from(`${user.id}-${index}`),
      public_key: Buffer.alloc(1),
      alias: "x",
    }));
    await site.services.db.passkey.createMany({ data: rows });
    const begun = await Promise.all(devices.map(async () => (await begin(browser)).body.data));
    const ended = await Promise.all(
      devices.map((each, index) => finish(browser, each.register(begun[index]!))),
    );
    expect(ended.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
  });

  it("signs its owner in without a name, a password or another code", async () => {
    const { device, user } = await withPasskey({ totp_enabled: true, totp_secret: new Uint8Array(8) });
    device.behave.counter = 1;
    const answer = await signIn(device.signIn(await challenge()));
    expect(answer.body.data).toMatchObject({ id: user.id });
    const cookie = String(answer.response.headers["set-cookie"]).split(";")[0] ?? "";
    const self = await site.app.inject({ url: "/api/user/self", headers: { cookie } });
    expect(self.json()).toMatchObject({ data: { id: user.id } });
    const row = await site.services.db.passkey.findFirstOrThrow({ where: { user_id: user.id } });
    expect(row.sign_count).toBe(1n);
    expect(row.last_used).not.toBeNull();
  });

  it("answers a challenge once, and only the one it was given", async () => {
    const { device } = await withPasskey();
    const options = await challenge();
    const answer = device.signIn(options);
    const answers = await Promise.all([signIn(answer), signIn(answer)]);
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 403]);
    expect((await signIn(device.signIn({ challenge: "made-up", rpId: "localhost" }))).status).toBe(403);
    const adding = (await begin((await withPasskey()).browser)).body.data;
    expect((await signIn(device.signIn({ ...adding, rpId: "localhost" }))).status).toBe(403);
  });

  it("belongs to the configured address, whatever host and origin a request claims", async () => {
    const { browser } = await person();
    const evil = { host: "evil.example", origin: "http://evil.example", "x-forwarded-host": "evil.example" };
    const login = () =>
      site.guest.send<Options>("POST", "/api/webauthn/login/begin", {}, { ...from(), ...evil });
    expect(await login()).toMatchObject({ status: 409, body: { code: "server_address_missing" } });
    await site.services.settings.set(systemActor, "ServerAddress", "https://ai.example.com/panel");
    try {
      expect((await login()).body.data.rpId).toBe("ai.example.com");
      expect((await begin(browser)).body.data.rp.id).toBe("ai.example.com");
      const device = makeAuthenticator("http://evil.example", 1);
      const phished = device.signIn({ ...(await login()).body.data, rpId: "evil.example" });
      expect((await signIn(phished, evil)).status).toBe(403);
    } finally {
      await site.services.settings.set(systemActor, "ServerAddress", null);
    }
  });

  it("is rejected from a page of another origin and for another site", async () => {
    const { device } = await withPasskey();
    device.behave.origin = "https://evil.example";
    const phished = device.signIn({ ...(await challenge()), rpId: "localhost" });
    expect((await signIn(phished)).status).toBe(403);
    expect((await signIn(phished, { origin: "https://evil.example" })).body.code).toBe("origin_refused");
    device.behave.origin = home;
    expect((await signIn(device.signIn({ ...(await challenge()), rpId: "evil.example" }))).status).toBe(403);
  });

  it("is rejected when its counter goes back, as a copied key's would", async () => {
    const { device } = await withPasskey();
    device.behave.counter = 5;
    expect((await signIn(device.signIn(await challenge()))).status).toBe(200);
    expect((await signIn(device.signIn(await challenge()))).status).toBe(403);
    device.behave.counter = 6;
    expect((await signIn(device.signIn(await challenge()))).status).toBe(200);
  });

  it("does not sign in to a disabled account, nor while passkeys are disabled", async () => {
    const { device, user } = await withPasskey();
    await site.services.db.user.update({ where: { id: user.id }, data: { status: 2 } });
    expect((await signIn(device.signIn(await challenge()))).body.code).toBe("user_disabled");
    await site.services.settings.set(systemActor, "PasskeyLoginEnabled", false);
    expect((await site.guest.send("POST", "/api/webauthn/login/begin", {}, from())).status).toBe(403);
  });

  it("cannot be removed while the only other one is removed", async () => {
    const { browser, passkey, user } = await withPasskey();
    const { db } = site.services;
    const other = await db.passkey.create({
      data: {
        user_id: user.id,
        credential_id: Buffer.from(`other ${user.id}`),
        public_key: Buffer.from("key"),
      },
    });
    await db.user.update({ where: { id: user.id }, data: { password_hash: null } });
    const removals = [passkey.id, other.id].map((id) =>
      browser.send("DELETE", `/api/webauthn/credentials/${id}`),
    );
    const statuses = (await Promise.all(removals)).map(({ status }) => status);
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 409]);
    expect(await db.passkey.count({ where: { user_id: user.id } })).toBe(1);
  });

  it("cannot be removed when it is the only way to sign in", async () => {
    const { browser, passkey, user } = await withPasskey();
    await site.services.db.user.update({ where: { id: user.id }, data: { password_hash: null } });
    const one = `/api/webauthn/credentials/${passkey.id}`;
    expect((await browser.send("DELETE", one)).status).toBe(409);
  });

  it("cannot be removed when the site has disabled the other ways to sign in", async () => {
    const { browser, passkey, user } = await withPasskey();
    const { db, settings } = site.services;
    await db.identity.create({ data: { user_id: user.id, provider: "github", subject: `gh-${user.id}` } });
    await settings.set(systemActor, "PasswordLoginEnabled", false);
    const one = `/api/webauthn/credentials/${passkey.id}`;
    const refused = await browser.send("DELETE", one);
    await settings.set(systemActor, "PasswordLoginEnabled", null);
    expect(refused.body).toMatchObject({ code: "conflict" });
    expect((await browser.send("DELETE", one)).status).toBe(200);
  });
});
