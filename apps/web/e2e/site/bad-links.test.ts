/** Links to pages that do not exist, are incomplete or belong to someone else: each explains itself and offers a way forward. */
import type { Page } from "@playwright/test";
import { signInAs } from "../accounts/common-steps.ts";
import { goTo } from "../support/go-to.ts";
import { expect, test, type Site } from "../support/test.ts";

let site: Site;
let theirs: { id: number };
const password = "a long password";

test.beforeAll(async ({ site: started }) => {
  site = started;
  await site.api("POST", "/channel", { type: 900, name: "Main", models: ["demo-chat"], groups: ["default"] });
  const { id } = await site.api<{ id: number }>("POST", "/user", { username: "owner", password });
  await site.api("POST", "/user", { username: "other", password });
  theirs = await site.api("POST", "/token/admin", { user_id: id, name: "of the owner" });
});

const main = (page: Page) => page.locator("main");

const absent = [
  ["/panel/channel/99", "This channel was not found", "Show all channels"],
  ["/panel/user/99", "This account was not found", "Show all users"],
  ["/panel/user/abc", "This account was not found", "Show all users"],
  ["/panel/token/99", "This token was not found", "Show all tokens"],
  ["/panel/log/no-such-call", "This call was not found", "Show the newest calls"],
] as const;

const unknownFilters = [
  ["/panel/user?role=president&size=20", "role=president"],
  ["/panel/user?size=1000", "size=1000"],
  ["/panel/channel?status=blue", "status=blue"],
  ["/panel/redemption?status=x&page=-1", "status=x"],
  ["/panel/token?size=abc", "size=abc"],
] as const;

test(
  "a page of an object that does not exist leads to the list, and lists and settings name what they do not know",
  { tag: "@nightly" },
  async ({ page }) => {
    await page.goto(absent[0][0]);
    for (const [path, title, link] of absent)
      await test.step(`${path} shows “${title}” and a link to the list`, async () => {
        if (path !== absent[0][0]) await goTo(page, path);
        await expect(main(page).getByText(title)).toBeVisible();
        await main(page).getByRole("link", { name: link }).click();
        await expect(page).toHaveURL(`${site.url}${path.slice(0, path.lastIndexOf("/"))}`);
        await expect(page.locator("table, [data-list]").first()).toBeVisible();
      });
    for (const part of ["section=clouds", "tab=clouds"])
      await test.step(`the settings name the unknown ${part}`, async () => {
        await goTo(page, `/panel/setting?${part}`);
        const alert = page.getByRole("alert").filter({ hasText: "“clouds” does not exist in this version" });
        await alert.getByRole("button", { name: "Remove it from the link" }).click();
        await expect(alert).toHaveCount(0);
        expect(page.url()).not.toContain("clouds");
      });
    for (const [path, dropped] of unknownFilters)
      await test.step(`${path} names ${dropped} and shows the rest`, async () => {
        await goTo(page, path);
        const alert = page
          .getByRole("alert")
          .filter({ hasText: "Some filters of this link were not applied" });
        await expect(alert.getByText(dropped)).toBeVisible();
        await expect(page.locator("[data-list]")).toBeVisible();
        await alert.getByRole("button", { name: "Remove them from the link" }).click();
        await expect(alert).toHaveCount(0);
        expect(page.url()).not.toContain(dropped);
      });
  },
);

test("a link to what belongs to someone else shows nothing of it, with a way back", async ({ page }) => {
  await signInAs(page, site, "other", password);
  await test.step("a token is not found", async () => {
    await page.goto(`/panel/token/${theirs.id}`);
    await expect(main(page).getByText("This token was not found")).toBeVisible();
    expect(await page.content()).not.toContain("of the owner");
    await goTo(page, `/panel/token?edit=${theirs.id}`);
    await expect(page.getByRole("dialog").getByText("This entry does not exist")).toBeVisible();
    await page.getByRole("dialog").getByRole("button", { name: "Show the list" }).click();
  });
  await test.step("a screen of operators is refused", async () => {
    await goTo(page, "/panel/user/1");
    await expect(
      main(page)
        .getByText(/You do not have access/)
        .first(),
    ).toBeVisible();
    await expect(main(page).getByRole("link").first()).toBeVisible();
  });
});
