import type { Self } from "@gateway/shared/accounts/session";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { systemActor } from "#domain/audit-log/audit.ts";
import { origin, buildConsole, type TestConsole } from "#test/console.ts";

let site: TestConsole;
const changed = new Set<string>();

beforeAll(async () => {
  site = await buildConsole();
});
afterEach(async () => {
  for (const key of changed) await site.services.settings.set(systemActor, key, null);
  changed.clear();
});
afterAll(() => site.close());

async function set(key: string, value: unknown): Promise<void> {
  changed.add(key);
  await site.services.settings.set(systemActor, key, value);
}

let names = 0;
let addresses = 0;
/** Uses a new address for each request, so that only the test of the limit reaches it. */
const signUp = (body: object = {}, from = `10.30.${(addresses += 1)}.1`) =>
  site.guest.send<Self>(
    "POST",
    "/api/user/register",
    { username: `newcomer-${(names += 1)}`, password: "long enough", ...body },
    { "x-forwarded-for": from },
  );

describe("sign-up", () => {
  it("creates an ordinary account, signs it in and records it", async () => {
    const answer = await signUp();
    expect(answer.body).toMatchObject({
      success: true,
      data: { role: 1, status: 1, quota: 0, group: "default", has_password: true },
    });
    const cookie = String(answer.response.headers["set-cookie"]).split(";")[0] ?? "";
    const self = await site.app.inject({ url: "/api/user/self", headers: { cookie } });
    expect(self.json()).toMatchObject({ data: { id: answer.body.data.id } });
    const note = { action: "user.register", user_id: answer.body.data.id };
    expect(await site.services.db.auditEntry.count({ where: note })).toBe(1);
  });

  it("refuses fields that are not in the form", async () => {
    const { status, body } = await signUp({ role: 100, quota: 10 ** 9, group: "svip", status: 1, id: 1 });
    expect([status, Object.keys(body.fields ?? {})]).toEqual([
      400,
      ["role", "quota", "group", "status", "id"],
    ]);
  });

  it("gives a name to one account, whatever its case or spelling, even in parallel", async () => {
    const spellings = ["Straße-One", "straße-one", "STRAßE-ONE", "Straße-one"];
    for (let round = 0; round < 3; round += 1) {
      const answers = await Promise.all(spellings.map((name) => signUp({ username: `${name}${round}` })));
      expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409]);
    }
    await signUp({ username: "cope" });
    // Only Cyrillic letters, each of which looks like a Latin one.
    expect(await signUp({ username: "соре" })).toMatchObject({
      status: 409,
      body: { fields: { username: "This username is taken." } },
    });
    const admin = await site.as(await site.makeUser({ role: 10 }));
    const [one, other] = [await site.makeUser({ username: "renamed-1" }), await site.makeUser()];
    const both = await Promise.all([
      admin.send("PUT", "/api/user", { id: one.id, username: "Same-Name" }),
      admin.send("PUT", "/api/user", { id: other.id, username: "same-name" }),
    ]);
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
  });

  it("rejects a name that only looks like another", async () => {
    // Full width, Cyrillic and Greek between Latin letters, a ligature, a filler.
    for (const username of ["ｒｏｏｔ", "rооt", "rοοt", "aﬁne", "a\u3164bc", "а王bc", "Ⅷabc"]) {
      const answer = await signUp({ username });
      expect(answer, username).toMatchObject({ status: 400 });
      expect(Object.keys(answer.body.fields ?? {}), username).toEqual(["username"]);
    }
    for (const username of ["иван", "王小明", "田中Taro", "محمد", "anna.lee"]) {
      expect((await signUp({ username })).status, username).toBe(200);
    }
  });

  it("names the invalid field", async () => {
    const refused = await signUp({ username: "ab", password: "1234567" });
    expect(refused).toMatchObject({
      status: 400,
      body: {
        fields: {
          username: "The username needs at least 3 characters",
          password: "The password needs at least 8 characters",
        },
      },
    });
    const first = await signUp();
    const again = await signUp({ username: first.body.data.username.toUpperCase() });
    expect(again).toMatchObject({ status: 409, body: { fields: { username: "This username is taken." } } });
  });

  it("is closed by either switch, and while addresses must be verified but no mail can be sent", async () => {
    await set("RegisterEnabled", false);
    expect(await signUp()).toMatchObject({ status: 403, body: { code: "forbidden" } });
    await set("RegisterEnabled", true);
    await set("PasswordRegisterEnabled", false);
    expect((await signUp()).status).toBe(403);
    expect((await site.guest.get("/api/status")).body.data).toMatchObject({
      register_enabled: true,
      password_register: false,
    });
    await expect(set("EmailVerificationEnabled", true)).rejects.toMatchObject({ code: "invalid_request" });
  });

  it("is limited to twenty attempts of one address", async () => {
    const from = "198.51.100.9";
    for (let n = 0; n < 20; n++) expect((await signUp({ username: "x" }, from)).status).toBe(400);
    expect((await signUp({}, from)).status).toBe(429);
  });

  it("is rejected from a page of another site", async () => {
    const answer = await site.app.inject({
      method: "POST",
      url: "/api/user/register",
      headers: { ...origin, origin: "https://evil.example" },
      payload: { username: "foreigner", password: "long enough" },
    });
    expect(answer.statusCode).toBe(403);
  });
});

describe("the sign-up gifts", () => {
  it("go to the new user and the inviter as ledger entries, once, and are counted", async () => {
    const { db } = site.services;
    await set("QuotaForNewUser", 100);
    await set("QuotaForInvitee", 20);
    await set("QuotaForInviter", 3);
    const inviter = await site.makeUser();
    const { data } = (await signUp({ aff_code: inviter.aff_code })).body;
    expect(data.quota).toBe(120);
    const entries = await db.ledgerEntry.findMany({ where: { user_id: data.id }, orderBy: { id: "asc" } });
    expect(entries).toMatchObject([
      { kind: "gift", amount: 100n, reference: `new-user:${data.id}` },
      { kind: "invite", amount: 20n, reference: `invitee:${data.id}` },
    ]);
    expect(await db.user.findUniqueOrThrow({ where: { id: inviter.id } })).toMatchObject({
      quota: 3n,
      aff_count: 1,
      aff_quota: 3n,
      aff_history: 3n,
    });
  });

  it("reach the inviter for every parallel sign-up", async () => {
    await set("QuotaForInviter", 5);
    const inviter = await site.makeUser();
    const answers = await Promise.all([1, 2, 3, 4].map(() => signUp({ aff_code: inviter.aff_code })));
    expect(answers.map((each) => each.status)).toEqual([200, 200, 200, 200]);
    const after = await site.services.db.user.findUniqueOrThrow({ where: { id: inviter.id } });
    expect(after).toMatchObject({ quota: 20n, aff_count: 4, aff_quota: 20n });
  });

  it("are given to a few sign-ups of one network per day, and not beyond", async () => {
    await set("QuotaForNewUser", 100);
    await set("QuotaForInvitee", 20);
    await set("QuotaForInviter", 3);
    await set("GiftsPerNetworkPerDay", 2);
    const inviter = await site.makeUser();
    const quotas = async (...from: string[]) =>
      (await Promise.all(from.map((ip) => signUp({ aff_code: inviter.aff_code }, ip))))
        .map(({ body }) => body.data.quota)
        .sort((a, b) => b - a);
    expect(await quotas("198.51.100.1", "198.51.100.2", "198.51.100.3", "::ffff:198.51.100.4")).toEqual([
      120, 120, 0, 0,
    ]);
    expect(await quotas("2001:db8:1:2::1", "2001:db8:1:2::2", "2001:db8:1:2:3::4")).toEqual([120, 120, 0]);
    expect(await quotas("198.51.101.1", "2001:db8:1:3::1")).toEqual([120, 120]);
    const after = await site.services.db.user.findUniqueOrThrow({ where: { id: inviter.id } });
    expect(after).toMatchObject({ quota: 18n, aff_count: 9, aff_quota: 18n });
    await set("GiftsPerNetworkPerDay", 0);
    expect(await quotas("198.51.100.5")).toEqual([120]);
    await set("GiftsPerNetworkPerDay", 5);
  });

  it("do not require a valid code, and a disabled inviter gets none", async () => {
    await set("QuotaForInvitee", 20);
    expect((await signUp({ aff_code: "nobody" })).body.data.quota).toBe(0);
    const inviter = await site.makeUser({ status: 2 });
    expect((await signUp({ aff_code: inviter.aff_code })).body.data.quota).toBe(0);
  });
});
