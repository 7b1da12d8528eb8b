import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSite, type Site } from "./support/site.ts";

let site: Site;
beforeAll(async () => {
  site = await openSite();
});
afterAll(() => site.close());

/** Locates the menu in any language. */
const menuOf = (page: Page) => page.getByRole("complementary").getByRole("navigation");

/** Returns how many pixels of the menu are below the edge of its view. */
function overflow(page: Page): Promise<number> {
  return menuOf(page).evaluate((menu) => {
    const view = menu.parentElement?.parentElement;
    return view ? view.scrollHeight - view.clientHeight : Number.NaN;
  });
}

describe("the menu", () => {
  it.each(["en-US", "zh-CN"])("fits a window 900 px high with every screen of root (%s)", async (locale) => {
    const page = await site.open("/panel/audit", { locale });
    await page.setViewportSize({ width: 1440, height: 900 });
    await menuOf(page).locator("[aria-current=page]").waitFor();
    await expect.poll(() => menuOf(page).getByRole("list").count()).toBe(6);
    await expect.poll(() => overflow(page)).toBe(0);
    await page.evaluate(() => localStorage.setItem("opened", "false"));
    await page.reload();
    await menuOf(page).locator("[aria-current=page]").waitFor();
    await expect.poll(() => overflow(page)).toBe(0);
  });

  it("scrolls to the open screen when the window is lower than the menu", async () => {
    const page = await site.open("about:blank");
    await page.setViewportSize({ width: 1440, height: 420 });
    await page.goto(`${site.url}/panel/profile`);
    const active = menuOf(page).locator("[aria-current=page]");
    await active.waitFor();
    const below = async () => {
      const box = await active.boundingBox();
      return box ? box.y + box.height - 420 : Number.NaN;
    };
    await expect.poll(below).toBeLessThanOrEqual(0);
    await page.keyboard.press("Control+k");
    await page.getByRole("textbox", { name: "Go to…" }).fill("dashboard");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/panel/dashboard");
    await expect.poll(async () => (await active.boundingBox())?.y).toBeGreaterThan(0);
  });

  it("has items at least 40 px high on a phone", async () => {
    const page = await site.open("/panel/profile", { phone: true });
    await page.getByRole("button", { name: "Expand menu" }).click();
    const drawer = page.getByRole("dialog");
    await drawer.getByRole("link", { name: "Users" }).waitFor();
    const heights = await drawer
      .getByRole("listitem")
      .getByRole("link")
      .evaluateAll((links) => links.map((link) => link.getBoundingClientRect().height));
    expect(Math.min(...heights)).toBeGreaterThanOrEqual(40);
  });
});
