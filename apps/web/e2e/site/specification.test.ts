/**
 * The product's specification, one row per statement that only a browser shows. Others have their rows in
 * packages/shared/src/specification.test.ts, apps/web/src/specification.test.tsx and
 * apps/server/src/console/specification.test.ts.
 */
import type { Locator, Page } from "@playwright/test";
import { goTo } from "../support/go-to.ts";
import { closedCollapse, menuOf } from "../support/menu.ts";
import { expect, test } from "../support/test.ts";

const failure = "Unexpected Application Error!";
const heading = (page: Page) => page.getByRole("heading", { level: 1 });
const header = (page: Page) => page.getByRole("banner");
const stored = (page: Page) => page.evaluate(() => Object.fromEntries(Object.entries<string>(localStorage)));

async function sizeOf(element: Locator): Promise<{ width: number; height: number }> {
  const { width = 0, height = 0 } = (await element.boundingBox()) ?? {};
  return { width: Math.round(width), height: Math.round(height) };
}

/** Ids of the screens of §2. Each opens at /panel/<id>. */
const screens =
  "channel log redemption setting token topup user profile analytics telegram pricing midjourney model_price playground payment task user_group model_ownedby dashboard";

test("§2 the console: every route, the menu, the header, the notice, what the browser stores", async ({
  page,
  site,
}) => {
  await site.api("PUT", "/option", { key: "Notice", value: "Maintenance on **Sunday**" });
  await page.goto("/panel/pricing");
  await test.step("the notice opens once, as HTML, and again from the header", async () => {
    const notice = page.getByRole("dialog", { name: "Notice" });
    await expect(notice.locator("strong")).toHaveText("Sunday");
    await page.keyboard.press("Escape");
    await expect(notice).toHaveCount(0);
    expect((await stored(page))["notice"]).toBe("Maintenance on **Sunday**");
    await header(page).getByRole("button", { name: "Notice", exact: true }).click();
    await expect(notice).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(notice).toHaveCount(0);
  });
  await test.step("the collapse around the open screen is open, and a click toggles it", async () => {
    const operation = menuOf(page).getByRole("button", { name: "Operation" });
    await expect(operation).toHaveAttribute("aria-expanded", "true");
    await expect(menuOf(page).locator("[aria-current=page]")).toHaveText("Prices");
    await expect(menuOf(page).getByRole("link", { name: "Payments" })).toHaveCount(0);
    await operation.click();
    await expect(menuOf(page).getByRole("link", { name: "Prices" })).toHaveCount(0);
    await operation.click();
    await expect(menuOf(page).getByRole("link", { name: "Prices" })).toBeVisible();
    await closedCollapse(page, "Payments").click();
    await expect(menuOf(page).getByRole("link", { name: "Payments" })).toBeVisible();
  });
  await test.step("the header has all its parts, and its height", async () => {
    for (const name of ["Home", "About"])
      await expect(header(page).getByRole("link", { name, exact: true })).toBeVisible();
    await expect(header(page).getByRole("link", { name: "One Hub" })).toHaveAttribute("href", "/");
    for (const name of ["Collapse menu", "Dark theme", "Language", "Account"])
      await expect(header(page).getByRole("button", { name })).toBeVisible();
    expect((await sizeOf(header(page))).height).toBe(64);
    expect((await sizeOf(page.locator("aside").first())).width).toBe(260);
  });
  await test.step("the menu shows who is signed in and the version", async () => {
    const side = page.locator("aside").first();
    await expect(side.getByText("Welcome back")).toBeVisible();
    await expect(side.getByRole("link", { name: /root/ })).toHaveAttribute("href", "/panel/profile");
    await expect(side.locator("[aria-disabled=true]")).toBeVisible();
  });
  await test.step("content is at most 1400 px wide, also with a list", async () => {
    await page.setViewportSize({ width: 1920, height: 900 });
    expect((await sizeOf(page.locator("main > div").first())).width).toBe(1400);
    await page.setViewportSize({ width: 1440, height: 900 });
  });
  await test.step("the menu links every screen, which every-screen.test.ts opens", async () => {
    for (const id of screens.split(" "))
      await expect(menuOf(page).locator(`[href="/panel/${id}"]`)).toBeVisible();
  });
  await test.step("an unknown route has the generic heading, /panel/404 its own", async () => {
    await goTo(page, "/panel/nowhere");
    await expect(heading(page)).toHaveText(failure);
    await goTo(page, "/panel/404");
    await expect(heading(page)).toHaveText("This page does not exist");
  });
  await test.step("breadcrumbs: dashboard, group, current item", async () => {
    await goTo(page, "/panel/payment");
    const crumbs = page.getByRole("navigation", { name: "Breadcrumbs" });
    await expect(crumbs.getByRole("link", { name: "Dashboard" })).toBeVisible();
    await expect(crumbs).toHaveText(/Dashboard.*Setting.*Payments/);
  });
  await test.step("the theme is restored; it, the user and the site are stored", async () => {
    await page.getByRole("button", { name: "Dark theme" }).click();
    // A notice that was seen does not open again.
    await page.reload();
    await expect(header(page).getByRole("button", { name: "Notice", exact: true })).toBeVisible();
    await expect(page.locator("html")).toHaveAttribute("data-mantine-color-scheme", "dark");
    await expect(page.getByRole("dialog")).toHaveCount(0);
    const { user = "{}", siteInfo = "{}", ...items } = await stored(page);
    expect(JSON.parse(user)).toMatchObject({ role: 100, username: "root", avatar_url: expect.any(String) });
    expect(JSON.parse(siteInfo)).toMatchObject({ system_name: "One Hub", language: "zh_CN" });
    expect(items).toMatchObject({
      theme: "dark",
      appLanguage: "en_US",
      quota_per_unit: "500000",
      display_in_currency: "true",
    });
  });
  await test.step("a failed request is a toast in the words of the catalogue, top right", async () => {
    await page.route("**/api/home_page_content", (route) =>
      route.fulfill({ status: 405, json: { success: false, message: "" } }),
    );
    await goTo(page, "/");
    await expect(header(page).getByRole("link", { name: "Console" })).toHaveAttribute("href", "/panel");
    const toast = page.locator(".mantine-Notification-root");
    await expect(toast).toHaveText("This action is not available on a demo site.");
    expect((await toast.boundingBox())?.x).toBeGreaterThan(720);
    await page.unroute("**/api/home_page_content");
    await toast.getByRole("button", { name: "Close" }).click();
    await expect(toast).toHaveCount(0);
  });
  await test.step("the avatar menu has Settings and Sign out", async () => {
    await goTo(page, "/panel/dashboard");
    await page.getByRole("button", { name: "Account" }).click();
    await expect(page.getByRole("menuitem", { name: "Settings" })).toHaveAttribute("href", "/panel/profile");
    await expect(page.getByRole("menuitem", { name: "Sign out" })).toBeVisible();
    await page.keyboard.press("Escape");
  });
  await test.step("on a phone the menu is a drawer until an item is chosen, and the account a drawer at the bottom", async () => {
    await page.setViewportSize({ width: 500, height: 800 });
    await expect.poll(async () => (await sizeOf(header(page))).height).toBe(56);
    await header(page).getByRole("button", { name: "Expand menu" }).click();
    const drawer = page.getByRole("dialog");
    await drawer.getByRole("link", { name: "Profile" }).click();
    await page.waitForURL("**/panel/profile");
    await expect(drawer).toHaveCount(0);
    await header(page).getByRole("button", { name: "Account" }).click();
    await expect(drawer.getByRole("link", { name: "Settings" })).toHaveAttribute("href", "/panel/profile");
    await expect(drawer.getByRole("button", { name: "Sign out" })).toBeVisible();
    const { y = 0, height = 0 } = (await drawer.boundingBox()) ?? {};
    expect(y + height).toBe(800);
    await page.keyboard.press("Escape");
    await page.setViewportSize({ width: 1440, height: 900 });
  });
  await test.step("a response of 401 removes the stored user, and the console leads to the sign-in", async () => {
    await page.context().clearCookies();
    await page.reload();
    await page.waitForURL("**/login?next=*");
    expect(await stored(page)).not.toHaveProperty("user");
  });
  await site.api("PUT", "/option/batch", { values: { Notice: null } });
});

test("§2 the public site: every route, the top bar, the languages", async ({ site }) => {
  // A language that is not offered.
  const page = await site.open("/about", { guest: true, locale: "de-DE" });
  const html = page.locator("html");
  await test.step("the fallback language is zh_CN", async () => {
    await expect(html).toHaveAttribute("lang", "zh-CN");
    await expect(header(page).getByRole("link", { name: "登录" })).toHaveAttribute("href", "/login");
    await expect(header(page).getByRole("button", { name: "公告" })).toBeVisible();
    await expect(page).toHaveTitle(/One Hub$/);
  });
  await test.step("the top bar is 64 px high, and links home, price and about", async () => {
    expect((await sizeOf(header(page))).height).toBe(64);
    const links = header(page).getByRole("navigation").getByRole("link");
    const addresses = await links.evaluateAll((all) => all.map((link) => link.getAttribute("href")));
    expect(addresses.filter((address) => address !== "/connect")).toEqual(["/", "/price", "/about"]);
    await page.setViewportSize({ width: 1920, height: 900 });
    expect((await sizeOf(header(page).locator("> div"))).width).toBe(1200);
  });
  await test.step("on a small screen it is 56 px high, and its links are in a menu", async () => {
    await page.setViewportSize({ width: 500, height: 800 });
    await expect(header(page).getByRole("navigation")).toHaveCount(0);
    expect((await sizeOf(header(page))).height).toBe(56);
    await header(page).getByRole("button", { name: "菜单" }).click();
    await page.getByRole("menuitem", { name: "价格" }).click();
    await page.waitForURL("**/price");
    await expect(heading(page)).toHaveText("价格");
    await page.setViewportSize({ width: 1440, height: 900 });
  });
  await test.step("a page begins at its top", async () => {
    await goTo(page, "/");
    await page.evaluate(() => scrollTo(0, 400));
    expect(await page.evaluate(() => scrollY)).toBeGreaterThan(0);
    await goTo(page, "/about");
    await expect.poll(() => page.evaluate(() => scrollY)).toBe(0);
  });
  for (const path of ["/", "/about", "/login", "/register?aff=Ab12", "/reset", "/jump", "/price"])
    await test.step(`${path} is a page`, async () => {
      await goTo(page, path);
      await expect(heading(page).first()).toBeVisible();
      await expect(heading(page).first()).not.toHaveText(failure);
    });
  await test.step("/user/reset without its link, /404 and an unknown route", async () => {
    await goTo(page, "/user/reset");
    await expect(page.getByText("链接无效")).toBeVisible();
    await goTo(page, "/404");
    await expect(heading(page)).toHaveText("页面不存在");
    await goTo(page, "/no/such/page");
    await expect(heading(page)).toHaveText(failure);
    await expect(page.getByText("页面不存在")).toBeVisible();
  });
  await test.step("the affiliate code of a link is stored", async () =>
    expect((await stored(page))["aff"]).toBe("Ab12"));
  for (const path of ["/playground", "/panel/token"])
    await test.step(`${path} needs a user`, async () => {
      await goTo(page, path);
      await page.waitForURL((url) => url.pathname === "/login" && url.searchParams.get("next") === path);
    });
  await test.step("a callback that fails shows the attempts, and leads to the sign-in", async () => {
    await goTo(page, "/oauth/github?error=access_denied");
    await expect(page.getByText("已失败 1 次，正在返回登录页面…")).toBeVisible();
    await page.waitForURL("**/login");
  });
  await test.step("the language comes from the query string, then the cookie, and is stored", async () => {
    await page.context().addCookies([{ name: "appLanguage", value: "ja_JP", url: site.url }]);
    await page.reload();
    await expect(html).toHaveAttribute("lang", "ja-JP");
    expect((await stored(page))["appLanguage"]).toBe("ja_JP");
    await page.goto("/about?lng=zh_HK");
    await expect(html).toHaveAttribute("lang", "zh-HK");
  });
  await test.step("without these it comes from the local storage, then the session storage", async () => {
    await page.context().clearCookies();
    await page.evaluate(() => sessionStorage.setItem("appLanguage", "en_US"));
    await page.goto("/about");
    await expect(html).toHaveAttribute("lang", "zh-HK");
    await page.evaluate(() => localStorage.removeItem("appLanguage"));
    await page.reload();
    await expect(html).toHaveAttribute("lang", "en-US");
  });
  await test.step("a status that cannot be loaded is reported, and the stored site is shown", async () => {
    await page.route("**/api/status", (route) => route.fulfill({ status: 502, body: "Bad gateway" }));
    await page.goto("/about?lng=en_US");
    await expect(page.getByText("Unable to connect to the server properly!").first()).toBeVisible();
    await expect(header(page).getByRole("link", { name: "One Hub" })).toBeVisible();
  });
});
