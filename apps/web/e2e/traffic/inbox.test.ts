import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { addToInbox, addToSiteInbox } from "../../../server/src/domain/inbox/entries.ts";
import { connect, type Database } from "../../../server/src/platform/database/db.ts";
import { installedDatabase, type TestDatabase } from "../../../server/test/database.ts";
import { bundledMain } from "../../../server/test/gateway-process.ts";
import { faults } from "../support/faults.ts";
import { type Installation, install, type WindowOptions } from "../support/installation.ts";

let home: TestDatabase;
let database: Database;
let site: Installation;
let rootId = 0;

beforeAll(async () => {
  home = await installedDatabase();
  database = connect(home.url, { max: 2 });
  site = await install({ DATABASE_URL: home.url }, bundledMain);
  rootId = (await site.api<{ id: number }>("GET", "/user/self")).id;
});
beforeEach(async () => {
  await database.db.inboxEntry.deleteMany();
  await database.db.inboxMark.deleteMany();
});
afterAll(async () => {
  await site.close();
  await database.close();
  await home.drop();
});

async function open(path: string, options?: WindowOptions): Promise<Page> {
  const page = await site.open(path, options);
  onTestFinished(() => page.context().close());
  return page;
}

async function furnish(): Promise<void> {
  const { db } = database;
  const facts = { name: "West", id: "7" };
  const empty = [{ code: "accountEmpty", params: { balance: "USD 0.00" } }];
  const reason = { text: "The provider account has no balance (USD 0.00).", facts: empty };
  await addToSiteInbox(db, { event: "channel-disabled", topic: "channel:7", facts, reason });
  await addToSiteInbox(db, { event: "job-failed", topic: "job:sweep", facts: { job: "sweep" }, times: 12 });
  await addToInbox(db, rootId, { event: "balance-low", topic: "balance", facts: { balance: "250000" } });
  await addToInbox(db, rootId, {
    event: "calls-refused",
    topic: "insufficient_quota:0",
    facts: { code: "insufficient_quota" },
    times: 37,
  });
}

const bell = (page: Page, name: string | RegExp) => page.getByRole("button", { name });

async function expectNoFaults(page: Page): Promise<void> {
  expect(await faults(page)).toEqual([]);
}

describe("the bell", () => {
  it("shows the number of unread entries, lists them in the reader's language and links to their subject", async () => {
    await furnish();
    const page = await open("/panel/profile");
    const closed = bell(page, "Notifications, 4 unread");
    // A number of any width leaves the left half of the bell visible.
    const [count, picture] = await Promise.all([
      closed.getByText("4", { exact: true }).boundingBox(),
      closed.locator("svg").boundingBox(),
    ]);
    expect(count?.x).toBeGreaterThan((picture?.x ?? 0) + (picture?.width ?? 0) / 2);
    await closed.click();
    const panel = page.getByRole("dialog");
    await panel.getByRole("link", { name: "37 calls refused: balance empty" }).waitFor();
    await panel.getByText("Low balance: $0.50").waitFor();
    await panel.getByText("×12").waitFor();
    await panel.getByText("The provider account has no balance (USD 0.00).").waitFor();
    await expectNoFaults(page);
    await panel.getByRole("link", { name: "Channel “West” was disabled automatically" }).click();
    await page.waitForURL("**/panel/channel?edit=7");
    await bell(page, "Notifications, 3 unread").waitFor();

    const chinese = await open("/panel/profile", { locale: "zh-CN" });
    await bell(chinese, /^通知/).click();
    await chinese.getByRole("dialog").getByText("渠道“West”已被自动禁用").waitFor();
    await chinese
      .getByRole("dialog")
      .getByText(/USD 0\.00/)
      .waitFor();
    await expect.poll(() => chinese.getByText("The provider account").count()).toBe(0);
  });

  it("marks everything as read, also with the keyboard", async () => {
    await furnish();
    const page = await open("/panel/profile");
    await bell(page, "Notifications, 4 unread").focus();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").getByRole("button", { name: "Mark all as read" }).focus();
    await page.keyboard.press("Enter");
    await bell(page, "Notifications")
      .and(page.getByRole("button", { name: "Notifications", exact: true }))
      .waitFor();
    await page.getByRole("link", { name: "37 calls refused: balance empty" }).waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
  });

  it("shows when it could not be updated, and recovers", async () => {
    const page = await open("/panel/profile");
    await bell(page, "Notifications").waitFor();
    await page.route("**/api/inbox**", (route) => route.fulfill({ status: 502, body: "" }));
    await page.route("**/api/inbox/**", (route) => route.fulfill({ status: 502, body: "" }));
    await page.reload();
    await bell(page, "Notifications (not up to date)").click({ timeout: 20_000 });
    const panel = page.getByRole("dialog");
    await panel.getByText("This could not be loaded").waitFor({ timeout: 20_000 });
    await page.unroute("**/api/inbox**");
    await page.unroute("**/api/inbox/**");
    await panel.getByRole("button", { name: "Try again" }).click();
    await panel.getByText("No notifications yet").waitFor();
  });

  it("keeps the announcement available, without a dot after it was read", async () => {
    await site.api("PUT", "/option", { key: "Notice", value: "Maintenance on **Sunday**" });
    const page = await open("/panel/profile");
    await page.getByRole("dialog", { name: "Notice" }).getByText("Sunday").waitFor();
    await page.keyboard.press("Escape");
    await page.reload();
    await bell(page, "Notifications").click();
    await page.getByRole("dialog").getByRole("button", { name: "Announcement" }).click();
    await page.getByRole("dialog", { name: "Notice" }).getByText("Sunday").waitFor();
    await site.api("PUT", "/option", { key: "Notice", value: "" });
  });
});

describe("the page of notifications", () => {
  it("filters by kind and unread state, and marks an entry as read", async () => {
    await furnish();
    const page = await open("/panel/inbox");
    const list = page.getByRole("list", { name: "Notifications" });
    await expect.poll(() => list.getByRole("listitem").count()).toBe(4);
    await expectNoFaults(page);
    await page.getByRole("button", { name: "Mark as read: The job “sweep” failed" }).click();
    await page.getByText("Unread (3)").click();
    await expect.poll(() => list.getByRole("listitem").count()).toBe(3);
    await page.waitForURL("**/panel/inbox?unread=1");
    await page.goto(`${site.url}/panel/inbox?kind=channels`);
    await expect.poll(() => list.getByRole("listitem").count()).toBe(1);
    await page.goto(`${site.url}/panel/inbox?kind=prices`);
    await page.getByText("No results").waitFor();
    await page.getByRole("button", { name: "Clear filters" }).click();
    await expect.poll(() => list.getByRole("listitem").count()).toBe(4);
  });

  it("shows a new event without a reload", async () => {
    const page = await open("/panel/inbox");
    await page.getByText("No notifications yet").waitFor();
    await furnish();
    // Simulates the next poll, which comes within a minute. A window that gets the focus polls immediately.
    await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange", { bubbles: true })));
    await page.getByRole("link", { name: "The job “sweep” failed" }).waitFor();
  });

  it("fits a phone, with rows of two lines", async () => {
    await furnish();
    const page = await open("/panel/inbox", { phone: true });
    const rows = page.getByRole("list", { name: "Notifications" }).getByRole("listitem");
    await expect.poll(() => rows.count()).toBe(4);
    const heights = await rows.evaluateAll((all) => all.map((row) => row.getBoundingClientRect().height));
    expect(Math.max(...heights)).toBeLessThanOrEqual(110);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    await expectNoFaults(page);
    await bell(page, /^Notifications/).click();
    const box = await page.getByRole("dialog").boundingBox();
    expect(box?.x).toBeGreaterThanOrEqual(0);
    expect((box?.x ?? 0) + (box?.width ?? 999)).toBeLessThanOrEqual(390);
  });
});
