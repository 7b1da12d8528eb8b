import { reasonOf } from "@gateway/shared/reasons";
import type { InboxPage, InboxState } from "@gateway/shared/site/inbox";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { hashPassword as hashed } from "#domain/accounts/sign-in/passwords.ts";
import { systemActor } from "#domain/audit-log/audit.ts";
import { addToInbox } from "#domain/inbox/entries.ts";
import { forgetOldEntries } from "#domain/inbox/inbox.ts";
import { collectAccountChanges, collectRefusedCalls } from "#domain/notices/collect-own.ts";
import { collectChannelEvents, remindOfBalances } from "#domain/notices/collect.ts";
import { raiseNotice } from "#domain/notices/notices.ts";
import { type Browser, buildConsole, type TestConsole } from "#test/console.ts";

/** Tests who sees which notifications, and who has read them, on a real database. */
let site: TestConsole;
let root: Browser;

beforeAll(async () => {
  site = await buildConsole();
  root = await site.as(await site.makeUser({ role: 100 }));
});
beforeEach(async () => {
  await site.database.db.inboxEntry.deleteMany();
  await site.database.db.inboxMark.deleteMany();
});
afterAll(() => site.close());

const list = async (browser: Browser, query = "") =>
  (await browser.get<InboxPage>(`/api/inbox?${query}`)).body.data;
const events = async (browser: Browser, query = "") =>
  (await list(browser, query)).data.map(({ event }) => event);
const state = async (browser: Browser) => (await browser.get<InboxState>("/api/inbox/unread")).body.data;
const raise = (job: string) =>
  raiseNotice(site.database.db, { event: "job-failed", topic: `job:${job}`, facts: { job } });
const disabled = (id: number) =>
  raiseNotice(site.database.db, {
    event: "channel-disabled",
    topic: `channel:${id}`,
    facts: { name: "West", id: String(id) },
    reason: reasonOf("accountEmpty", { balance: "USD 0.00" }),
  });
const person = async (values: Parameters<TestConsole["makeUser"]>[0] = {}) => {
  const user = await site.makeUser(values);
  return { id: user.id, browser: await site.as(user) };
};

describe("an inbox", () => {
  it("has the site's events that the user's permissions allow, and the user's own ones", async () => {
    const channels = await person({ role: 10, permissions: { channels: "view" } });
    const payments = await person({ role: 10, permissions: { payments: "edit", logs: "view" } });
    const customer = await person();
    const other = await person();
    await disabled(7);
    await raise("sweep");
    await addToInbox(site.database.db, customer.id, {
      event: "new-sign-in",
      topic: "ip:1",
      facts: { ip: "10.0.0.1" },
    });
    expect(await events(root)).toEqual(["job-failed", "channel-disabled"]);
    expect(await events(channels.browser)).toEqual(["channel-disabled"]);
    expect(await events(payments.browser)).toEqual([]);
    expect(await events(customer.browser)).toEqual(["new-sign-in"]);
    expect(await list(other.browser)).toMatchObject({ data: [], total_count: 0, kinds: [] });
    expect((await site.guest.get("/api/inbox")).status).toBe(401);
    expect((await site.guest.get("/api/inbox/unread")).status).toBe(401);
  });

  it("contains data, from which the console builds texts", async () => {
    await disabled(7);
    const [row] = (await list(root)).data;
    expect(row).toMatchObject({
      event: "channel-disabled",
      kind: "channels",
      facts: { name: "West", id: "7" },
      reason: "The provider account has no balance (USD 0.00).",
      reason_facts: [{ code: "accountEmpty", params: { balance: "USD 0.00" } }],
      count: 1,
      read: false,
    });
  });

  it("counts repeated events of a day in one entry, also in parallel", async () => {
    await Promise.all(Array.from({ length: 12 }, () => raise("sweep")));
    await raise("another");
    expect((await list(root)).data).toMatchObject([
      { facts: { job: "another" }, count: 1 },
      { facts: { job: "sweep" }, count: 12 },
    ]);
    await site.database.db.inboxEntry.updateMany({ data: { day: new Date("2020-01-01") } });
    await raise("sweep");
    expect((await list(root)).total_count).toBe(3);
  });

  it("is filtered by kind and by unread, in pages", async () => {
    for (let job = 0; job < 5; job += 1) await raise(`job ${job}`);
    await disabled(1);
    expect(await list(root, "kind=channels")).toMatchObject({
      total_count: 1,
      kinds: ["channels", "system"],
    });
    expect(await list(root, "kind=system&size=2&page=3")).toMatchObject({
      data: [{ facts: { job: "job 0" } }],
      total_count: 5,
    });
    const [newest] = (await list(root)).data;
    await root.send("POST", `/api/inbox/${newest?.id}/read`);
    expect(await list(root, "unread=1")).toMatchObject({ total_count: 5 });
    expect((await root.get("/api/inbox?size=101")).status).toBe(400);
  });

  it("accepts any text in its data", async () => {
    await raise(`\0${"x".repeat(900)}\ud800`);
    const [row] = (await list(root)).data;
    expect(row?.facts["job"]?.length).toBeLessThanOrEqual(500);
  });
});

describe("the read state", () => {
  it("is per user, and a repeated event is unread again", async () => {
    const admin = await person({ role: 10 });
    await raise("sweep");
    await disabled(7);
    const [first, second] = (await list(root)).data;
    const answer = await root.send<InboxState>("POST", `/api/inbox/${first?.id}/read`);
    expect(answer.body.data.unread).toBe(1);
    expect((await list(root)).data.map(({ read }) => read)).toEqual([true, false]);
    expect((await state(admin.browser)).unread).toBe(2);
    await disabled(7);
    expect((await list(root)).data).toMatchObject([
      { id: first?.id, count: 2, read: false },
      { id: second?.id, read: false },
    ]);
  });

  it("can cover all events until the latest one seen; later ones stay unread", async () => {
    await raise("sweep");
    const { newest } = await state(root);
    await new Promise((resolve) => setTimeout(resolve, 5));
    await raise("later");
    expect((await root.send<InboxState>("POST", "/api/inbox/read", { until: newest })).body.data.unread).toBe(
      1,
    );
    expect(await list(root, "unread=1")).toMatchObject({ data: [{ facts: { job: "later" } }] });
    // An older window does not mark events as unread that a newer one has read.
    await root.send("POST", "/api/inbox/read", { until: (await state(root)).newest });
    await root.send("POST", "/api/inbox/read", { until: newest });
    expect((await state(root)).unread).toBe(0);
    // The future cannot be marked as read.
    await root.send("POST", "/api/inbox/read", { until: Date.now() + 3_600_000 });
    await raise("tomorrow");
    expect((await state(root)).unread).toBe(1);
  });

  it("excludes events from before the account existed, and counts up to 100", async () => {
    await raise("old");
    // Both times are in milliseconds, and one is rounded: the account may be created in the same one.
    const last_time = new Date(Date.now() - 1_000);
    await site.database.db.inboxEntry.updateMany({ where: { topic: "job:old" }, data: { last_time } });
    const admin = await person({ role: 10 });
    expect(await state(admin.browser)).toMatchObject({ unread: 0 });
    for (let job = 0; job < 101; job += 1) await raise(`job ${job}`);
    expect((await state(admin.browser)).unread).toBe(100);
  });

  it("cannot be set for another user's entry, a hidden one, or a missing one", async () => {
    const customer = await person();
    const other = await person();
    await addToInbox(site.database.db, customer.id, { event: "new-sign-in", topic: "ip:1", facts: {} });
    await raise("sweep");
    const [own] = (await list(customer.browser)).data;
    const [ofSite] = (await list(root)).data;
    const mark = async (browser: Browser, id: unknown) =>
      (await browser.send("POST", `/api/inbox/${String(id)}/read`)).status;
    expect(await mark(other.browser, own?.id)).toBe(404);
    expect(await mark(root, own?.id)).toBe(404);
    expect(await mark(customer.browser, ofSite?.id)).toBe(404);
    expect(await mark(customer.browser, 999_999_999_999)).toBe(404);
    expect(await mark(customer.browser, "x")).toBe(400);
    expect((await customer.browser.send("POST", "/api/inbox/read", { until: -1 })).status).toBe(400);
    expect(await mark(customer.browser, own?.id)).toBe(200);
  });
});

describe("entries", () => {
  it("are kept for 90 days, and the newest 500 of a person", async () => {
    const { db } = site.database;
    const customer = await person();
    await addToInbox(db, customer.id, { event: "new-sign-in", topic: "old", facts: {} });
    await db.inboxEntry.updateMany({ data: { last_time: new Date(Date.now() - 91 * 86_400_000) } });
    await db.inboxEntry.createMany({
      data: Array.from({ length: 510 }, (_, index) => ({
        user_id: customer.id,
        event: "new-sign-in",
        topic: `ip:${index}`,
        day: new Date("2026-01-01"),
        last_time: new Date(Date.now() - index * 1_000),
      })),
    });
    await raise("sweep");
    await forgetOldEntries(db);
    expect((await list(customer.browser)).total_count).toBe(500);
    expect(await db.inboxEntry.findFirst({ where: { topic: { in: ["old", "ip:505"] } } })).toBeNull();
    expect(await events(root)).toEqual(["job-failed"]);
  });

  it("of channels name keys and models that were disabled or paused", async () => {
    const { db } = site.database;
    const { id } = await db.channel.create({ data: { type: 1, name: "West" } });
    await collectChannelEvents(db);
    const created_time = new Date(Date.now() - 10_000);
    const { text, facts } = reasonOf("circuitByTest", { kind: "timeout" });
    const event = { channel_id: id, created_time, reason: text, reason_facts: facts };
    await db.channelEvent.create({ data: { ...event, kind: "circuit-opened", detail: { model: "gpt-9" } } });
    await db.channelEvent.create({ data: { ...event, kind: "key-auto-disabled", detail: { key: "sk…9" } } });
    await collectChannelEvents(db);
    expect((await list(root)).data).toMatchObject([
      { event: "key-disabled", facts: { name: "West", id: String(id), key: "sk…9" } },
      { event: "channel-paused", facts: { model: "gpt-9" }, reason_facts: facts },
    ]);
  });

  it("of a customer count rejected calls by reason", async () => {
    const { db, pool } = site.database;
    const customer = await person();
    await collectRefusedCalls(db);
    const refuse = (code: string, token: number) =>
      pool.query(
        `INSERT INTO request_logs (created_at, request_id, type, user_id, username, token_id, token_name, error_code, content)
         VALUES (now(), gen_random_uuid(), 5, $1, 'x', $2::int, 'key ' || $2::int, $3, '')`,
        [customer.id, token, code],
      );
    for (let call = 0; call < 37; call += 1) await refuse("insufficient_quota", call % 2);
    await refuse("token_quota_exhausted", 4);
    await refuse("model_not_found", 4);
    await Promise.all([collectRefusedCalls(db), collectRefusedCalls(db)]);
    await refuse("insufficient_quota", 1);
    await collectRefusedCalls(db);
    const { data } = await list(customer.browser);
    expect(data.map(({ facts, count }) => ({ ...facts, count }))).toEqual([
      { code: "insufficient_quota", count: 38 },
      { code: "token_quota_exhausted", token: "key 4", token_id: "4", count: 1 },
    ]);
    expect(await events(root)).toEqual([]);
  });

  it("of a customer name changes of the account, and who made them", async () => {
    const { db } = site.database;
    const customer = await person();
    await collectAccountChanges(db);
    const changed = (action: string, by: { id: number; username: string }) =>
      db.auditEntry.create({
        data: {
          user_id: by.id,
          username: by.username,
          action,
          target_type: "user",
          target_id: String(customer.id),
          ip: "10.0.0.9",
          created_time: new Date(Date.now() - 10_000),
        },
      });
    await changed("user.totp_enable", { id: customer.id, username: "me" });
    await changed("user.password", { id: 1, username: "boss" });
    await changed("user.change", { id: 1, username: "boss" });
    await collectAccountChanges(db);
    expect((await list(customer.browser)).data).toMatchObject([
      { event: "password-changed", facts: { by: "boss" } },
      { event: "second-factor-on", facts: { ip: "10.0.0.9" } },
    ]);
  });

  it("name a sign-in from a new address of the account", async () => {
    const password = "a long password";
    const user = await site.makeUser({ password_hash: await hashed(password) });
    const signIn = (ip: string) =>
      site.guest.send(
        "POST",
        "/api/user/login",
        { username: user.username, password },
        { "x-forwarded-for": ip },
      );
    for (const ip of ["10.9.0.1", "10.9.0.1", "10.9.0.2", "10.9.0.1"])
      expect((await signIn(ip)).status).toBe(200);
    const { data } = await list(await site.as(user));
    expect(data.map(({ event, facts }) => [event, facts["ip"]])).toEqual([["new-sign-in", "10.9.0.2"]]);
  });

  it("name a low balance once per fall, also without a mail server", async () => {
    const { db, settings, mailer } = site.services;
    await settings.change(systemActor, { QuotaRemindThreshold: 1_000 });
    const customer = await person({ quota: 999n });
    const hour = new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000);
    await db.usageHour.create({
      data: { hour, user_id: customer.id, token_id: 0, channel_id: 0, model: "m", group: "default" },
    });
    await remindOfBalances(db, settings.current(), mailer);
    await remindOfBalances(db, settings.current(), mailer);
    expect((await list(customer.browser)).data).toMatchObject([
      { event: "balance-low", facts: { balance: "999", threshold: "1000" }, count: 1 },
    ]);
  });
});
