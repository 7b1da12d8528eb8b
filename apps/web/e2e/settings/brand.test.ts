/** Name and accent colour of the site. */
import type { Page } from "@playwright/test";
import { faintTextsInTheDark, faults } from "../support/faults.ts";
import { expect, test } from "../support/test.ts";

test.afterEach(async ({ site }) => {
  await site.api("PUT", "/option/batch", { values: { AccentColor: null, SystemName: null } });
});

const previewButton = '[aria-label="Preview"] [data-scheme="light"] > div:nth-child(2) > span:last-child';
const own = "rgb(70, 80, 220)";
const green = "rgb(11, 107, 83)";

test(
  "the settings of the brand show name and accent colour before they are saved, then change the open page",
  { tag: "@nightly" },
  async ({ page }) => {
    await page.goto("/panel/setting?tab=other");
    const form = page.getByRole("form", { name: "Identity" });
    const color = form.getByRole("textbox", { name: "Accent color" });
    const save = form.getByRole("button", { name: "Save" });
    const mark = page.locator('a[aria-label="Verdant"] svg rect').first();
    await test.step("the preview shows valid values", async () => {
      await expect(page.locator(previewButton)).toHaveCSS("background-color", own);
      await form.getByRole("textbox", { name: "System name" }).fill("Verdant");
      const dark = form.getByRole("group", { name: "Preview" }).getByRole("group", { name: "Dark theme" });
      await expect(dark.getByText("Verdant")).toBeVisible();
      await color.fill("green");
      await expect(form.getByText("Enter # and six hexadecimal digits, for example #0b6b53")).toBeVisible();
      await expect(save).toBeDisabled();
      await color.fill("#0B6B53");
      await expect(page.locator(previewButton)).toHaveCSS("background-color", green);
      await expect(save).toHaveCSS("background-color", own);
    });
    await save.click();
    await expect(mark).toHaveCSS("fill", green);
    await expect(page.getByRole("banner").getByText("Verdant")).toBeVisible();
    await form.getByRole("button", { name: "Accent color: Reset to default: empty" }).click();
    await save.click();
    await expect(mark).toHaveCSS("fill", own);
    await test.step("a light colour leaves all texts readable, in both themes", async () => {
      await color.fill("#ffd400");
      await save.click();
      await expect(mark).not.toHaveCSS("fill", own);
      const parts = "nav, form";
      expect(await faults(page, parts)).toEqual([]);
      expect(await faintTextsInTheDark(page, parts)).toEqual([]);
    });
  },
);

/** Returns the accent colour that the open page shows. */
const accentOf = (page: Page) =>
  page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue("--mantine-color-iris-6"));

test("an accent colour is on the page before any script runs, and stays until the last paint", async ({
  site,
}) => {
  const accent = (value: string) => site.api("PUT", "/option", { key: "AccentColor", value });
  await accent("#7a0019");
  const page = await site.open("/login", { guest: true });
  await page.locator('button[type="submit"]').waitFor();
  await accent("#0b6b53");

  await test.step("another colour that the browser stored earlier is not shown", async () => {
    await page.addInitScript(() => {
      const colors: string[] = [];
      Object.assign(window, { colors });
      const look = () => {
        const color = getComputedStyle(document.documentElement).getPropertyValue("--mantine-color-iris-6");
        if (document.body && colors.at(-1) !== color) colors.push(color);
        requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    });
    await page.goto("/login");
    await expect(page.locator('button[type="submit"]')).toHaveCSS("background-color", green);
    await page.waitForLoadState("networkidle");
    const colors = await page.evaluate(() => (window as unknown as { colors: string[] }).colors);
    expect(colors).toEqual(["#0b6b53"]);
  });
  await test.step("without scripts and the status, the page has what the server put into it", async () => {
    await page.route("**/assets/*.js", (route) => route.abort());
    await page.goto("/login");
    expect(await accentOf(page)).toBe("#0b6b53");
    await expect(page.locator("img").first()).toHaveAttribute("src", "brand/0b6b53.svg");
  });
  const picture = await fetch(`${site.url}/brand/0b6b53.svg`);
  expect(picture.status).toBe(200);
  expect(picture.headers.get("content-type")).toBe("image/svg+xml; charset=utf-8");
  expect((await fetch(`${site.url}/brand/nothing.css`)).status).toBe(404);
  // A colour that is not the site’s own is not computed.
  const other = await fetch(`${site.url}/brand/123456.css`);
  expect(other.headers.get("cache-control")).toBe("no-cache");
  expect(await other.text()).toContain("#0b6b53");
});
