import type { AuditRun } from "@gateway/shared/billing/money-audit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildConsole, type TestConsole } from "#test/console.ts";

let site: TestConsole;
beforeAll(async () => {
  site = await buildConsole();
});
afterAll(() => site.close());

describe("the audit of balances", () => {
  it("runs on request of an administrator, is stored, and names differences", async () => {
    const admin = await site.as(await site.makeUser({ role: 10 }));
    const user = await site.makeUser({ balance: 500n });
    expect((await admin.send<AuditRun[]>("POST", "/api/analytics/audit")).body.data).toMatchObject([
      { drift: 0, detail: [] },
    ]);
    await site.database.pool.query("UPDATE users SET quota = quota + 7 WHERE id = $1", [user.id]);
    await admin.send("POST", "/api/analytics/audit");
    const { body } = await admin.get<AuditRun[]>("/api/analytics/audit");
    expect(body.data.map((run) => run.drift)).toEqual([7, 0]);
    expect(body.data[0]?.detail).toEqual([
      { what: "user-quota", id: user.id, expected: "500", actual: "507" },
    ]);
  });

  it("is for administrators only", async () => {
    const user = await site.as(await site.makeUser());
    expect((await user.get("/api/analytics/audit")).status).toBe(403);
    expect((await site.guest.send("POST", "/api/analytics/audit")).status).toBe(401);
  });
});

describe("a credit by an administrator", () => {
  it("extends the expiry of a balance that has one, and adds none to a balance without", async () => {
    const admin = await site.as(await site.makeUser({ role: 100 }));
    const soon = new Date(Date.now() + 3_600_000);
    const ending = await site.makeUser({ balance: 500n, quota_expires_at: soon });
    const endless = await site.makeUser({ balance: 500n });
    const give = (id: number, quota: number) =>
      admin.send("POST", `/api/user/quota/${id}`, { quota, remark: "a gift" });
    const end = async (id: number) =>
      (await site.services.db.user.findUniqueOrThrow({ where: { id } })).quota_expires_at?.getTime();
    await give(ending.id, -10);
    expect(await end(ending.id)).toBe(soon.getTime());
    await give(ending.id, 10);
    expect(await end(ending.id)).toBeGreaterThan(Date.now() + 179 * 86_400_000);
    await give(endless.id, 10);
    expect(await end(endless.id)).toBeUndefined();
  });
});
