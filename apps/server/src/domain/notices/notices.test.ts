import type { NoticeRow } from "@gateway/shared/site/notice";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { systemActor } from "#domain/audit-log/audit.ts";
import { type Browser, buildConsole, type TestConsole } from "#test/console.ts";
import { type MailServer, startMailServer } from "#test/mail-server.ts";
import { type NoticeReceiver, startNoticeReceiver } from "#test/notice-receiver.ts";
import { collectChannelEvents, remindOfBalances } from "./collect.ts";
import { deliverNotices, planNotices, type Telling } from "./deliver.ts";
import { raiseNotice } from "./notices.ts";

let site: TestConsole;
let post: MailServer;
let receiver: NoticeReceiver;
let root: Browser;
let telling: Telling;

beforeAll(async () => {
  site = await buildConsole();
  post = await startMailServer();
  receiver = await startNoticeReceiver();
  root = await site.as(await site.makeUser({ role: 100, email: "root@mail.example" }));
  const { db, mailer, settings } = site.services;
  telling = { db, mailer, post: site.services.post, settings: () => settings.current() };
  await settings.change(systemActor, {
    ...post.settings,
    NotifyWebhookAddress: `${receiver.url}/in`,
    NotifyWebhookEnabled: true,
    NotifyEmailEnabled: true,
    NotifyEmailEvents: "prices-failed",
    Language: "en_US",
    QuotaRemindThreshold: 1_000,
  });
});
beforeEach(() => {
  receiver.posts.length = 0;
  receiver.answer = { status: 200, body: {} };
});
afterEach(() => site.services.db.notice.deleteMany());
afterAll(async () => {
  await site.close();
  await post.close();
  await receiver.close();
});

const raise = (topic: string, reason = "") =>
  raiseNotice(site.services.db, { event: "job-failed", topic, facts: { job: topic, reason } });
const titles = () => receiver.posts.map(({ body }) => (JSON.parse(body) as { title: string }).title);
async function tell() {
  await planNotices(telling);
  await deliverNotices(telling);
}

describe("a notice", () => {
  it("is sent to the channels subscribed to its event, and is listed with the others", async () => {
    await raise("sweep", "no space left");
    await raiseNotice(site.services.db, { event: "prices-failed", topic: "prices", facts: {} });
    await tell();
    expect(titles()).toEqual(["The job “sweep” failed", "The price list could not be updated"]);
    expect((await post.take("root@mail.example")).subject).toContain("The price list");
    const rows = (await root.get<NoticeRow[]>("/api/option/notice")).body.data;
    expect(rows).toMatchObject([
      { event: "prices-failed", deliveries: [{ channel: "email" }, { channel: "webhook" }] },
      { event: "job-failed", text: "no space left", deliveries: [{ channel: "webhook", status: "sent" }] },
    ]);
  });

  it("is sent once within the quiet time, whichever node raised it, and repeats are counted", async () => {
    await Promise.all([1, 2, 3, 4].map(() => raise("backup")));
    await raise("another");
    await Promise.all([planNotices(telling), planNotices(telling)]);
    await raise("backup");
    await Promise.all([tell(), tell()]);
    expect(titles().sort()).toEqual(["The job “another” failed", "The job “backup” failed"]);
    expect(await site.services.db.notice.findMany({ where: { topic: "backup" } })).toMatchObject([
      { repeats: 4 },
    ]);
    await site.services.db.notice.updateMany({
      where: { topic: "backup" },
      data: { created_time: new Date(Date.now() - 31 * 60_000) },
    });
    await raise("backup");
    await tell();
    expect(titles()).toHaveLength(3);
  });

  it("is retried later when a channel fails, and given up after some attempts", async () => {
    receiver.answer = { status: 503, body: {} };
    await raise("tried");
    await tell();
    await tell();
    expect(receiver.posts).toHaveLength(1);
    const due = () =>
      site.services.db.noticeDelivery.updateMany({ data: { next_try: new Date(Date.now() - 60_000) } });
    for (let round = 0; round < 6; round += 1) {
      await due();
      await deliverNotices(telling);
    }
    expect(receiver.posts).toHaveLength(5);
    const row = await site.services.db.noticeDelivery.findFirstOrThrow({ where: { channel: "webhook" } });
    expect(row).toMatchObject({ status: "failed", attempts: 5 });
    expect(row.error).toContain("HTTP 503");
  });

  it.each(["zh_CN", "zh_HK", "ja_JP"])("is English, like its reason, on a site in %s", async (Language) => {
    await site.services.settings.change(systemActor, { Language });
    await raiseNotice(site.services.db, {
      event: "prices-failed",
      topic: `prices ${Language}`,
      facts: { reason: "The address answered with status 404." },
    });
    await tell();
    expect(titles()).toEqual(["The price list could not be updated"]);
    const mail = await post.take("root@mail.example");
    expect(mail.subject).toContain("The price list could not be updated");
    const rows = (await root.get<NoticeRow[]>("/api/option/notice")).body.data;
    expect(JSON.stringify(rows)).not.toMatch(/[\u3040-\u9fff]/);
    await site.services.settings.change(systemActor, { Language: "en_US" });
  });

  it("is rolled back with the transaction that raised it", async () => {
    const { db } = site.services;
    const failing = db.$transaction(async (tx) => {
      await raiseNotice(tx, { event: "job-failed", topic: "undone", facts: { job: "undone" } });
      throw new Error("undone");
    });
    await expect(failing).rejects.toThrow("undone");
    await tell();
    expect(titles()).toEqual([]);
  });

  it("reports channels that were disabled and enabled automatically, once, without earlier events", async () => {
    const { db } = site.services;
    const { id } = await db.channel.create({ data: { type: 1, name: "West" } });
    const happened = (kind: string, ago = 10_000) =>
      db.channelEvent.create({
        data: { channel_id: id, kind, reason: "Because.", created_time: new Date(Date.now() - ago) },
      });
    await happened("auto-disabled");
    await collectChannelEvents(db);
    await happened("auto-disabled");
    await happened("disabled");
    await happened("auto-enabled");
    await Promise.all([collectChannelEvents(db), collectChannelEvents(db)]);
    await collectChannelEvents(db);
    await tell();
    expect(titles()).toEqual(["Channel “West” was disabled", "Channel “West” is enabled again"]);
  });
});

describe("a low balance", () => {
  it("is mailed once per fall, in the user's language, to users who have calls", async () => {
    const { db, mailer, settings } = site.services;
    const make = async (name: string, quota: bigint, called = true) => {
      const user = await site.makeUser({ email: `${name}@mail.example`, quota, language: "ja_JP" });
      if (called)
        await db.usageHour.create({
          data: {
            hour: new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000),
            user_id: user.id,
            token_id: 0,
            channel_id: 0,
            model: "m",
            group: "default",
          },
        });
      return user;
    };
    const low = await make("low", 999n);
    await make("enough", 1_000n);
    await make("idle", 5n, false);
    const run = () => remindOfBalances(db, settings.current(), mailer);
    await run();
    await run();
    const about = () => post.mails.filter(({ to }) => /^(low|enough|idle)@/.test(to));
    expect(about().map(({ to }) => to)).toEqual(["low@mail.example"]);
    expect(about()[0]!.subject).toContain("残高");
    expect(about()[0]!.text).toContain("$0.00");
    await db.user.update({ where: { id: low.id }, data: { quota: 5_000n } });
    await run();
    await db.user.update({ where: { id: low.id }, data: { quota: 10n } });
    await run();
    expect(about()).toHaveLength(2);
  });

  it("is mailed later if the mail server was unavailable", async () => {
    const { db, mailer, settings } = site.services;
    await db.balanceReminder.deleteMany();
    const before = post.mails.length;
    post.full = true;
    await expect(remindOfBalances(db, settings.current(), mailer)).rejects.toMatchObject({
      code: "upstream_failed",
    });
    post.full = false;
    await remindOfBalances(db, settings.current(), mailer);
    expect(post.mails.length).toBe(before + 1);
  });
});

describe("the test buttons", () => {
  it("send through one channel and return the error, for root only", async () => {
    const test = (channel: string) => root.send("POST", "/api/option/notice/test", { channel });
    expect((await test("webhook")).status).toBe(200);
    expect(titles()).toEqual(["Notices arrive here"]);
    receiver.answer = { status: 404, body: {} };
    expect((await test("webhook")).body.message).toContain("HTTP 404");
    await site.services.settings.set(systemActor, "NotifyWebhookAddress", "http://127.0.0.1:1/closed");
    expect(await test("webhook")).toMatchObject({
      status: 502,
      body: { message: "The address cannot be reached." },
    });
    const mail = await root.send<{ to: string }>("POST", "/api/option/mail/test");
    expect(mail.body.data).toEqual({ to: "root@mail.example" });
    expect((await post.take("root@mail.example")).subject).toContain("The email settings work");
    await site.services.settings.set(systemActor, "SMTPToken", "wrong");
    expect((await root.send("POST", "/api/option/mail/test")).body.message).toContain(
      "The mail server rejects the account or its password.",
    );
  });

  it("mail test: rejects administrators, who may not change the mail settings either", async () => {
    const admin = await site.as(await site.makeUser({ role: 10 }));
    const change = await admin.send("PUT", "/api/option", { key: "SMTPToken", value: "x" });
    const tried = await admin.send("POST", "/api/option/mail/test");
    expect([change.status, tried.status]).toEqual([403, 403]);
    expect((await admin.send("POST", "/api/option/notice/test", { channel: "webhook" })).status).not.toBe(
      403,
    );
  });
});
