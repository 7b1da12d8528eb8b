/** Signing in and out, the console's frame, and the public site's. */
import type { Page } from "@playwright/test";
import { goTo } from "../support/go-to.ts";
import { rootUser } from "../support/installation.ts";
import { expect, test } from "../support/test.ts";

const console = (page: Page) => page.getByRole("navigation", { name: "Console" });
const title = (page: Page, name: string) => page.getByRole("heading", { name, exact: true });

async function signIn(page: Page, password = rootUser.password): Promise<void> {
  await page.getByLabel("Username or email").fill(rootUser.username);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.locator("form").getByRole("button", { name: "Sign in", exact: true }).click();
}

test.describe("signing in", () => {
  test.use({ guest: true });

  test("leads to the requested screen, signing out closes the console, and a session that ends loses nothing", async ({
    page,
  }) => {
    await page.goto("/panel/profile");
    await page.waitForURL("**/login?next=*");
    await test.step("a wrong password is shown at the form", async () => {
      await signIn(page, "not the password");
      await expect(page.getByRole("alert").getByText("The username or password is wrong.")).toBeVisible();
      expect(page.url()).toContain("/login");
    });
    await signIn(page);
    await page.waitForURL("**/panel/profile");
    await page.getByRole("button", { name: "Account" }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.waitForURL("**/login");
    const self = await page.request.get("/api/user/self", { headers: { "api-version": "2" } });
    expect(self.status()).toBe(401);
    await test.step("a public page that needs an account asks for it, too", async () => {
      await goTo(page, "/playground");
      await page.waitForURL("**/login?next=*");
      await signIn(page);
      await page.waitForURL("**/playground");
    });
    await expectNothingLost(page);
  });
});

/** A session that ends while the console is open asks for the password, and loses nothing. */
async function expectNothingLost(page: Page): Promise<void> {
  await goTo(page, "/panel/redemption");
  await test.step("a form keeps its input, which can be saved after signing in", async () => {
    await page.getByRole("button", { name: "New codes" }).first().click();
    const form = page.getByRole("dialog").filter({ hasText: "Value of each code" });
    await form.getByLabel("Name").fill("Typed before");
    await form.getByLabel("Value of each code").fill("2");
    await page.context().clearCookies();
    await form.getByRole("button", { name: "Create" }).click();
    const question = page.getByRole("dialog", { name: "Sign in again" });
    await expect(question).toBeVisible();
    await expect.poll(() => page.evaluate(() => localStorage.getItem("user"))).toBeNull();
    const popup = page.context().waitForEvent("page");
    await question.getByRole("button", { name: "Sign in" }).click();
    const other = await popup;
    await signIn(other);
    await other.waitForURL("**/panel/dashboard");
    await other.close();
    await form.getByRole("button", { name: "Create" }).click();
    await expect(page.getByRole("dialog").getByText("1 code created")).toBeVisible();
  });
  await test.step("a list shows the sign-in screen, which returns to it", async () => {
    await goTo(page, "/panel/log?token_name=gone");
    const refresh = page.getByRole("button", { name: "Refresh" });
    await refresh.waitFor();
    await page.context().clearCookies();
    // A refresh that joins a request under way still has the session's answer.
    await expect(async () => {
      await refresh.click({ timeout: 1_000 }).catch(() => undefined);
      expect(page.url()).toContain("/login?next=");
    }).toPass();
    await signIn(page);
    await page.waitForURL("**/panel/log?token_name=gone");
  });
}

test(
  "a browser without storage shows the public site, and the console while it is open",
  { tag: "@nightly" },
  async ({ page }) => {
    await page.addInitScript(() => {
      for (const place of ["localStorage", "sessionStorage"])
        Object.defineProperty(window, place, {
          get() {
            throw new DOMException("It is switched off.", "SecurityError");
          },
        });
    });
    await page.goto("/");
    await expect(page.getByRole("heading", { name: "One address for every AI model" })).toBeVisible();
    await goTo(page, "/panel/profile");
    await expect(title(page, "Profile")).toBeVisible();
    await goTo(page, "/panel/playground");
    await expect(page.getByText("No models yet")).toBeVisible();
  },
);

test("the console's frame marks the screen, and remembers its language, theme and rail", async ({ page }) => {
  const html = page.locator("html");
  await page.goto("/panel/profile");
  await test.step("the screen is marked in the menu and in the breadcrumbs", async () => {
    await expect(console(page).locator("[aria-current=page]")).toHaveText("Profile");
    await expect(page.getByRole("navigation", { name: "Breadcrumbs" }).getByText("Setting")).toHaveCount(1);
  });
  await test.step("a menu that is higher than the window scrolls to the open screen", async () => {
    await page.setViewportSize({ width: 1440, height: 420 });
    await goTo(page, "/panel/dashboard");
    await expect(console(page).locator("[aria-current=page]")).toHaveText("Dashboard");
    await goTo(page, "/panel/profile");
    await expect(console(page).locator("[aria-current=page]")).toHaveText("Profile");
    await expect(console(page).locator("[aria-current=page]")).toBeInViewport({ ratio: 1 });
    await page.setViewportSize({ width: 1440, height: 900 });
  });
  await page.getByRole("button", { name: "Dark theme" }).click();
  await page.getByRole("button", { name: "Collapse menu" }).click();
  await page.getByRole("button", { name: "Language" }).click();
  await page.getByRole("menuitem", { name: "简体中文" }).click();
  await expect(title(page, "个人设置")).toBeVisible();
  await test.step("language and rail are the same after a reload", async () => {
    await page.reload();
    await expect(title(page, "个人设置")).toBeVisible();
    await expect(html).toHaveAttribute("lang", "zh-CN");
    expect(await page.evaluate(() => localStorage.getItem("appLanguage"))).toBe("zh_CN");
    await expect(page.getByRole("button", { name: "展开菜单" })).toBeVisible();
    await expect(page.getByRole("link", { name: "仪表盘" }).first()).toBeVisible();
  });
  await test.step("the theme is applied before the scripts run", async () => {
    await page.route("**/assets/*.js", (route) => route.abort());
    await page.reload({ waitUntil: "domcontentloaded" });
    await expect(html).toHaveAttribute("data-mantine-color-scheme", "dark");
  });
});

test.describe("the public site", () => {
  test(
    "is in Chinese when the browser's language is unknown, in the one that a link requested, and its characters",
    { tag: "@nightly" },
    async ({ site }) => {
      const fonts: string[] = [];
      const page = await site.open("about:blank", { guest: true, locale: "de-DE" });
      page.on("request", (request) => {
        if (request.resourceType() === "font") fonts.push(new URL(request.url()).pathname);
      });
      await page.goto("/about");
      await expect(page.getByRole("link", { name: "登录" })).toBeVisible();
      await test.step("the page loads the fonts of its text alone, each once", async () => {
        await page.waitForLoadState("networkidle");
        const preloaded = page.locator("link[rel=preload][as=font]");
        const address = await preloaded.evaluate((link: HTMLLinkElement) => new URL(link.href).pathname);
        // The preloaded font is the one that the text uses.
        expect(fonts.filter((path) => path === address)).toHaveLength(1);
        expect(fonts.filter((path) => !/\/(inter|jetbrains-mono)-latin-wght[^/]*$/.test(path))).toEqual([]);
      });
      await page.goto("/about?lng=ja_JP");
      await expect(page.getByRole("link", { name: "サインイン" })).toBeVisible();
      expect(await page.evaluate(() => localStorage.getItem("appLanguage"))).toBe("ja_JP");
      await test.step("characters are drawn in the shapes of their region", async () => {
        const expectFont = async (name: string) => {
          for (const selector of ["body", "h1", "button"])
            await expect(page.locator(selector).first()).toHaveCSS("font-family", new RegExp(`"${name}"`));
        };
        await expectFont("Hiragino Sans");
        for (const [language, tag, font] of [
          ["繁體中文", "zh-HK", "PingFang HK"],
          ["简体中文", "zh-CN", "PingFang SC"],
        ] as const) {
          await page.getByRole("button", { name: /^(言語|語言)$/ }).click();
          await page.getByRole("menuitem", { name: language }).click();
          await expect(page.locator("html")).toHaveAttribute("lang", tag);
          await expectFont(font);
        }
      });
    },
  );

  test(
    "shows a new announcement once, and again on request while the server is away",
    { tag: "@nightly" },
    async ({ site }) => {
      await site.api("PUT", "/option", { key: "Notice", value: "Maintenance on **Sunday**" });
      const page = await site.open("/about", { guest: true });
      const dialog = page.getByRole("dialog");
      await expect(dialog.getByText("Sunday")).toBeVisible();
      const answer = page.waitForResponse("**/api/notice");
      await page.reload();
      await answer;
      await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
      await expect(dialog).toHaveCount(0);
      await page.route("**/api/**", (route) => route.abort());
      await page.reload();
      await expect(
        page
          .getByText("Unable to connect to the server properly! Check your connection and try again.")
          .first(),
      ).toBeVisible();
      await expect(page.getByRole("link", { name: "One Hub" }).first()).toBeVisible();
      await page.getByRole("button", { name: "Notice" }).click();
      await expect(page.getByRole("dialog", { name: "Notice" }).getByText("Sunday")).toBeVisible();
      await site.api("PUT", "/option/batch", { values: { Notice: null } });
    },
  );

  test(
    "explains what could not be loaded on the home page, and has a menu for its links",
    { tag: "@nightly" },
    async ({ site }) => {
      const page = await site.open("/about", { guest: true });
      await test.step("the content of the operator", async () => {
        await page.route("**/api/home_page_content", (route) =>
          route.fulfill({ status: 500, json: { success: false, message: "", code: "" } }),
        );
        await page.route("**/api/available_model", (route) =>
          route.fulfill({ status: 409, json: { success: false, message: "Not now.", code: "conflict" } }),
        );
        await goTo(page, "/");
        const reason = "An internal error occurred. Try again, or contact the administrator.";
        const text = `Error: Failed to load home content: ${reason}`;
        await expect(page.getByText(text, { exact: true })).toBeVisible();
      });
      await test.step("the models, which can be loaded again", async () => {
        await page.unroute("**/api/home_page_content");
        await goTo(page, "/about");
        await goTo(page, "/");
        const models = page.getByRole("main");
        await expect(models.getByText("This could not be loaded")).toBeVisible();
        await page.unroute("**/api/available_model");
        await models.getByRole("button", { name: "Try again" }).click();
        await expect(models.getByText("This could not be loaded")).toHaveCount(0);
        await expect(page.getByText(`${site.url}/v1`, { exact: true })).toBeVisible();
      });
      await test.step("links that do not fit beside the name are in a menu", async () => {
        await page.setViewportSize({ width: 820, height: 900 });
        await expect(page.getByRole("navigation", { name: "Main" })).toHaveCount(0);
        await page.getByRole("button", { name: "Menu" }).click();
        await page.getByRole("menuitem", { name: "Connect a client" }).click();
        await page.waitForURL("**/connect");
      });
      await test.step("nothing moves for visitors who prefer less motion", async () => {
        // A transition, however short, would begin with the old size.
        const size = await page
          .getByRole("banner")
          .getByText("One Hub")
          .evaluate((text) => {
            text.style.fontSize = "40px";
            return getComputedStyle(text).fontSize;
          });
        expect(size).toBe("40px");
      });
    },
  );
});
