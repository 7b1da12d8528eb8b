/**
 * Texts of operators and users are shown as text: scripts in them do not run, and links do not leave the site
 * automatically.
 */
import type { Page } from "@playwright/test";
import { goTo } from "../support/go-to.ts";
import { expect, test, type Site } from "../support/test.ts";

let site: Site;
test.beforeAll(async ({ site: started }) => {
  site = started;
});

/** For names: a short text that would run if it were rendered as HTML. */
const shortScript = "<img src=x onerror=ran('name')>";
const script = [
  "<p>Visible words</p>",
  "<script>ran('script')</script>",
  `<img src="x" onerror="ran('onerror')">`,
  `<svg onload="ran('svg')"><script>ran('svg script')</script></svg>`,
  `<math><mtext><style><img src=x onerror="ran('mutation')"></style></mtext></math>`,
  `<a href="javascript:ran('link')">a link</a>`,
  `<a href="java&#10;script:ran('split link')">another link</a>`,
  `<form action="javascript:ran('form')"><button>send</button></form>`,
  `<iframe srcdoc="<script>parent.ran('frame')</script>"></iframe>`,
  `<object data="javascript:ran('object')"></object>`,
  `<details open ontoggle="ran('toggle')">details</details>`,
].join("\n");
const markdown = `Visible words\n\n[a link](javascript:ran('markdown'))\n\n${script}`;

/**
 * Records which scripts run in a page. Its content policy is disabled: the texts must be harmless without this second
 * protection.
 */
async function recordScripts(page: Page): Promise<string[]> {
  const scripts: string[] = [];
  await page.exposeFunction("ran", (name: string) => scripts.push(name));
  const browser = await page.context().newCDPSession(page);
  await browser.send("Page.setBypassCSP", { enabled: true });
  return scripts;
}

/** Goes to a screen, waits for its content, and looks for elements that could run something later. */
async function show(page: Page, path: string): Promise<void> {
  await goTo(page, path);
  await expect(page.locator(".mantine-Skeleton-root[data-visible], [data-page-loading]")).toHaveCount(0);
  await page.waitForLoadState("networkidle");
  const dangerous = page.locator("a[href^='javascript:' i], form[action], object, [srcdoc]");
  await expect(dangerous, path).toHaveCount(0);
}

/** Fails unless a script in this page is noticed. */
async function expectNoticed(page: Page, scripts: string[]): Promise<void> {
  await page.evaluate((html) => (document.body.innerHTML = html), shortScript);
  await expect.poll(() => scripts).toEqual(["name"]);
}

test.describe("hostile texts", () => {
  test("of the operator run nothing on any public page, in HTML and in Markdown", async () => {
    const page = await site.open("about:blank", { guest: true });
    const scripts = await recordScripts(page);
    for (const [format, text] of [
      ["HTML", script],
      ["Markdown", markdown],
    ] as const)
      await test.step(format, async () => {
        const keys = ["Notice", "About", "Footer", "HomePageContent"];
        const values = Object.fromEntries(keys.map((key) => [key, text]));
        await site.api("PUT", "/option/batch", { values: { ...values, SystemName: shortScript } });
        await page.goto("/");
        // The announcement.
        const notice = page.getByRole("dialog");
        await expect(notice.getByText("Visible words").first()).toBeVisible();
        await page.keyboard.press("Escape");
        await expect(notice).toHaveCount(0);
        for (const path of ["/", "/about"]) {
          await show(page, path);
          await expect(page.locator("main").getByText("Visible words").first()).toBeVisible();
        }
        for (const path of ["/login", "/register", "/models"]) await show(page, path);
        expect(await page.title()).toContain("<img");
        expect(scripts).toEqual([]);
      });
    await expectNoticed(page, scripts);
  });

  test("in names and descriptions run nothing in the console", { tag: "@nightly" }, async ({ page }) => {
    const group = { ratio: 1, api_rate: 600, public: true, min: 0, max: 0 };
    await site.api("POST", "/user_group", { ...group, symbol: "odd", name: shortScript });
    const models = ["demo-chat", "<b>odd</b>"];
    await site.api("POST", "/channel", { type: 900, groups: ["default"], models, name: shortScript });
    await site.api("POST", "/token", { name: shortScript });
    await site.api("POST", "/redemption", { name: shortScript, quota: 1, count: 1 });
    await site.api("POST", "/model_info", { model: "<b>odd</b>", name: shortScript, description: script });
    const account = { username: "mallory", password: "a long password", display_name: shortScript };
    await site.api("POST", "/user", account);
    const scripts = await recordScripts(page);
    await page.goto("/panel/profile");
    for (const screen of ["user_group", "channel", "token", "redemption", "model_info", "user"]) {
      await show(page, `/panel/${screen}`);
      await expect(page.locator("main").getByText("<img src=x").first()).toBeVisible();
    }
    for (const screen of ["model_price", "setting?tab=other", "audit", "playground", "dashboard"])
      await show(page, `/panel/${screen}`);
    expect(scripts).toEqual([]);
  });
});

test("the redirect after signing in never leaves this site, whatever the address contains", async ({
  page,
}) => {
  const elsewhere = [
    "https://elsewhere.example/panel",
    "//elsewhere.example",
    "/\\elsewhere.example",
    "/panel/..//elsewhere.example",
    "/panel\\..\\..\\\\elsewhere.example",
    "/panel.elsewhere.example",
    "javascript:ran('next')",
  ];
  const scripts = await recordScripts(page);
  await page.goto("/panel/profile");
  await page.getByRole("heading", { name: "Profile", exact: true }).waitFor();
  for (const next of elsewhere)
    await test.step(`/login?next=${next}`, async () => {
      await goTo(page, `/login?next=${encodeURIComponent(next)}`);
      await page.waitForURL((url) => url.pathname !== "/login");
      expect(new URL(page.url()).origin).toBe(site.url);
    });
  await test.step("an identity provider that redirects back with another site", async () => {
    const [next = ""] = elsewhere;
    const query = new URLSearchParams({ next, redirect: next, redirect_uri: next, code: "a", state: "b" });
    const answer = page.waitForResponse("**/api/oauth/github?*");
    await goTo(page, `/oauth/github?${query.toString()}`);
    await answer;
    expect(new URL(page.url()).origin).toBe(site.url);
  });
  // A refused sign-in leads back to the account.
  await page.waitForURL("**/panel/profile?tab=security");
  expect(scripts).toEqual([]);
});
