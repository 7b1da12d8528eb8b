/** Dialogs and drawers without an address: each is opened by its button and examined by axe. */
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { faults } from "./faults.ts";
import { openSite, type Site } from "./site.ts";

let site: Site;
beforeAll(async () => {
  site = await openSite();
  const channel = { type: 900, groups: ["default"], models: ["demo-chat", "demo-chat-mini"] };
  await site.api("POST", "/channel", { ...channel, name: "demo", tag: "demo" });
  await site.api("POST", "/user", { username: "penny", password: "long enough" });
  await site.api("POST", "/redemption", { name: "gift", quota: 500_000, count: 1 });
  const { key } = await site.api<{ key: string }>("POST", "/token", { name: "first" });
  const answer = await fetch(`${site.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
    body: JSON.stringify({ model: "demo-chat", messages: [{ role: "user", content: "Hello" }] }),
  });
  await answer.text();
});
afterAll(() => site.close());

type Opening = {
  what: string;
  path: string;
  phone?: true;
  /** Opens it. */
  open: (page: Page) => Promise<void>;
};

const click = (page: Page, name: string | RegExp) =>
  page
    .getByRole("button", typeof name === "string" ? { name, exact: true } : { name })
    .first()
    .click();
const choose = async (page: Page, menu: string | RegExp, item: string | RegExp) => {
  await click(page, menu);
  await page
    .getByRole("menuitem", typeof item === "string" ? { name: item, exact: true } : { name: item })
    .click();
};

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
  { what: "a call", path: "/panel/log", open: (page) => page.locator("tbody tr").first().click() },
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
  { what: "a passkey", path: "/panel/profile?tab=security", open: (page) => click(page, "Add a passkey") },
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

it.each(openings)("$what can be used by everybody", async ({ path, phone, open }) => {
  const page = await site.open(path, phone ? { phone } : {});
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.locator("main h1, main h2").first().waitFor();
  await open(page);
  await page.getByRole("dialog").last().waitFor();
  await page
    .locator(".mantine-Skeleton-root[data-visible], .mantine-Loader-root")
    .first()
    .waitFor({ state: "detached" });
  expect(await faults(page)).toEqual([]);
});
