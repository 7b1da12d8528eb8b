import type { PoolClient } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { endAccess, findSession } from "#domain/accounts/sign-in/sessions.ts";
import { buildConsole, passwordOf, type TestConsole } from "#test/console.ts";
import { during } from "#test/overlap.ts";

/** Sign-ins and new access tokens that overlap with a change that ends all access to the account. */
let site: TestConsole;

beforeAll(async () => {
  site = await buildConsole();
});
afterAll(() => site.close());

const password = "the first password";

async function makeUser() {
  return site.makeUser({ password_hash: await passwordOf(password) });
}

const row = "SELECT FROM users WHERE id = $1 FOR UPDATE";

const newPassword = (id: number) => async (client: PoolClient) =>
  client.query("UPDATE users SET password_hash = $2 WHERE id = $1", [id, await passwordOf("the second one")]);
const setStatus = (id: number, status: number) => (client: PoolClient) =>
  client.query("UPDATE users SET status = $2 WHERE id = $1", [id, status]);

describe("a sign-in that began before", () => {
  it("a change of the password starts no session", async () => {
    const user = await makeUser();
    const signIn = () => site.guest.send("POST", "/api/user/login", { username: user.username, password });
    expect((await during(site.database, [row, user.id], newPassword(user.id), signIn)).status).toBe(401);
    expect(await site.services.db.session.count({ where: { user_id: user.id } })).toBe(0);
  });

  it("the account was disabled starts no session that a later activation would revive", async () => {
    const user = await makeUser();
    const signIn = () => site.guest.send("POST", "/api/user/login", { username: user.username, password });
    expect(await during(site.database, [row, user.id], setStatus(user.id, 2), signIn)).toMatchObject({
      status: 403,
      body: { code: "user_disabled" },
    });
    expect(await site.services.db.session.count({ where: { user_id: user.id } })).toBe(0);
  });

  it("all access is ended is ended, too", async () => {
    const user = await makeUser();
    const { db, secrets } = site.services;
    await during(
      site.database,
      [row, user.id],
      (client) =>
        client.query(
          "INSERT INTO sessions (id_hash, user_id, expires_at) VALUES ($1, $2, now() + interval '1 day')",
          [secrets.hash("late"), user.id],
        ),
      () => db.$transaction((tx) => endAccess(tx, secrets, user.id)),
    );
    expect(await findSession(db, secrets, "late")).toBeUndefined();
  });
});

describe("a new access token that was requested before", () => {
  it("a change of the password, or the end of the account, is not created", async () => {
    for (const [change, status] of [
      [newPassword, 401],
      [(id: number) => setStatus(id, 2), 403],
    ] as const) {
      const user = await makeUser();
      const browser = await site.as(user);
      const answer = await during(site.database, [row, user.id], change(user.id), () =>
        browser.send("POST", "/api/user/token", { password }),
      );
      expect(answer.status).toBe(status);
      const { access_token_hash } = await site.services.db.user.findUniqueOrThrow({ where: { id: user.id } });
      expect(access_token_hash).toBeNull();
    }
  });
});
