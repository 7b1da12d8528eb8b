import type { Budget } from "@gateway/shared/accounts/budget";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { systemActor } from "#domain/audit-log/audit.ts";
import { buildConsole, type TestConsole } from "#test/console.ts";
import { type MailServer, startMailServer } from "#test/mail-server.ts";
import { mailBudgetOwners } from "./budget-mails.ts";
import { collectBudgetNotices } from "./budget-notices.ts";

let site: TestConsole;
let post: MailServer;
beforeAll(async () => {
  site = await buildConsole();
  post = await startMailServer();
});
beforeEach(async () => {
  post.mails.length = 0;
  // Accounts of earlier tests had no calls lately.
  await site.services.db.usageHour.deleteMany();
  await site.services.db.budgetNotice.deleteMany();
  await site.services.settings.change(systemActor, { ...post.settings, Language: "en_US", TimeZone: "UTC" });
});
afterAll(async () => {
  await site.close();
  await post.close();
});

const none: Budget = {
  daily_spend: 0,
  daily_notify: 0,
  weekly_spend: 0,
  weekly_notify: 0,
  monthly_spend: 0,
  monthly_notify: 0,
  session_spend: 0,
};
const dollar = 500_000;

/** What a user or a token has spent in all periods. */
const spent = (dollars: number) => {
  const points = BigInt(dollars * dollar);
  const spent_day = new Date(`${new Date().toISOString().slice(0, 10)}T00:00:00Z`);
  return { spent_day, day_quota: points, week_quota: points, month_quota: points };
};

async function makeOwner(username: string, language: string) {
  const { db } = site.services;
  const user = await site.makeUser({ username, email: `${username}@mail.example`, language });
  const token = await db.token.create({
    data: {
      user_id: user.id,
      name: "app",
      key_hash: Buffer.from(username.padEnd(32)),
      key_encrypted: Buffer.alloc(8),
      key_hint: "sk-…",
      group: "",
    },
  });
  const hour = new Date(new Date().setUTCMinutes(0, 0, 0));
  await db.usageHour.create({
    data: { hour, user_id: user.id, token_id: token.id, channel_id: 0, model: "m", group: "default" },
  });
  return { user, token };
}

/** A run of the job that notifies. */
async function run(): Promise<void> {
  const { db, mailer, settings } = site.services;
  await collectBudgetNotices(db, settings.current());
  await mailBudgetOwners(db, settings.current(), mailer);
}

describe("the soft limit of a budget", () => {
  it("is mailed to the owner of an account once per period, and is in the inbox", async () => {
    const { db } = site.services;
    const { user } = await makeOwner("anna", "en_US");
    const budget = { ...none, monthly_spend: 10 * dollar, monthly_notify: 8 * dollar };
    await db.user.update({ where: { id: user.id }, data: { budget, ...spent(7) } });
    await run();
    expect(post.mails).toEqual([]);

    await db.user.update({ where: { id: user.id }, data: spent(8) });
    await run();
    await run();
    expect(post.mails).toHaveLength(1);
    const [mail] = post.mails;
    expect(mail).toMatchObject({ to: "anna@mail.example" });
    expect(mail?.subject).toContain("This month's spending");
    expect(mail?.text).toContain("“anna”");
    expect(mail?.text).toMatch(/Spent: \$8\.00\r?\nNotice at: \$8\.00\r?\nLimit: \$10\.00/);
    const entries = await db.inboxEntry.findMany({ where: { user_id: user.id } });
    expect(entries).toMatchObject([
      {
        event: "budget-notice",
        facts: { period: "month", used: String(8 * dollar), limit: String(10 * dollar) },
      },
    ]);
  });

  it("of a token names the token, in the owner's language", async () => {
    const { db } = site.services;
    const { token } = await makeOwner("hana", "ja_JP");
    const budget = { ...none, daily_notify: dollar };
    await db.token.update({ where: { id: token.id }, data: { budget, ...spent(2) } });
    await run();
    expect(post.mails.map(({ to }) => to)).toEqual(["hana@mail.example"]);
    expect(post.mails[0]?.subject).toContain("本日");
    expect(post.mails[0]?.text).toContain("app");
    expect(post.mails[0]?.text).not.toContain("上限: ");
  });

  it("of a budget that the owner set concerns only the owner", async () => {
    const { db } = site.services;
    const { user } = await makeOwner("mina", "en_US");
    const data = { own_month_limit: BigInt(10 * dollar), own_month_warning: 80 };
    await db.user.update({ where: { id: user.id }, data: { ...data, ...spent(7.9) } });
    const notices = await db.notice.count();
    await run();
    expect(post.mails).toEqual([]);
    await db.user.update({ where: { id: user.id }, data: spent(8) });
    await run();
    await run();
    expect(post.mails.map(({ to }) => to)).toEqual(["mina@mail.example"]);
    expect(post.mails[0]?.text).toMatch(/Spent: \$8\.00\r?\nNotice at: \$8\.00/);
    expect(await db.inboxEntry.count({ where: { user_id: user.id } })).toBe(1);
    expect(await db.notice.count()).toBe(notices);
  });

  it("is mailed later if the mail server was unavailable", async () => {
    const { db } = site.services;
    const { user } = await makeOwner("late", "zh_CN");
    const budget = { ...none, weekly_notify: dollar };
    await db.user.update({ where: { id: user.id }, data: { budget, ...spent(1) } });
    post.full = true;
    await expect(run()).rejects.toMatchObject({ code: "upstream_failed" });
    post.full = false;
    await run();
    await run();
    expect(post.mails.map(({ to }) => to)).toEqual(["late@mail.example"]);
    expect(post.mails[0]?.subject).toContain("本周");
  });

  it("is mailed to the others when the mail server refuses an address", async () => {
    const { db } = site.services;
    for (const name of ["gone", "there"]) {
      const { user } = await makeOwner(name, "en_US");
      const budget = { ...none, weekly_notify: dollar };
      await db.user.update({ where: { id: user.id }, data: { budget, ...spent(1) } });
    }
    post.unknown.add("gone@mail.example");
    await expect(run()).rejects.toMatchObject({ params: { reason: "mail_address_refused" } });
    expect(post.mails.map(({ to }) => to)).toEqual(["there@mail.example"]);
  });

  it("is not mailed afterwards, when mail is configured later", async () => {
    const { db, settings } = site.services;
    await settings.change(systemActor, { SMTPServer: "" });
    const { user } = await makeOwner("quiet", "en_US");
    await db.user.update({
      where: { id: user.id },
      data: { budget: { ...none, daily_notify: dollar }, ...spent(1) },
    });
    await run();
    await settings.change(systemActor, post.settings);
    await run();
    expect(post.mails).toEqual([]);
  });
});
