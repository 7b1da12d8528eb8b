import type { RedemptionRow } from "@gateway/shared/billing/redemption";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { redeem } from "#domain/credits/redemptions.ts";
import { audit } from "#domain/ledger/balances/audit.ts";
import { type Browser, buildConsole, type TestConsole } from "#test/console.ts";
import { runs } from "#test/property-runs.ts";

interface List {
  data: RedemptionRow[];
  total_count: number;
}

let site: TestConsole;
let admin: Browser;

beforeAll(async () => {
  site = await buildConsole();
  admin = await site.as(await site.makeUser({ role: 10, username: "the-admin" }));
});
afterAll(() => site.close());

async function make(over: object = {}): Promise<string[]> {
  const input = { name: "spring", quota: 500_000, count: 1, ...over };
  const answer = await admin.send<RedemptionRow[]>("POST", "/api/redemption", input);
  expect(answer.body).toMatchObject({ success: true });
  return answer.body.data.map((row) => row.key);
}

async function find(key: string): Promise<RedemptionRow> {
  const rows = (await admin.get<List>("/api/redemption?size=100")).body.data.data;
  return rows.find((row) => row.key === key)!;
}

describe("redemption codes", () => {
  it("are created up to a hundred at once, and their keys are not stored in plain text", async () => {
    const keys = await make({ name: "many", count: 100 });
    expect(new Set(keys).size).toBe(100);
    expect(keys.every((key) => /^[0-9a-f]{32}$/.test(key))).toBe(true);
    const rows = await site.services.db.redemption.findMany();
    expect(rows.some((row) => Buffer.from(row.key_encrypted).toString("latin1").includes(keys[0]!))).toBe(
      false,
    );
    const wrong: [object, string][] = [
      [{ count: 0 }, "count"],
      [{ count: 101 }, "count"],
      [{ quota: -1 }, "quota"],
      [{ quota: 1.5 }, "quota"],
      [{ name: "" }, "name"],
    ];
    for (const [over, field] of wrong) {
      const input = { name: "x", quota: 1, count: 1, ...over };
      const answer = await admin.send("POST", "/api/redemption", input);
      expect(answer, JSON.stringify(over)).toMatchObject({ status: 400 });
      expect(Object.keys(answer.body.fields ?? {})).toEqual([field]);
    }
    expect((await admin.get<List>("/api/redemption?keyword=many&status=1")).body.data.total_count).toBe(100);
    expect((await admin.get<List>("/api/redemption?keyword=many&status=3")).body.data.total_count).toBe(0);
  });

  it("require the permission to give balances, and are shown in part without it", async () => {
    const [key = ""] = await make({ name: "masked" });
    const cashier = await site.as(await site.makeUser({ role: 10, permissions: { redemptions: "edit" } }));
    const input = { name: "own", quota: 1, count: 1 };
    expect((await cashier.send("POST", "/api/redemption", input)).status).toBe(403);
    const { id } = await find(key);
    expect((await cashier.send("PUT", `/api/redemption/${id}`, { name: "more", quota: 2 })).status).toBe(403);
    expect((await cashier.send("PUT", "/api/redemption", { id, name: "more", quota: 2 })).status).toBe(403);
    for (const method of ["POST", "PUT"] as const) {
      const older = await cashier.send(method, "/api/redemption/", { id, ...input }, { "api-version": "1" });
      expect(older.body, method).toMatchObject({ success: false, code: "forbidden" });
    }
    const seen = await cashier.get<RedemptionRow>(`/api/redemption/${id}`);
    expect(seen.body.data.key).toBe(`${key.slice(0, 4)}…`);
    expect(JSON.stringify((await cashier.get("/api/redemption?size=100")).body)).not.toContain(key);
    expect((await cashier.send("PATCH", `/api/redemption/${id}`, { status: 2 })).status).toBe(200);
  });

  it("are limited to what the sums can hold, and responses with them are not cached", async () => {
    const input = { name: "huge", quota: 9_007_199_254_740_991, count: 1 };
    const answer = await admin.send("POST", "/api/redemption", input);
    expect(answer).toMatchObject({ status: 400, body: { fields: { quota: expect.any(String) as string } } });
    await make({ name: "large", quota: 1_000_000_000_000, count: 2 });
    // A code from before there was a limit.
    await site.services.db.redemption.updateMany({
      where: { name: "large" },
      data: { quota: BigInt(Number.MAX_SAFE_INTEGER) },
    });
    const root = await site.as(await site.makeUser({ role: 100 }));
    expect((await root.get("/api/analytics/statistics")).status).toBe(200);
    await site.services.db.redemption.deleteMany({ where: { name: "large" } });
    for (const url of [
      "/api/redemption",
      "/api/token",
      "/api/token/playground",
      "/api/user/self",
      "/api/nothing",
    ]) {
      const { response } = await admin.get(url);
      expect(response.headers["cache-control"], url).toBe("no-store");
    }
  });

  it("are rejected with a name that cannot be stored", async () => {
    for (const name of ["\ud800", "a\udfff", "a\u0000b"]) {
      const answer = await admin.send("POST", "/api/redemption", { name, quota: 1, count: 1 });
      expect(answer.status, JSON.stringify(name)).toBe(400);
    }
  });

  it("credit their redeemer, who is recorded, and set the expiry of the balance", async () => {
    const person = await site.makeUser();
    const me = await site.as(person);
    const [key] = await make();
    expect((await me.send("POST", "/api/user/topup", { key: ` ${key} ` })).body.data).toBe(500_000);
    const after = await site.services.db.user.findUniqueOrThrow({ where: { id: person.id } });
    expect(after.quota).toBe(500_000n);
    const days = (after.quota_expires_at!.getTime() - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(179.9);
    expect(days).toBeLessThan(180.1);
    expect(await find(key!)).toMatchObject({
      status: 3,
      redeemed_by: person.id,
      redeemer: person.username,
    });
    const log = await site.database.pool.query("SELECT type, quota FROM request_logs WHERE user_id = $1", [
      person.id,
    ]);
    expect(log.rows).toMatchObject([{ type: 1, quota: 500_000n }]);
  });

  it("report why they are rejected", async () => {
    const me = await site.as(await site.makeUser());
    const [used, disabled, expired] = [
      (await make())[0]!,
      (await make())[0]!,
      (await make({ expires_at: 1_000 }))[0]!,
    ];
    await me.send("POST", "/api/user/topup", { key: used });
    await admin.send("PATCH", `/api/redemption/${(await find(disabled)).id}`, { status: 2 });
    const cases: [unknown, number, string][] = [
      ["", 400, "Enter a redemption code"],
      ["nonsense", 404, "This redemption code is not valid. Check it and try again"],
      [used, 409, "This redemption code was already used"],
      [disabled, 409, "This redemption code was already used"],
      [expired, 409, "This redemption code has expired"],
    ];
    for (const [key, status, message] of cases) {
      expect(await me.send("POST", "/api/user/topup", { key })).toMatchObject({ status, body: { message } });
    }
  });

  it("can be changed, disabled and removed until they are redeemed", async () => {
    const me = await site.as(await site.makeUser());
    const [key] = await make();
    const { id } = await find(key!);
    const change = { name: "summer", quota: 7, expires_at: null };
    expect((await admin.send("PUT", "/api/redemption", { id, ...change })).body.data).toMatchObject(change);
    await me.send("POST", "/api/user/topup", { key });
    for (const [method, body] of [
      ["PUT", { ...change, quota: 9 }],
      ["PATCH", { status: 1 }],
    ] as const) {
      expect((await admin.send(method, `/api/redemption/${id}`, body)).status).toBe(409);
    }
    expect((await admin.send("DELETE", `/api/redemption/${id}`)).status).toBe(200);
    expect((await admin.get(`/api/redemption/${id}`)).status).toBe(404);
    expect((await me.get("/api/redemption")).status).toBe(403);
  });

  it("leave no key in the audit rows", async () => {
    const [key] = await make();
    await admin.send("DELETE", `/api/redemption/${(await find(key!)).id}`);
    const notes = await site.services.db.auditEntry.findMany({ where: { target_type: "redemption" } });
    expect(JSON.stringify(notes.map((note) => [note.before, note.after]))).not.toContain(key);
  });
});

describe("one code and many redeemers", () => {
  it("goes to exactly one of fifty parallel requests", async () => {
    const { db, secrets } = site.services;
    const [key] = await make({ quota: 1_000 });
    const people = await Promise.all(Array.from({ length: 50 }, () => site.makeUser()));
    const outcomes = await Promise.allSettled(
      people.map(({ id }) =>
        redeem(db, secrets, { userId: id, key: key!, ip: "", validityDays: 180, pointsPerUsd: 500_000 }),
      ),
    );
    expect(outcomes.filter((outcome) => outcome.status === "fulfilled")).toHaveLength(1);
    const credited = await db.user.findMany({
      where: { id: { in: people.map(({ id }) => id) }, quota: { gt: 0 } },
    });
    expect(credited.map((user) => user.quota)).toEqual([1_000n]);
    expect((await find(key!)).redeemed_by).toBe(credited[0]!.id);
  });

  it("never credits more than the codes are worth, in any order of redemptions", async () => {
    const { db, secrets } = site.services;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 4 }),
        fc.array(fc.tuple(fc.nat(3), fc.nat(2)), { maxLength: 16 }),
        async (worths, attempts) => {
          const codes = await Promise.all(
            worths.map(async (quota) => ({ quota, key: (await make({ quota }))[0]! })),
          );
          const people = await Promise.all([site.makeUser(), site.makeUser(), site.makeUser()]);
          await Promise.allSettled(
            attempts.map(([code, person]) =>
              redeem(db, secrets, {
                userId: people[person]!.id,
                key: codes[code % codes.length]!.key,
                ip: "",
                validityDays: 0,
                pointsPerUsd: 500_000,
              }),
            ),
          );
          const tried = new Set(attempts.map(([code]) => code % codes.length));
          const expected = [...tried].reduce((sum, code) => sum + codes[code]!.quota, 0);
          const rows = await db.user.findMany({ where: { id: { in: people.map(({ id }) => id) } } });
          expect(rows.reduce((sum, row) => sum + Number(row.quota), 0)).toBe(expected);
        },
      ),
      { numRuns: runs(5) },
    );
    expect((await audit(site.database.pool)).drift).toBe(0n);
  });
});
