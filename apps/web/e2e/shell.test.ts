import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rootUser } from "./support/installation.ts";
import { openSite, type Site } from "./support/site.ts";

let site: Site;
beforeAll(async () => {
  site = await openSite();
});
afterAll(() => site.close());

async function signIn(page: Page, password = rootUser.password): Promise<void> {
  await page.getByLabel("Username or email").fill(rootUser.username);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.locator("form").getByRole("button", { name: "Sign in", exact: true }).click();
}

describe("signing in", () => {
  it.each(["/panel/profile", "/playground"])("returns a visitor who requested %s to it", async (path) => {
    const page = await site.open(path, { guest: true });
    await page.waitForURL("**/login?next=*");
    await signIn(page);
    await page.waitForURL(`**${path}`);
  });

  it("shows when the password is wrong, and stays", async () => {
    const page = await site.open("/login", { guest: true });
    await signIn(page, "not the password");
    await page.getByRole("alert").getByText("The username or password is wrong.").waitFor();
    await expect.poll(() => page.url()).toContain("/login");
  });

  it("never follows a link to another site", async () => {
    const page = await site.open("/login?next=//elsewhere.example/", { guest: true });
    await signIn(page);
    await page.waitForURL("**/panel/dashboard");
  });

  it("ends by signing out: the console requires an account again", async () => {
    const page = await site.open("/login", { guest: true });
    await signIn(page);
    await page.getByRole("button", { name: "Account" }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.waitForURL("**/login");
    await page.goto("/panel/dashboard");
    await page.waitForURL("**/login?next=*");
  });
});

describe("a session that ends while the console is open", () => {
  it("shows the sign-in screen, which returns to the previous screen", async () => {
    const page = await site.open("/panel/log?token_name=gone");
    const refresh = page.getByRole("button", { name: "Refresh" });
    await refresh.waitFor();
    await page.context().clearCookies();
    // A refresh that joins a request under way still has the session's answer.
    await expect
      .poll(async () => {
        await refresh.click({ timeout: 1_000 }).catch(() => undefined);
        return page.url();
      })
      .toContain("/login?next=");
    await signIn(page);
    await page.waitForURL("**/panel/log?token_name=gone");
  });

  it("keeps the input, which can be saved after signing in", async () => {
    const page = await site.open("/panel/redemption");
    await page.getByRole("button", { name: "New codes" }).first().click();
    const form = page.getByRole("dialog").filter({ hasText: "Value of each code" });
    await form.getByLabel("Name").fill("Typed before");
    await form.getByLabel("Value of each code").fill("2");
    await page.context().clearCookies();
    await form.getByRole("button", { name: "Create" }).click();
    const question = page.getByRole("dialog", { name: "Sign in again" });
    await question.waitFor();
    await expect.poll(() => page.evaluate(() => localStorage.getItem("user"))).toBeNull();
    const beside = page.context().waitForEvent("page");
    await question.getByRole("button", { name: "Sign in" }).click();
    const other = await beside;
    await signIn(other);
    await other.waitForURL("**/panel/dashboard");
    await form.getByRole("button", { name: "Create" }).click();
    await page.getByRole("dialog").getByText("1 code created").waitFor();
  });
});

describe("a browser without storage", () => {
  it("shows the public site, and the console while it is open", async () => {
    const page = await site.open("about:blank");
    await page.addInitScript(() => {
      for (const place of ["localStorage", "sessionStorage"])
        Object.defineProperty(window, place, {
          get() {
            throw new DOMException("It is switched off.", "SecurityError");
          },
        });
    });
    await page.goto(site.url);
    await page.getByRole("heading", { name: "One API for every AI model" }).waitFor();
    await page.goto(`${site.url}/panel/profile`);
    await page.getByRole("heading", { name: "Profile", exact: true }).waitFor();
    await page.goto(`${site.url}/panel/playground`);
    await page.getByText("No models yet").waitFor();
  });

  it("with full storage: the console opens, too", async () => {
    const page = await site.open("about:blank");
    await page.addInitScript(() => {
      Storage.prototype.setItem = () => {
        throw new DOMException("It is full.", "QuotaExceededError");
      };
    });
    await page.goto(`${site.url}/panel/profile`);
    await page.getByRole("heading", { name: "Profile", exact: true }).waitFor();
  });
});

describe("the console's frame", () => {
  it("marks the current screen in the menu and in the breadcrumbs", async () => {
    const page = await site.open("/panel/profile");
    const menu = page.getByRole("navigation", { name: "Console" });
    await menu.getByRole("link", { name: "Profile" }).waitFor();
    await expect.poll(() => menu.locator("[aria-current=page]").textContent()).toBe("Profile");
    const crumbs = page.getByRole("navigation", { name: "Breadcrumbs" });
    await expect.poll(() => crumbs.getByText("System").count()).toBe(1);
  });

  it("shows a scrollbar thumb of 40 to 100 pixels when the menu is higher than the window", async () => {
    const page = await site.open("/panel/dashboard");
    await page.setViewportSize({ width: 1440, height: 560 });
    const menu = page.getByRole("complementary");
    const thumb = page.locator("[data-menu-thumb]");
    await menu.hover();
    const height = async () => (await thumb.boundingBox())?.height ?? 0;
    await expect.poll(height).toBeGreaterThanOrEqual(40);
    await expect.poll(height).toBeLessThanOrEqual(100);
    await page.mouse.wheel(0, 2_000);
    const below = async () => {
      const [whole, part] = [await menu.boundingBox(), await thumb.boundingBox()];
      return whole && part ? whole.y + whole.height - (part.y + part.height) : Infinity;
    };
    await expect.poll(below).toBeLessThan(60);
    await page.getByRole("link", { name: "Audit log" }).click();
    await page.waitForURL("**/panel/audit");
  });

  it("closes the phone's drawer after a selection", async () => {
    const page = await site.open("/panel/dashboard", { phone: true });
    await page.getByRole("button", { name: "Expand menu" }).click();
    await page.getByRole("dialog").getByRole("link", { name: "Available models" }).click();
    await page.waitForURL("**/panel/model_price");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
  });

  it("finds screens by keyboard", async () => {
    const page = await site.open("/panel/dashboard");
    await page.getByRole("heading", { name: "Dashboard", level: 1 }).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("textbox", { name: "Go to…" }).fill("prof");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/panel/profile");
  });

  it("finds a channel by its name, also from within a search box", async () => {
    await site.api("POST", "/channel", {
      type: 900,
      name: "Far shore",
      models: ["demo-chat"],
      groups: ["default"],
    });
    const page = await site.open("/panel/channel");
    await page.getByRole("searchbox", { name: "Name, tag or ID" }).focus();
    await page.keyboard.press("Control+k");
    await page.getByRole("textbox", { name: "Go to…" }).fill("far sh");
    await page.getByRole("dialog").getByText("Far shore").waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL("**/panel/channel?edit=*");
  });

  it("keeps the chosen language after a reload", async () => {
    const page = await site.open("/panel/profile");
    await page.getByRole("button", { name: "Language" }).click();
    await page.getByRole("menuitem", { name: "简体中文" }).click();
    await page.getByRole("heading", { name: "个人设置" }).waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "个人设置" }).waitFor();
    await expect.poll(() => page.evaluate(() => localStorage.getItem("appLanguage"))).toBe("zh_CN");
    await expect.poll(() => page.locator("html").getAttribute("lang")).toBe("zh-CN");
  });

  it("uses the browser's language for new visitors", async () => {
    const page = await site.open("/", { guest: true, locale: "ja-JP" });
    await page.getByRole("link", { name: "サインイン" }).waitFor();
  });

  it("language: a browser with an unsupported language gets English, or the operator's choice", async () => {
    const page = await site.open("/", { guest: true, locale: "de-DE" });
    await page.getByRole("link", { name: "Sign in" }).waitFor();
    await site.api("PUT", "/option", { key: "Language", value: "zh_CN" });
    await page.reload();
    await page.getByRole("link", { name: "登录" }).waitFor();
    await site.api("PUT", "/option/batch", { values: { Language: null } });
    await page.reload();
    await page.getByRole("link", { name: "Sign in" }).waitFor();
  });

  it("keeps the language that a link requested", async () => {
    const page = await site.open("/about?lng=ja_JP", { guest: true });
    await page.getByRole("link", { name: "サインイン" }).waitFor();
    await page.goto("/about");
    await page.getByRole("link", { name: "サインイン" }).waitFor();
    await expect.poll(() => page.evaluate(() => localStorage.getItem("appLanguage"))).toBe("ja_JP");
  });

  it("applies the saved theme before the scripts run", async () => {
    const page = await site.open("/panel/profile");
    await page.getByRole("button", { name: "Dark theme" }).click();
    await page.route("**/assets/*.js", (route) => route.abort());
    await page.reload({ waitUntil: "domcontentloaded" });
    await expect.poll(() => page.locator("html").getAttribute("data-mantine-color-scheme")).toBe("dark");
  });

  it("collapses the menu to a rail and remembers it", async () => {
    const page = await site.open("/panel/profile");
    await page.getByRole("button", { name: "Collapse menu" }).click();
    await page.reload();
    await page.getByRole("button", { name: "Expand menu" }).waitFor();
    await page.getByRole("link", { name: "Dashboard" }).first().waitFor();
  });
});

describe("a request that failed", () => {
  it.each([
    [429, "rate_limit_exceeded", "Too many requests at the moment"],
    [
      500,
      "internal",
      "Something went wrong on our side. Include the request ID when you report it. (request id: r-1)",
    ],
    [405, "method_not_allowed", "This action is not available on a demo site."],
    [400, "from_a_later_version", "Something new. (request id: r-1)"],
  ])("with %i is explained in place of the content", async (status, code, sentence) => {
    const page = await site.open("/panel/profile");
    const params = code === "rate_limit_exceeded" ? { reason: "too_many_requests" } : {};
    const json = { success: false, message: "Something new.", code, params, request_id: "r-1" };
    await page.route("**/api/redemption?*", (route) => route.fulfill({ status, json }));
    await page.goto("/panel/redemption");
    await page.locator("main").getByText(sentence, { exact: true }).waitFor();
  });

  it("shows what was attempted", async () => {
    const page = await site.open("/about", { guest: true });
    await page.route("**/api/home_page_content", (route) =>
      route.fulfill({ status: 500, json: { success: false, message: "", code: "" } }),
    );
    await page.goto("/");
    const reason = "An internal error occurred. Try again, or contact the administrator.";
    await page.getByText(`Error: The home page could not be loaded: ${reason}`, { exact: true }).waitFor();
  });
});

describe("unknown addresses", () => {
  it("show a page within the console's frame", async () => {
    const page = await site.open("/panel/404");
    await page.getByRole("heading", { name: "This page does not exist" }).waitFor();
    await page.getByRole("navigation", { name: "Console" }).waitFor();
  });
});

describe("the public page", () => {
  it("shows the API address and sends no requests to other sites", async () => {
    const page = await site.open("/about", { guest: true });
    const foreign: string[] = [];
    const complaints: string[] = [];
    page.on("request", (request) => {
      if (!request.url().startsWith(site.url) && !request.url().startsWith("data:"))
        foreign.push(request.url());
    });
    page.on("console", (message) => {
      if (message.type() === "error") complaints.push(message.text());
    });
    await page.goto("/", { waitUntil: "networkidle" });
    await page.getByText(`${site.url}/v1`, { exact: true }).waitFor();
    expect(foreign).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("changes at once for visitors who prefer less motion", async () => {
    const page = await site.open("/", { guest: true });
    const name = page.getByRole("banner").getByText("One Hub");
    // A transition, however short, would begin with the old size.
    const size = await name.evaluate((text) => {
      text.style.fontSize = "40px";
      return getComputedStyle(text).fontSize;
    });
    expect(size).toBe("40px");
  });

  it("has its links in one line, or in a menu when they do not fit beside the name", async () => {
    const page = await site.open("/", { guest: true });
    const links = page.getByRole("navigation", { name: "Main" });
    const name = page.getByRole("banner").getByText("One Hub");
    await page.setViewportSize({ width: 970, height: 900 });
    expect((await links.boundingBox())?.height).toBeLessThan(40);
    await page.setViewportSize({ width: 820, height: 900 });
    await links.waitFor({ state: "detached" });
    expect(await name.evaluate((text) => text.scrollWidth - text.clientWidth)).toBe(0);
    await page.getByRole("button", { name: "Menu" }).click();
    await page.getByRole("menuitem", { name: "Connect a client" }).click();
    await page.waitForURL("**/connect");
  });

  it("offers a retry when its models could not be loaded, instead of an empty list", async () => {
    const page = await site.open("/404", { guest: true });
    await page.route("**/api/available_model", (route) =>
      route.fulfill({ status: 409, json: { success: false, message: "Not now.", code: "conflict" } }),
    );
    await page.goto("/");
    const models = page.locator("#models");
    await models.getByText("This could not be loaded").waitFor();
    await page.unroute("**/api/available_model");
    await models.getByRole("button", { name: "Try again" }).click();
    await expect.poll(() => models.getByText("This could not be loaded").count()).toBe(0);
  });

  it("shows the operator's own text without its scripts", async () => {
    await site.api("PUT", "/option", {
      key: "HomePageContent",
      value: "# Our gateway\n\n<img src=x onerror=\"document.title='broken'\"><script>alert(1)</script>",
    });
    const page = await site.open("/", { guest: true });
    await page.getByRole("heading", { name: "Our gateway" }).waitFor();
    await expect.poll(() => page.locator("main script, main [onerror]").count()).toBe(0);
  });

  it("opens a new announcement automatically, once", async () => {
    await site.api("PUT", "/option", { key: "Notice", value: "Maintenance on **Sunday**" });
    const page = await site.open("/about", { guest: true });
    await page.getByRole("dialog").getByText("Sunday").waitFor();
    await page.reload();
    await page.getByRole("heading", { level: 1 }).waitFor();
    await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
    await page.route("**/api/notice", (route) => route.abort());
    await page.reload();
    await page.getByRole("button", { name: "Notice" }).click();
    await page.getByRole("dialog", { name: "Notice" }).getByText("Sunday").waitFor();
  });
});

describe("a page of an old version", () => {
  it("detects that its script no longer exists", async () => {
    const answer = await fetch(`${site.url}/assets/gone-1a2b3c4d.js`);
    expect(answer.status).toBe(404);
    expect(await answer.text()).toBe("");
  });
});

describe("without a server", () => {
  it("shows that it cannot connect and keeps the site's name", async () => {
    const page = await site.open("/about", { guest: true });
    await page.getByRole("link", { name: "One Hub" }).first().waitFor();
    await page.route("**/api/**", (route) => route.abort());
    await page.reload();
    await page
      .getByText("The server cannot be reached. Check your connection and try again.")
      .first()
      .waitFor();
    await expect.poll(() => page.getByRole("link", { name: "One Hub" }).count()).toBeGreaterThan(0);
  });
});
