/** Missing, slow or broken parts: the frame stays visible, and a message explains what to do. */
import type { Page, Route } from "@playwright/test";
import { goTo } from "../support/go-to.ts";
import { menuOf as menu, openInMenu as open } from "../support/menu.ts";
import { hear } from "../support/screens/shown-texts.ts";
import { expect, test } from "../support/test.ts";

const main = (page: Page) => page.locator("main");
const title = (page: Page, name: string) => main(page).getByRole("heading", { name, level: 1 });

async function refuse(route: Route, status: number, code: string, headers: Record<string, string> = {}) {
  const params = code === "rate_limit_exceeded" ? { reason: "too_many_requests" } : {};
  const json = { success: false, message: "In English.", code, params, request_id: "req-4711" };
  await route.fulfill({ status, headers, json });
}

test(
  "an address without a screen shows a page of the public site in the visitor's language",
  { tag: "@nightly" },
  async ({ site }) => {
    const page = await site.open("/no/such/page", { guest: true, locale: "zh-CN" });
    await expect(title(page, "Unexpected Application Error!")).toBeVisible();
    await expect(main(page).getByText("页面不存在")).toBeVisible();
    await expect(page.getByRole("contentinfo")).toBeVisible();
    await main(page).getByRole("link", { name: "前往首页" }).click();
    await page.waitForURL(`${site.url}/`);
  },
);

test.describe("code that a new version has replaced", () => {
  test(
    "is fetched by one reload, and reported within the frame when the reload does not help",
    { tag: "@nightly" },
    async ({ page }) => {
      let isReloaded = false;
      let refusals = 0;
      await page.goto("/panel/profile");
      await expect(menu(page)).toBeVisible();
      // The new page requests its code before it is loaded, so the request for the page itself is what counts.
      page.on("request", (request) => {
        if (request.isNavigationRequest() && request.frame() === page.mainFrame()) isReloaded = true;
      });
      await test.step("a script is fetched by one reload, without a message", async () => {
        await page.route("**/assets/settings-page-*.js", async (route) => {
          if (isReloaded) return route.continue();
          refusals += 1;
          return route.fulfill({ status: 404 });
        });
        await open(page, "Settings");
        await expect(title(page, "Settings")).toBeVisible();
        expect(refusals).toBeGreaterThan(0);
        expect(isReloaded).toBe(true);
        expect(page.url()).toContain("/panel/setting");
      });
      await test.step("code that is missing a moment after the reload, too, is reported in place of the screen", async () => {
        await page.route("**/assets/telegram-page-*", (route) => route.fulfill({ status: 404 }));
        await open(page, "Telegram bot");
        await expect(
          main(page).getByRole("heading", { name: "This screen could not be loaded" }),
        ).toBeVisible();
        await expect(main(page).getByRole("button", { name: "Reload" })).toBeVisible();
        await open(page, "Profile");
        await expect(title(page, "Profile")).toBeVisible();
      });
    },
  );

  test(
    "is fetched by one reload when a style sheet was missing ahead of the click",
    { tag: "@nightly" },
    async ({ site }) => {
      const page = await site.open("about:blank", { loadsAhead: true });
      let isClicked = false;
      let isReloaded = false;
      let missingAhead = 0;
      page.on("request", (request) => {
        if (isClicked && request.isNavigationRequest()) isReloaded = true;
      });
      await page.route("**/assets/settings-*.css", async (route) => {
        if (isReloaded) return route.continue();
        missingAhead += 1;
        return route.fulfill({ status: 404 });
      });
      await page.goto("/panel/profile");
      await expect.poll(() => missingAhead).toBe(1);
      isClicked = true;
      await open(page, "Settings");
      await expect(title(page, "Settings")).toBeVisible();
      expect(isReloaded).toBe(true);
    },
  );

  test("is reported before anything is displayed, too", async ({ page }) => {
    await page.route("**/assets/*.js", (route) => route.fulfill({ status: 404 }));
    await page.goto("/");
    await expect(page.getByRole("button", { name: "Reload" })).toBeVisible();
  });
});

test(
  "without a connection, a banner is shown, the screen waits, and both recover",
  { tag: "@nightly" },
  async ({ page }) => {
    const banner = (text: string) => page.getByRole("status").filter({ hasText: text });
    await page.goto("/panel/profile");
    await expect(menu(page)).toBeVisible();
    await test.step("a browser that is offline opens a screen that is not loaded yet", async () => {
      await page.context().setOffline(true);
      await expect(banner("You are offline")).toBeVisible();
      await open(page, "User groups");
      await page.waitForURL("**/panel/user_group");
      await expect(
        main(page)
          .getByText(/could not be loaded/)
          .first(),
      ).toBeVisible();
      await expect(menu(page)).toBeVisible();
      await page.context().setOffline(false);
      await expect(title(page, "User groups")).toBeVisible();
      await expect(main(page).getByRole("button", { name: "New group" }).first()).toBeVisible();
      await expect(banner("You are offline")).toHaveCount(0);
    });
    await test.step("a request to a server that cannot be reached is repeated", async () => {
      await page.route("**/api/**", (route) => route.abort());
      await open(page, "Redemption codes");
      await expect(banner("The server cannot be reached")).toBeVisible();
      await expect(main(page).getByText("This could not be loaded")).toBeVisible();
      await page.unroute("**/api/**");
      await expect(main(page).getByText("No redemption codes yet")).toBeVisible();
      await expect(banner("The server cannot be reached")).toHaveCount(0);
    });
  },
);

test("a rejected request is explained in place of the content, and not repeated again and again", async ({
  page,
}) => {
  const toasts = await hear(page, ".mantine-Notification-root");
  await page.goto("/panel/profile");
  await expect(menu(page)).toBeVisible();
  await test.step("429 shows a countdown and is repeated after it", async () => {
    let requests = 0;
    await page.route("**/api/redemption?*", (route) => {
      requests += 1;
      return requests > 1
        ? route.continue()
        : refuse(route, 429, "rate_limit_exceeded", { "retry-after": "4" });
    });
    await open(page, "Redemption codes");
    await expect(main(page).getByText("Too many requests. Try again later.")).toBeVisible();
    await expect(main(page).getByText(/Trying again in [1-4] s/)).toBeVisible();
    await expect(main(page).getByText("No redemption codes yet")).toBeVisible();
    expect(requests).toBe(2);
    await page.unroute("**/api/redemption?*");
  });
  const answers = [
    [409, "conflict", "This could not be loaded"],
    [405, "method_not_allowed", "This action is not available on a demo site."],
    [400, "from_a_later_version", "In English. (request id: req-4711)"],
    [
      500,
      "internal",
      "Something went wrong on our side. Include the request ID when you report it. (request id: req-4711)",
    ],
  ] as const;
  for (const [status, code, sentence] of answers)
    await test.step(`${status} ${code} is not repeated`, async () => {
      let requests = 0;
      await page.route("**/api/redemption?*", (route) => {
        requests += 1;
        return refuse(route, status, code);
      });
      await goTo(page, `/panel/redemption?keyword=${status}`);
      await expect(main(page).getByText(sentence, { exact: true })).toBeVisible();
      expect(requests).toBe(1);
      await page.unroute("**/api/redemption?*");
    });
  await main(page).getByRole("button", { name: "Try again" }).click();
  await expect(main(page).getByText("No code matches")).toBeVisible();
  await test.step("a request without a response times out, with a retry button", async () => {
    await page.evaluate(() => {
      const inTime = AbortSignal.timeout.bind(AbortSignal);
      // Reduces the timeout of thirty seconds to three.
      AbortSignal.timeout = (ms) => inTime(ms / 10);
    });
    await page.route("**/api/redemption?*", () => {});
    await goTo(page, "/panel/redemption?keyword=late");
    await expect(main(page).getByText("This took too long to load")).toBeVisible();
    await page.unroute("**/api/redemption?*");
    await main(page).getByRole("button", { name: "Try again" }).click();
    await expect(main(page).getByText("No code matches")).toBeVisible();
  });
  expect(toasts).toEqual([]);
  await test.step("payment methods that cannot be loaded are reported beside the rest of the screen", async () => {
    let requests = 0;
    await page.route("**/api/user/payment", (route) => {
      requests += 1;
      return refuse(route, 500, "internal");
    });
    await goTo(page, "/panel/topup");
    const card = main(page).locator(".mantine-Card-root").filter({ hasText: "Pay online" });
    await expect(card.getByText("This could not be loaded")).toBeVisible();
    await expect(main(page).getByText("Redeem a code")).toBeVisible();
    const shown = requests;
    await page.unroute("**/api/user/payment");
    await card.getByRole("button", { name: "Try again" }).click();
    await expect(card).toHaveCount(0);
    // The load ahead of the screen, the screen, and the card.
    expect(shown).toBeLessThanOrEqual(3);
  });
});

test(
  "an error keeps the parts around it: the frame, the screen or the other cards",
  { tag: "@nightly" },
  async ({ page }) => {
    await test.step("an address without a screen shows a page within the frame", async () => {
      await page.goto("/panel/no-such-screen");
      await expect(title(page, "Unexpected Application Error!")).toBeVisible();
      await expect(menu(page)).toBeVisible();
    });
    await test.step("an error while rendering a card replaces only this card", async () => {
      await page.route("**/api/overview", async (route) => {
        const response = await route.fetch();
        const answer = (await response.json()) as { data: { attention: unknown } };
        answer.data.attention = null;
        await route.fulfill({ response, json: answer });
      });
      await main(page).getByRole("link", { name: "Go to the dashboard" }).click();
      await page.waitForURL("**/panel/dashboard");
      await expect(main(page).getByText("This part cannot be shown").first()).toBeVisible();
      await expect(main(page).getByText("Data format incorrect.").first()).toBeVisible();
      await expect(main(page).getByRole("heading", { name: "Channels" })).toBeVisible();
      await page.unroute("**/api/overview");
    });
    await test.step("an error while rendering a screen replaces only this screen", async () => {
      const names = "abcdefghijklmnopqrstuvwxyz".split("").map((name) => `Broken as ${name}`);
      await page.route("**/assets/settings-page-*.js", (route) =>
        route.fulfill({
          contentType: "text/javascript",
          body: `function Broken() { throw new Error("It broke."); }\nexport { Broken as default, ${names.join(", ")} };`,
        }),
      );
      await open(page, "Settings");
      await expect(main(page).getByRole("heading", { name: "This screen cannot be shown" })).toBeVisible();
      await expect(main(page).getByText("It broke.")).toBeVisible();
      await open(page, "Profile");
      await expect(title(page, "Profile")).toBeVisible();
    });
    await test.step("the frame is shown when the account cannot be loaded", async () => {
      await page.route("**/api/user/self", (route) =>
        refuse(route, 429, "rate_limit_exceeded", { "retry-after": "3" }),
      );
      await page.reload();
      await expect(main(page).getByText("Too many requests. Try again later.")).toBeVisible();
      await expect(menu(page).getByRole("link", { name: "Channels" })).toBeVisible();
      await page.unroute("**/api/user/self");
      await expect(title(page, "Profile")).toBeVisible();
    });
  },
);
