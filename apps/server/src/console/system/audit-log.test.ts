import type { AuditPage } from "@gateway/shared/usage/audit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writeAudit } from "#domain/audit-log/audit.ts";
import { type Browser, buildConsole, type TestConsole } from "#test/console.ts";

let site: TestConsole;
let admin: Browser;

beforeAll(async () => {
  site = await buildConsole();
  admin = await site.as(await site.makeUser({ role: 10 }));
  const anna = { id: 1, username: "anna", ip: "10.0.0.1" };
  for (let number = 1; number <= 5; number += 1) {
    await writeAudit(site.services.db, {
      actor: anna,
      action: number % 2 === 0 ? "channel.change" : "channel.create",
      targetType: "channel",
      targetId: number,
      before: { weight: number, key: "sk-secret" },
      after: { weight: number + 1, key: "sk-secret" },
    });
  }
  await writeAudit(site.services.db, {
    actor: { id: 2, username: "Bert", ip: "10.0.0.2" },
    action: "user.quota",
    targetType: "user",
    targetId: "a_b%c",
  });
});
afterAll(() => site.close());

const ask = async (query: string) => (await admin.get<AuditPage>(`/api/audit?${query}`)).body.data;

describe("the audit log", () => {
  it("is for administrators", async () => {
    const user = await site.as(await site.makeUser());
    expect((await user.get("/api/audit")).status).toBe(403);
    expect((await site.guest.get("/api/audit")).status).toBe(401);
  });

  it("names targets by their current name, and deleted ones by the recorded name", async () => {
    const user = await site.makeUser();
    const note = { actor: { id: 1, username: "namer", ip: "" }, action: "user.change", targetType: "user" };
    await writeAudit(site.services.db, { ...note, targetId: user.id });
    await writeAudit(site.services.db, { ...note, targetId: 99_999, before: { username: "gone" } });
    await writeAudit(site.services.db, { ...note, targetId: "99999999999" });
    await writeAudit(site.services.db, {
      ...note,
      targetType: "setting",
      targetId: "SystemName",
      after: { name: "x" },
    });
    const { data } = await ask("username=namer");
    expect(data.map((row) => row.target_name)).toEqual(["", "", "gone", user.username]);
  });

  it("is paged, newest first, also while new rows are added", async () => {
    const first = await ask("size=3&action=channel");
    expect(first.data.map((row) => row.target_id)).toEqual(["5", "4", "3"]);
    await writeAudit(site.services.db, {
      actor: { id: 1, username: "anna", ip: "" },
      action: "channel.delete",
      targetType: "channel",
      targetId: 9,
    });
    const second = await ask(`size=3&action=channel&cursor=${first.next}`);
    expect(second.data.map((row) => row.target_id)).toEqual(["2", "1"]);
    expect(second.next).toBeNull();
  });

  it("is filtered by user, action, target and time", async () => {
    expect((await ask("username=bert")).data).toMatchObject([{ username: "Bert", ip: "10.0.0.2" }]);
    expect((await ask("action=channel.change")).data).toHaveLength(2);
    expect((await ask("target_type=channel&target_id=4")).data).toMatchObject([{ action: "channel.change" }]);
    expect((await ask("target_id=a_b%25c")).data).toHaveLength(1);
    expect((await ask("end_timestamp=1000")).data).toEqual([]);
    expect((await ask(`start_timestamp=${Math.floor(Date.now() / 1000) - 600}`)).data.length).toBeGreaterThan(
      5,
    );
  });

  it.each(["created_time", "-created_time", "action", "-action", "target_id", "-username", "ip"])(
    "is sorted by %s, page by page, without losing or repeating a row",
    async (order) => {
      const field = order.replace("-", "") as "action";
      const whole = (await ask(`size=100&order=${order}`)).data;
      const values = whole.map((row) => row[field]);
      const sorted = values.toSorted();
      expect(values).toEqual(order.startsWith("-") ? sorted.toReversed() : sorted);
      const paged: string[] = [];
      for (let cursor: string | null = ""; cursor !== null;) {
        const page: AuditPage = await ask(`size=2&order=${order}&cursor=${cursor}`);
        paged.push(...page.data.map((row) => row.id));
        cursor = page.next;
      }
      expect(paged).toEqual(whole.map((row) => row.id));
    },
  );

  it("cannot be sorted by a field that is not in the list", async () => {
    const refused = await admin.get("/api/audit?order=before");
    expect([refused.status, refused.body.success]).toEqual([400, false]);
  });

  it("shows before and after without secrets", async () => {
    const [row] = (await ask("target_type=channel&target_id=1")).data;
    expect(row).toMatchObject({ before: { weight: 1, key: "***" }, after: { weight: 2 } });
  });

  it("rejects an invalid cursor", async () => {
    expect((await admin.get("/api/audit?cursor=abc")).status).toBe(400);
  });
});
