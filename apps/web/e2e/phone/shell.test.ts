/** The frame of the console and of the public site on a phone. */
import type { Page } from "@playwright/test";
import { goTo } from "../support/go-to.ts";
import { expect, test } from "../support/test.ts";

const expectNoSideways = (page: Page) =>
  expect
    .poll(() =>
      page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth),
    )
    .toBe(0);

test(
  "on a phone, Help lists its pages once, and the settings fit in every tab",
  { tag: "@nightly" },
  async ({ page }) => {
    const main = page.getByRole("main");
    await test.step("the pages of Help are a list with plain descriptions, and behind a button on a page", async () => {
      await page.goto("/panel/help");
      await expect(main.getByText("gateway import, audit and more", { exact: true })).toBeVisible();
      expect(await main.innerText()).not.toContain("`");
      await expect(page.getByRole("button", { name: "All pages" })).toHaveCount(0);
      for (const [path, title] of [
        ["provider-china", "Providers in China"],
        ["providers", "Providers"],
      ] as const) {
        await goTo(page, `/panel/help/${path}`);
        await expect(page.getByRole("heading", { name: title, level: 1 })).toBeVisible();
        await expectNoSideways(page);
      }
      await page.getByRole("button", { name: "All pages" }).click();
      const pages = page.getByRole("navigation", { name: "Help pages" });
      await pages.getByRole("link", { name: "Limits" }).click();
      await expect(page.getByRole("heading", { name: "Limits", level: 1 })).toBeVisible();
    });
    await test.step("the menu closes after a selection", async () => {
      const drawer = page.getByRole("dialog");
      await page.getByRole("button", { name: "Expand menu" }).click();
      await drawer.getByRole("link", { name: "Settings" }).click();
      await page.waitForURL("**/panel/setting");
      await expect(drawer).toHaveCount(0);
    });
    await expect(page.getByRole("tab").first()).toBeVisible();
    for (const tab of await page.getByRole("tab").all()) {
      await tab.click();
      await expect(page.getByRole("form").first()).toBeVisible();
      await expectNoSideways(page);
    }
  },
);

test("on a phone, the public header with a long name fits, and has the theme in its menu", async ({
  site,
}) => {
  const name = "Northwind Model Gateway";
  await site.api("PUT", "/option", { key: "SystemName", value: name });
  const page = await site.open("/about", { guest: true });
  const header = page.getByRole("banner");
  await expect(header.getByText(name, { exact: true })).toBeVisible();
  await expectNoSideways(page);
  await header.getByRole("button", { name: "Menu", exact: true }).click();
  await page.getByRole("menuitem", { name: "Dark theme", exact: true }).click();
  await expect(page.locator("html")).toHaveAttribute("data-mantine-color-scheme", "dark");
  await site.api("PUT", "/option", { key: "SystemName", value: null });
});
