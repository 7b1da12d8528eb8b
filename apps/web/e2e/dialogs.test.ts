/** Dialogs and drawers without an address: each is opened by its button and examined by axe. */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { furnishedSite } from "./support/furnished-site.ts";
import { choose, click, examine, type Opening } from "./support/openings.ts";
import type { Site } from "./support/site.ts";

let site: Site;
beforeAll(async () => {
  site = await furnishedSite();
});
afterAll(() => site.close());

const openings: Opening[] = [
  { what: "the palette", path: "/panel/dashboard", open: (page) => page.keyboard.press("Control+k") },
  { what: "the shortcuts", path: "/panel/dashboard", open: (page) => page.keyboard.press("?") },
  {
    what: "the menu of a phone",
    path: "/panel/user",
    phone: true,
    open: (page) => click(page, "Expand menu"),
  },
  {
    what: "the filters of a phone",
    path: "/panel/pricing",
    phone: true,
    open: (page) => click(page, "Filters"),
  },
  { what: "the filters of the log", path: "/panel/log", phone: true, open: (page) => click(page, "Filters") },
  { what: "a call", path: "/panel/log", open: (page) => page.locator("tbody tr[data-row]").first().click() },
  {
    what: "the question before a user is deleted",
    path: "/panel/user",
    open: (page) => choose(page, "More actions for penny", /^Delete/),
  },
  {
    what: "the question before a channel is deleted",
    path: "/panel/channel",
    open: (page) => choose(page, "More actions for demo", "Delete"),
  },
  {
    what: "the models of a provider",
    path: "/panel/channel?edit=1",
    open: (page) => click(page, "Fetch from provider"),
  },
  { what: "the second factor", path: "/panel/profile?tab=security", open: (page) => click(page, "Set up") },
  {
    what: "the access token",
    path: "/panel/profile?tab=access",
    open: (page) => click(page, "Create access token"),
  },
  { what: "a passkey", path: "/panel/profile?tab=security", open: (page) => click(page, "Add passkey") },
  {
    what: "a new token",
    path: "/panel/token?edit=new",
    open: async (page) => {
      await page.getByRole("dialog").getByLabel("Name").first().fill("examined");
      await click(page, "Create token");
      await page.getByRole("dialog").getByRole("button", { name: "Copy the key" }).waitFor();
    },
  },
  {
    what: "new codes",
    path: "/panel/redemption?edit=new",
    open: async (page) => {
      await page.getByRole("dialog").getByLabel("Name").first().fill("gift");
      await page.getByRole("dialog").getByLabel("Value of each code").fill("1");
      await page.getByRole("dialog").getByRole("button", { name: "Create", exact: true }).click();
      await page.getByRole("dialog", { name: /created/ }).waitFor();
    },
  },
];

it.each(openings)("$what can be used by everybody", (opening) => examine(site, opening));

it.each(["/panel/log", "/panel/pricing"])("the filters of %s fill the lines of their sheet", async (path) => {
  const page = await site.open(path, { phone: true });
  await page.locator("main h1").waitFor();
  await click(page, "Filters");
  const sheet = page.getByRole("dialog", { name: "Filters" });
  const results = sheet.getByRole("button", { name: "Show results" });
  await results.waitFor();
  const widths = await results.evaluate((button) =>
    [...(button.parentElement?.children ?? [])].map((each) => Math.round(each.getBoundingClientRect().width)),
  );
  expect(widths.length).toBeGreaterThan(3);
  expect(new Set(widths).size).toBe(1);
});

it.each([
  { path: "/panel/user?budget=2", api: "**/api/user/2/budget" },
  { path: "/panel/user_group?prices=1", api: "**/api/user_group?*size=100*" },
])("a form that arrives after its dialog has the focus: $path", async ({ path, api }) => {
  const page = await site.open("/panel/dashboard");
  let late = false;
  await page.route(api, async (route) => {
    await sleep(700);
    late = true;
    await route.continue();
  });
  await page.goto(`${site.url}${path}`);
  await page.getByRole("dialog").getByRole("textbox").first().waitFor();
  await expect.poll(() => page.locator("[role=dialog] form input:focus").count()).toBe(1);
  expect(late).toBe(true);
});

it("the page behind a dialog does not scroll, the dialog does, and both afterwards", async () => {
  const page = await site.open("/panel/channel?edit=1");
  await page.setViewportSize({ width: 1_000, height: 500 });
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").first().waitFor();
  const wheel = async (x: number) => {
    await page.mouse.move(x, 250);
    await page.mouse.wheel(0, 300);
    await sleep(300);
  };
  const scrolled = () =>
    page.evaluate(() => [
      window.scrollY,
      Math.max(
        ...[...document.querySelectorAll("[role=dialog], [role=dialog] *")].map(
          (element) => element.scrollTop,
        ),
      ),
    ]);
  await wheel(20);
  expect(await scrolled()).toEqual([0, 0]);
  await wheel(800);
  expect(await scrolled()).toEqual([0, 300]);
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });
  await wheel(500);
  expect((await scrolled())[0]).toBeGreaterThan(0);
});
