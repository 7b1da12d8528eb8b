import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { faults } from "./support/faults.ts";
import { openSite, type Site } from "./support/site.ts";

/** Name, logo and accent colour of the site. */
let site: Site;
beforeAll(async () => {
  site = await openSite();
});
afterEach(async () => {
  for (const key of ["AccentColor", "SystemName"]) await site.api("PUT", "/option", { key, value: null });
});
afterAll(() => site.close());

const accent = (value: string) => site.api("PUT", "/option", { key: "AccentColor", value });

/** Returns the background of an element as the browser shows it. */
const background = (page: Page, selector: string) =>
  page.locator(selector).evaluate((element) => getComputedStyle(element).backgroundColor);

const signIn = 'button[type="submit"]';
const previewButton = '[aria-label="Preview"] [data-scheme="light"] > div:nth-child(2) > span:last-child';
const own = "rgb(70, 80, 220)";
const green = "rgb(11, 107, 83)";

describe("the settings of the brand", () => {
  it("show name and accent colour before they are saved, then change the open page", async () => {
    const page = await site.open("/panel/setting?tab=other");
    const form = page.getByRole("form", { name: "Identity" });
    const preview = form.getByRole("group", { name: "Preview" });
    await expect.poll(() => background(page, previewButton)).toBe(own);
    await form.getByRole("textbox", { name: "System name" }).fill("Verdant");
    await preview.getByRole("group", { name: "Dark theme" }).getByText("Verdant").waitFor();
    const color = form.getByRole("textbox", { name: "Accent color" });
    await color.fill("green");
    await form.getByText("Enter # and six hexadecimal digits, for example #0b6b53").waitFor();
    expect(await form.getByRole("button", { name: "Save" }).isDisabled()).toBe(true);
    await color.fill("#0B6B53");
    await expect.poll(() => background(page, previewButton)).toBe(green);
    const save = form.getByRole("button", { name: "Save" });
    expect(await save.evaluate((button) => getComputedStyle(button).backgroundColor)).toBe(own);
    expect(await faults(page)).toEqual([]);
    await save.click();
    const menuMark = 'a[aria-label="Verdant"] svg rect';
    await expect
      .poll(() =>
        page
          .locator(menuMark)
          .first()
          .evaluate((mark) => getComputedStyle(mark).fill),
      )
      .toBe(green);
    await form.getByRole("button", { name: "Accent color: Reset to default: empty" }).click();
    await form.getByRole("button", { name: "Save" }).click();
    await expect
      .poll(() =>
        page
          .locator(menuMark)
          .first()
          .evaluate((mark) => getComputedStyle(mark).fill),
      )
      .toBe(own);
  });

  it("fit a phone", async () => {
    const page = await site.open("/panel/setting?tab=other", { phone: true, dark: true });
    await expect.poll(() => background(page, previewButton)).toBe(own);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    expect(await faults(page)).toEqual([]);
  });
});

describe("a long name", () => {
  it("is complete in the public header of a phone, which keeps the theme in its menu", async () => {
    const name = "Northwind Model Gateway";
    await site.api("PUT", "/option", { key: "SystemName", value: name });
    const page = await site.open("/about", { guest: true, phone: true });
    const header = page.getByRole("banner");
    const shown = header.getByText(name, { exact: true });
    await shown.waitFor();
    const hidden = await shown.evaluate((text) => [
      text.scrollWidth - text.clientWidth,
      text.scrollHeight - text.clientHeight,
    ]);
    // The letters reach a little beyond their line.
    for (const pixels of hidden) expect(pixels).toBeLessThan(5);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    await header.getByRole("button", { name: "Menu", exact: true }).click();
    await page.getByRole("menuitem", { name: "Dark theme", exact: true }).click();
    await expect.poll(() => page.locator("html").getAttribute("data-mantine-color-scheme")).toBe("dark");
  });
});

describe("the home page", () => {
  it("begins every section at the same edge", async () => {
    for (const phone of [false, true]) {
      const page = await site.open("/", { guest: true, phone });
      const title = page.getByRole("heading", { name: "Models available now", exact: true });
      await title.waitFor();
      const edges = await page
        .getByRole("heading", { level: 1 })
        .or(title)
        .or(page.getByRole("banner").getByRole("link").first())
        .evaluateAll((found) => found.map((element) => Math.round(element.getBoundingClientRect().left)));
      expect(new Set(edges).size, edges.join()).toBe(1);
      await page.context().close();
    }
  });
});

describe("an accent colour", () => {
  it("is on the page before any script runs", async () => {
    await accent("#0b6b53");
    const page = await site.open("/api/health", { guest: true });
    // Without scripts and the status, the page has what the server put into it.
    await page.route("**/assets/*.js", (route) => route.abort());
    await page.goto(`${site.url}/login`);
    const first = await page.evaluate(() => ({
      color: getComputedStyle(document.documentElement).getPropertyValue("--mantine-color-iris-6"),
      picture: document.querySelector("img")?.getAttribute("src"),
    }));
    expect(first).toEqual({ color: "#0b6b53", picture: "brand/0b6b53.svg" });
    const picture = await fetch(`${site.url}/brand/0b6b53.svg`);
    expect([picture.status, picture.headers.get("content-type")]).toEqual([
      200,
      "image/svg+xml; charset=utf-8",
    ]);
    expect((await fetch(`${site.url}/brand/nothing.css`)).status).toBe(404);
    // A colour that is not the site’s own is not computed.
    const other = await fetch(`${site.url}/brand/123456.css`);
    expect(other.headers.get("cache-control")).toBe("no-cache");
    expect(await other.text()).toContain("#0b6b53");
  });

  it("stays the same from the first to the last paint, also after another one was stored", async () => {
    await accent("#7a0019");
    const page = await site.open("/login", { guest: true });
    await page.getByRole("textbox", { name: "Username" }).or(page.locator(signIn)).first().waitFor();
    await accent("#0b6b53");
    await page.addInitScript(() => {
      const seen: string[] = [];
      Object.assign(window, { seen });
      const look = () => {
        const color = getComputedStyle(document.documentElement).getPropertyValue("--mantine-color-iris-6");
        if (document.body && seen.at(-1) !== color) seen.push(color);
        requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    });
    await page.goto(`${site.url}/login`);
    await expect.poll(() => background(page, signIn)).toBe(green);
    await page.waitForLoadState("networkidle");
    expect(await page.evaluate(() => (window as unknown as { seen: string[] }).seen)).toEqual(["#0b6b53"]);
  });

  it.each(["#ffd400", "#1a0033"])("leaves all texts readable: %s", async (color) => {
    await accent(color);
    for (const dark of [false, true])
      for (const path of ["/login", "/panel/dashboard", "/panel/setting?tab=other"]) {
        const page = await site.open(path, { dark, guest: !path.startsWith("/panel") });
        await page.getByRole("heading").first().waitFor();
        await page.waitForLoadState("networkidle");
        expect.soft(await faults(page), `${path} ${dark ? "dark" : "light"}`).toEqual([]);
        await page.context().close();
      }
  });
});
