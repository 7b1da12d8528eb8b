import type { Page, Route } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hear } from "./support/shown-texts.ts";
import { openSite, type Site } from "./support/site.ts";

/** Missing, slow or broken parts: the frame stays visible, and a message explains what to do. */
let site: Site;
beforeAll(async () => {
  site = await openSite();
});
afterAll(() => site.close());

const menu = (page: Page) => page.getByRole("navigation", { name: "Console" });
const main = (page: Page) => page.locator("main");

async function refuse(route: Route, status: number, code: string, headers: Record<string, string> = {}) {
  const params = code === "rate_limit_exceeded" ? { reason: "too_many_requests" } : {};
  const json = { success: false, message: "In English.", code, params, request_id: "req-4711" };
  await route.fulfill({ status, headers, json });
}

describe("an address without a screen", () => {
  it("shows a page of the console to a signed-in user", async () => {
    const page = await site.open("/panel/no-such-screen");
    await main(page).getByRole("heading", { name: "This page does not exist", level: 1 }).waitFor();
    await menu(page).waitFor();
    await main(page).getByRole("link", { name: "Go to the dashboard" }).click();
    await page.waitForURL("**/panel/dashboard");
  });

  it("shows a page of the public site to everyone, in their language", async () => {
    const page = await site.open("/no/such/page", { guest: true, locale: "zh-CN" });
    await main(page).getByRole("heading", { name: "页面不存在", level: 1 }).waitFor();
    await page.getByRole("contentinfo").waitFor();
    await main(page).getByRole("link", { name: "前往首页" }).click();
    await page.waitForURL(`${site.url}/`);
  });
});

describe("code that a new version has replaced", () => {
  it("is fetched by one reload when it was missing ahead of the click, too", async () => {
    const page = await site.open("about:blank", { loadsAhead: true });
    let isClicked = false;
    let isReloaded = false;
    const missing = { ahead: 0 };
    page.on("request", (request) => {
      if (isClicked && request.isNavigationRequest()) isReloaded = true;
    });
    await page.route("**/assets/settings-page-*.css", async (route) => {
      if (isReloaded) return route.continue();
      missing.ahead += 1;
      return route.fulfill({ status: 404 });
    });
    await page.goto(`${site.url}/panel/profile`);
    await expect.poll(() => missing.ahead, { timeout: 30_000 }).toBe(1);
    isClicked = true;
    await menu(page).getByRole("link", { name: "Settings" }).click();
    await main(page).getByRole("heading", { name: "Settings", level: 1 }).waitFor();
    expect(isReloaded).toBe(true);
  });

  it.each(["js", "css"])("(%s) is fetched by one reload, without a message", async (kind) => {
    const page = await site.open("/panel/profile");
    await menu(page).waitFor();
    const gone = `**/assets/settings-page-*.${kind}`;
    let refused = 0;
    let isReloaded = false;
    // The new page requests its code before it is loaded, so the request for the page itself is what counts.
    page.on("request", (request) => {
      if (request.isNavigationRequest() && request.frame() === page.mainFrame()) isReloaded = true;
    });
    await page.route(gone, async (route) => {
      if (isReloaded) return route.continue();
      refused += 1;
      return route.fulfill({ status: 404 });
    });
    const reloaded = page.waitForEvent("load");
    await menu(page).getByRole("link", { name: "Settings" }).click();
    await reloaded;
    await main(page).getByRole("heading", { name: "Settings", level: 1 }).waitFor();
    expect(refused).toBeGreaterThan(0);
    expect(page.url()).toContain("/panel/setting");
  });

  it("is reported within the frame when a reload does not help", async () => {
    const page = await site.open("/panel/profile");
    await menu(page).waitFor();
    await page.route("**/assets/settings-page-*", (route) => route.fulfill({ status: 404 }));
    await menu(page).getByRole("link", { name: "Settings" }).click();
    await main(page).getByRole("heading", { name: "This screen could not be loaded" }).waitFor();
    await main(page).getByRole("button", { name: "Reload" }).waitFor();
    await menu(page).getByRole("link", { name: "Profile" }).click();
    await main(page).getByRole("heading", { name: "Profile", level: 1 }).waitFor();
  });

  it("is reported before anything is displayed, too", async () => {
    const page = await site.open("about:blank", { guest: true, locale: "ja-JP" });
    await page.route("**/assets/*.js", (route) => route.fulfill({ status: 404 }));
    await page.goto(`${site.url}/`);
    await page.getByRole("button", { name: /Reload|再読み込み/ }).waitFor();
  });
});

describe("without a connection", () => {
  it("a banner is shown, a screen that is not loaded yet waits, and both recover", async () => {
    const page = await site.open("/panel/profile");
    await menu(page).waitFor();
    const status = page.getByRole("status").filter({ hasText: "You are offline" });
    await page.context().setOffline(true);
    await status.waitFor();
    await menu(page).getByRole("link", { name: "Redemption codes" }).click();
    await page.waitForURL("**/panel/redemption");
    await main(page)
      .getByText(/could not be loaded/)
      .first()
      .waitFor();
    await menu(page).waitFor();
    await page.context().setOffline(false);
    await main(page).getByRole("heading", { name: "Redemption codes", level: 1 }).waitFor();
    await main(page).getByRole("button", { name: "New codes" }).first().waitFor();
    await expect.poll(() => status.count()).toBe(0);
  });

  it("to the server only, the page reconnects and fetches what it shows", async () => {
    const page = await site.open("/panel/profile");
    await menu(page).waitFor();
    await page.route("**/api/**", (route) => route.abort());
    await menu(page).getByRole("link", { name: "Redemption codes" }).click();
    await page.getByRole("status").filter({ hasText: "The server cannot be reached" }).waitFor();
    await main(page).getByText("This could not be loaded").waitFor();
    await page.unroute("**/api/**");
    await main(page).getByText("No redemption codes yet").waitFor();
    const banner = page.getByRole("status").filter({ hasText: "The server cannot be reached" });
    await expect.poll(() => banner.count()).toBe(0);
  });
});

describe("a rejected request", () => {
  it("with 429 shows a countdown and tries again, without a toast", async () => {
    const page = await site.open("/panel/profile");
    await menu(page).waitFor();
    const toasts = await hear(page, ".mantine-Notification-root");
    let requests = 0;
    await page.route("**/api/redemption?*", (route) => {
      requests += 1;
      return requests > 1
        ? route.continue()
        : refuse(route, 429, "rate_limit_exceeded", { "retry-after": "4" });
    });
    await menu(page).getByRole("link", { name: "Redemption codes" }).click();
    await main(page).getByText("Too many requests at the moment").waitFor();
    await main(page)
      .getByText(/Trying again in [1-4] s/)
      .waitFor();
    await main(page).getByText("No redemption codes yet").waitFor();
    expect(requests).toBe(2);
    expect(toasts).toEqual([]);
  });

  it("is not repeated, and its error is shown once", async () => {
    const page = await site.open("/panel/profile");
    await menu(page).waitFor();
    const toasts = await hear(page, ".mantine-Notification-root");
    let requests = 0;
    await page.route("**/api/redemption?*", (route) => {
      requests += 1;
      return refuse(route, 409, "conflict");
    });
    await menu(page).getByRole("link", { name: "Redemption codes" }).click();
    await main(page).getByText("This could not be loaded").waitFor();
    // Longer than a toast or a retry would take.
    await page.waitForTimeout(2_500);
    expect(requests).toBe(1);
    expect(toasts).toEqual([]);
  });

  it("keeps the frame when the account cannot be loaded either", async () => {
    const page = await site.open("/panel/profile");
    await menu(page).waitFor();
    await page.route("**/api/user/self", (route) =>
      refuse(route, 429, "rate_limit_exceeded", { "retry-after": "3" }),
    );
    await page.reload();
    await main(page).getByText("Too many requests at the moment").waitFor();
    await menu(page).getByRole("link", { name: "Channels" }).waitFor();
    await page.unroute("**/api/user/self");
    await main(page).getByRole("heading", { name: "Profile", level: 1 }).waitFor();
  });
});

describe("a server error", () => {
  it("is shown with the request id", async () => {
    const page = await site.open("/panel/profile");
    await menu(page).waitFor();
    await page.route("**/api/redemption?*", (route) => refuse(route, 500, "internal"));
    await menu(page).getByRole("link", { name: "Redemption codes" }).click();
    await main(page)
      .getByText(/Something went wrong on our side.*req-4711/)
      .waitFor();
    await page.unroute("**/api/redemption?*");
    await main(page).getByRole("button", { name: "Try again" }).click();
    await main(page).getByText("No redemption codes yet").waitFor();
  });

  it("without a response times out, with a retry button", async () => {
    const page = await site.open("about:blank");
    await page.addInitScript(() => {
      const inTime = AbortSignal.timeout.bind(AbortSignal);
      // Reduces the timeout of thirty seconds to three.
      AbortSignal.timeout = (ms) => inTime(ms / 10);
    });
    await page.route("**/api/redemption?*", () => {});
    await page.goto(`${site.url}/panel/redemption`);
    await main(page).getByText("This took too long to load").waitFor();
    await page.unroute("**/api/redemption?*");
    await main(page).getByRole("button", { name: "Try again" }).click();
    await main(page).getByText("No redemption codes yet").waitFor();
  });
});

describe("an error while rendering", () => {
  it("replaces only its card with a message", async () => {
    const page = await site.open("/panel/profile");
    await menu(page).waitFor();
    await page.route("**/api/channel?size=1*", (route) =>
      route.fulfill({ json: { success: true, message: "", data: {} } }),
    );
    await menu(page).getByRole("link", { name: "Dashboard" }).click();
    await main(page).getByText("This part cannot be shown").waitFor();
    await main(page).getByRole("heading", { name: "Channels" }).waitFor();
    await page.unroute("**/api/channel?size=1*");
  });

  it("replaces only its screen with a message", async () => {
    const page = await site.open("/panel/profile");
    await menu(page).waitFor();
    const names = "abcdefghijklmnopqrstuvwxyz".split("").map((name) => `Broken as ${name}`);
    await page.route("**/assets/settings-page-*.js", (route) =>
      route.fulfill({
        contentType: "text/javascript",
        body: `function Broken() { throw new Error("It broke."); }\nexport { Broken as default, ${names.join(", ")} };`,
      }),
    );
    await menu(page).getByRole("link", { name: "Settings" }).click();
    await main(page).getByRole("heading", { name: "This screen cannot be shown" }).waitFor();
    await main(page).getByText("It broke.").waitFor();
    await menu(page).getByRole("link", { name: "Profile" }).click();
    await main(page).getByRole("heading", { name: "Profile", level: 1 }).waitFor();
  });
});
