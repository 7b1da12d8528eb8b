/** Dialogs and drawers without an address: each is opened by its button and examined by axe. */
import { furnish } from "../support/furnish.ts";
import { choose, click, expectNoFaults, type Opening } from "../support/screens/openings.ts";
import { type Site, test } from "../support/test.ts";

let site: Site;
test.beforeAll(async ({ site: started }) => {
  site = started;
  await furnish(site);
});

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

for (const opening of openings) test(`${opening.what} is accessible`, () => expectNoFaults(site, opening));
