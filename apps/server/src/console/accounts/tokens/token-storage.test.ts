import { randomBytes } from "node:crypto";
import type { TokenRow } from "@gateway/shared/accounts/token";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildConsole, type Browser, type TestConsole } from "#test/console.ts";

/** What an account without a balance may store in its tokens. */
let site: TestConsole;

beforeAll(async () => {
  site = await buildConsole();
});
afterAll(() => site.close());

const restrictedTo = (models: string[]) => ({
  limits: { limit_model_setting: { enabled: true, models } },
});
const longNames = (count: number, bytes = 40) =>
  Array.from({ length: count }, () => randomBytes(bytes).toString("hex"));

async function newToken(browser: Browser): Promise<TokenRow> {
  return (await browser.send<TokenRow>("POST", "/api/token", { name: "mine" })).body.data;
}

describe("the tokens of an account", () => {
  it("may list models and addresses up to a total length", async () => {
    const me = await site.as(await site.makeUser());
    const { id } = await newToken(me);
    const change = (count: number) =>
      me.send("PUT", `/api/token/${id}`, { setting: restrictedTo(longNames(count)) });
    expect((await change(200)).status).toBe(200);
    expect(await change(210)).toMatchObject({
      status: 400,
      body: { fields: { setting: expect.stringContaining("16384") } },
    });
    await me.send("DELETE", `/api/token/${id}`);
    expect(await site.services.db.token.findUnique({ where: { id } })).toMatchObject({ setting: {} });
  });

  it("leave little in the audit log, and those of administrators everything", async () => {
    const states = async (id: number) =>
      (await site.services.db.auditEntry.findMany({ where: { target_type: "token", target_id: String(id) } }))
        .flatMap(({ before, after }) => [before, after])
        .map((state) => JSON.stringify(state));
    const me = await site.as(await site.makeUser());
    const mine = await newToken(me);
    await me.send("PUT", `/api/token/${mine.id}`, { name: "x", setting: restrictedTo(longNames(200)) });
    for (const state of await states(mine.id)) expect(state.length).toBeLessThan(2_048);
    expect((await states(mine.id)).join()).toContain('"… 195"');
    const admin = await site.as(await site.makeUser({ role: 10 }));
    const theirs = await newToken(admin);
    const names = longNames(200);
    await admin.send("PUT", `/api/token/${theirs.id}`, { setting: restrictedTo(names) });
    expect((await states(theirs.id)).join()).toContain(names.at(-1));
  });

  it("change at a limited pace, but can always be disabled and deleted", async () => {
    const user = await site.makeUser();
    const me = await site.as(user);
    const { id } = await newToken(me);
    // The burst is used up.
    await site.database.pool.query(
      "UPDATE one_time_codes SET expires_at = now() + interval '20000 s' WHERE purpose = 'token-change' AND subject = $1",
      [String(user.id)],
    );
    const refused = await me.send("PUT", `/api/token/${id}`, { name: "other" });
    expect(refused).toMatchObject({ status: 429, body: { code: "rate_limit_exceeded" } });
    expect(Number(refused.response.headers["retry-after"])).toBeGreaterThan(0);
    expect((await me.send("POST", "/api/token", { name: "more" })).status).toBe(429);
    expect((await me.send("PATCH", `/api/token/${id}`, { status: 2 })).status).toBe(200);
    expect((await me.send("PATCH", `/api/token/${id}`, { status: 1 })).status).toBe(429);
    expect((await me.send("DELETE", `/api/token/${id}`)).status).toBe(200);
  });

  it("are limited in number", async () => {
    const user = await site.makeUser();
    const me = await site.as(user);
    await site.database.pool.query(
      `INSERT INTO tokens (user_id, key_hash, key_encrypted, key_hint, name)
       SELECT $1, sha256(('token ' || n)::bytea), '', '', 'n' FROM generate_series(1, 10000) n`,
      [user.id],
    );
    expect(await me.send("POST", "/api/token", { name: "more" })).toMatchObject({
      status: 409,
      body: { code: "conflict", params: { reason: "too_many_tokens", most: 10_000 } },
    });
  });
});
