import type { Page } from "@playwright/test";
import { addToInbox, addToSiteInbox } from "../../../server/src/domain/inbox/entries.ts";
import { connect, type Database } from "../../../server/src/platform/database/db.ts";
import { faults } from "../support/faults.ts";
import { expect, test, type Site } from "../support/test.ts";

let site: Site;
let database: Database;
let rootId = 0;

test.beforeAll(async ({ site: started }) => {
  site = started;
  database = connect(site.databaseUrl, { max: 2 });
  rootId = (await site.api<{ id: number }>("GET", "/user/self")).id;
});
test.beforeEach(async () => {
  await database.db.inboxEntry.deleteMany();
  await database.db.inboxMark.deleteMany();
});
test.afterAll(() => database.close());

/** Adds four entries: two of the site and two of root. */
async function addEntries(): Promise<void> {
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

const bell = (page: Page, name: string | RegExp) => page.getByRole("button", { name, exact: true });

test("the bell counts unread entries, links to their subjects, and marks them as read", async ({ page }) => {
  await addEntries();
  await page.goto("/panel/profile");
  const panel = page.getByRole("dialog");

  await test.step("it opens with the keyboard and lists the entries", async () => {
    await bell(page, "Notifications, 4 unread").focus();
    await page.keyboard.press("Enter");
    await panel.getByRole("link", { name: "37 calls refused: balance empty" }).waitFor();
    await panel.getByText("Low balance: $0.50").waitFor();
    await panel.getByText("×12").waitFor();
    await panel.getByText("The provider account has no balance (USD 0.00).").waitFor();
    expect(await faults(page)).toEqual([]);
  });
  await test.step("an entry that was opened is read", async () => {
    await panel.getByRole("link", { name: "Channel “West” was disabled automatically" }).click();
    await page.waitForURL("**/panel/channel?edit=7");
    await bell(page, "Notifications, 3 unread").waitFor();
    await page.goBack();
  });
  await test.step("one key marks all as read, and the entries stay", async () => {
    await bell(page, "Notifications, 3 unread").focus();
    await page.keyboard.press("Enter");
    await panel.getByRole("button", { name: "Mark all as read" }).focus();
    await page.keyboard.press("Enter");
    await bell(page, "Notifications").waitFor();
    await panel.getByRole("link", { name: "37 calls refused: balance empty" }).waitFor();
    await page.keyboard.press("Escape");
    await expect(panel).toHaveCount(0);
  });
});

test(
  "the bell and the list of notifications show that they could not be loaded, and recover",
  { tag: "@nightly" },
  async ({ page }) => {
    const inbox = /\/api\/inbox/;
    // A gateway that cannot be reached would be asked again automatically.
    const failure = { success: false, message: "Not now.", code: "internal_error" };
    await page.route(inbox, (route) => route.fulfill({ status: 500, json: failure }));
    await page.goto("/panel/inbox");
    const list = page.getByRole("main");

    await test.step("both show the failure", async () => {
      await list.getByText("This could not be loaded").waitFor();
      await bell(page, "Notifications (not up to date)").click();
      await page.getByRole("dialog").getByText("This could not be loaded").waitFor();
    });
    await test.step("a click loads them", async () => {
      await page.unroute(inbox);
      await page.getByRole("dialog").getByRole("button", { name: "Try again" }).click();
      await page.getByRole("dialog").getByText("No notifications yet").waitFor();
      await page.keyboard.press("Escape");
      await list.getByRole("button", { name: "Try again" }).last().click();
      await list.getByText("No notifications yet").waitFor();
      await bell(page, "Notifications").waitFor();
    });
    await test.step("a new event is shown without a reload", async () => {
      await addEntries();
      // Simulates the next poll, which comes within a minute. A window that gets the focus polls immediately.
      await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange", { bubbles: true })));
      await list.getByRole("link", { name: "The job “sweep” failed" }).waitFor();
      await bell(page, "Notifications, 4 unread").waitFor();
    });
  },
);

test(
  "the list of notifications is filtered by kind and unread state",
  { tag: "@nightly" },
  async ({ page }) => {
    await addEntries();
    await page.goto("/panel/inbox?kind=channels");
    const entries = page.getByRole("list", { name: "Notifications" }).getByRole("listitem");

    await test.step("a link shows one kind, and the choice another", async () => {
      await expect(entries).toHaveCount(1);
      const kind = page.getByRole("combobox", { name: "Kind" });
      await kind.click();
      await page.getByRole("option", { name: "System" }).click();
      await page.waitForURL("**/panel/inbox?kind=system");
      await expect(entries).toHaveText([/The job “sweep” failed/]);
    });
    await test.step("an entry marked as read is not among the unread ones", async () => {
      await page.getByRole("button", { name: "Mark as read: The job “sweep” failed" }).click();
      await page.getByText("Unread (3)").click();
      await page.waitForURL((address) => address.searchParams.get("unread") === "1");
      await page.getByText("No results").waitFor();
    });
    await test.step("one click clears the filters", async () => {
      await page.getByRole("button", { name: "Clear filters" }).click();
      await expect(entries).toHaveCount(4);
      await page.waitForURL("**/panel/inbox");
      await page.getByText("Unread (3)").click();
      await expect(entries).toHaveCount(3);
    });
  },
);

test(
  "an announcement opens once, and stays available in the header",
  { tag: "@nightly" },
  async ({ page }) => {
    await site.api("PUT", "/option", { key: "Notice", value: "Maintenance on **Sunday**" });
    await page.goto("/panel/profile");
    const notice = page.getByRole("dialog", { name: "Notice" });
    await notice.getByText("Sunday").waitFor();
    await page.keyboard.press("Escape");
    await page.reload();
    await bell(page, "Notifications").waitFor();
    await expect(notice).toHaveCount(0);
    await page.getByRole("button", { name: "Notice", exact: true }).click();
    await notice.getByText("Sunday").waitFor();
    await site.api("PUT", "/option", { key: "Notice", value: "" });
  },
);
