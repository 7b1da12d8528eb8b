/**
 * Texts of operators and users are shown as text: scripts in them do not run, and links do not leave the site
 * automatically.
 */
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSite, type Site } from "./support/site.ts";

let site: Site;
beforeAll(async () => {
  site = await openSite();
});
afterAll(() => site.close());

/** For names: short texts, each of which would run in a different way if it were rendered as HTML. */
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
 * Opens a page that records which scripts ran. Its content policy is disabled: the texts must be harmless
 * without this second protection.
 */
async function watched(options: { guest: boolean }): Promise<{ page: Page; ran: string[] }> {
  const page = await site.open("about:blank", options);
  const ran: string[] = [];
  await page.context().exposeFunction("ran", (what: string) => ran.push(what));
  const browser = await page.context().newCDPSession(page);
  await browser.send("Page.setBypassCSP", { enabled: true });
  return { page, ran };
}

let addresses = 0;

async function show(page: Page, path: string): Promise<void> {
  addresses += 1;
  await page.setExtraHTTPHeaders({ "x-forwarded-for": `10.8.0.${addresses}` });
  await page.goto(`${site.url}${path}`, { waitUntil: "networkidle" });
  expect(await page.locator("a[href^='javascript:' i], form[action], object, [srcdoc]").count(), path).toBe(
    0,
  );
}

describe("hostile texts", () => {
  it("would be detected if they ran", async () => {
    const { page, ran } = await watched({ guest: true });
    await page.goto(`${site.url}/404`);
    await page.evaluate((html) => (document.body.innerHTML = html), shortScript);
    await expect.poll(() => ran).toEqual(["name"]);
  });

  it("of the operator run nothing on any public page, in HTML or in Markdown", async () => {
    for (const text of [script, markdown]) {
      const values = {
        Notice: text,
        About: text,
        Footer: text,
        HomePageContent: text,
        SystemName: shortScript,
      };
      await site.api("PUT", "/option/batch", { values });
      const { page, ran } = await watched({ guest: true });
      for (const path of ["/", "/about", "/login", "/register", "/models"]) await show(page, path);
      await show(page, "/about");
      await page.locator("main").getByText("Visible words").first().waitFor();
      expect(await page.title()).toContain("<img");
      expect(ran).toEqual([]);
    }
  });

  it("in names and descriptions run nothing in the console", async () => {
    const group = { ratio: 1, api_rate: 600, public: true, min: 0, max: 0 };
    await site.api("POST", "/user_group", { ...group, symbol: "odd", name: shortScript });
    const models = ["demo-chat", "<b>odd</b>"];
    await site.api("POST", "/channel", { type: 900, groups: ["default"], models, name: shortScript });
    await site.api("POST", "/token", { name: shortScript });
    await site.api("POST", "/redemption", { name: shortScript, quota: 1, count: 1 });
    await site.api("POST", "/model_info", { model: "<b>odd</b>", name: shortScript, description: script });
    await site.api("POST", "/user", {
      username: "mallory",
      password: "a long password",
      display_name: shortScript,
    });
    const { page, ran } = await watched({ guest: false });
    for (const screen of [
      "user_group",
      "channel",
      "token",
      "redemption",
      "model_info",
      "user",
      "model_price",
    ]) {
      await show(page, `/panel/${screen}`);
      if (screen !== "model_price") await page.getByText("<img src=x").first().waitFor();
    }
    for (const path of ["/panel/setting?tab=other", "/panel/audit", "/panel/playground", "/panel/dashboard"])
      await show(page, path);
    expect(ran).toEqual([]);
  });

  it("are rejected as addresses of chat clients, of models and of the logo", async () => {
    for (const url of [
      "javascript:ran('chat')",
      "JaVaScRiPt:ran(1)",
      "data:text/html,<script>ran(1)</script>",
    ]) {
      const chat = JSON.stringify([{ name: "odd", url, show: true }]);
      await expect(site.api("PUT", "/option", { key: "ChatLinks", value: chat })).rejects.toThrow();
      await expect(site.api("PUT", "/option", { key: "Logo", value: url })).rejects.toThrow();
      await expect(site.api("PUT", "/option", { key: "TopUpLink", value: url })).rejects.toThrow();
      const info = { model: "another", support_url: [url] };
      await expect(site.api("POST", "/model_info", info)).rejects.toThrow();
    }
  });
});

describe("the redirect after signing in", () => {
  const elsewhere = [
    "https://elsewhere.example/panel",
    "//elsewhere.example",
    "/\\elsewhere.example",
    "/panel/..//elsewhere.example",
    "/panel\\..\\..\\\\elsewhere.example",
    "/panel.elsewhere.example",
    "javascript:ran('next')",
  ];

  it("never leaves this site, whatever the address contains", async () => {
    const { page, ran } = await watched({ guest: false });
    // The public site remembers that the user is signed in.
    await show(page, "/panel/dashboard");
    for (const next of elsewhere) {
      await show(page, `/login?next=${encodeURIComponent(next)}`);
      await page.waitForURL((url) => url.pathname !== "/login");
      expect(new URL(page.url()).origin, next).toBe(site.url);
    }
    expect(ran).toEqual([]);
  });

  it("never leaves this site when an identity provider redirects back", async () => {
    const { page, ran } = await watched({ guest: true });
    for (const next of elsewhere) {
      const query = new URLSearchParams({
        next,
        redirect: next,
        redirect_uri: next,
        code: "odd",
        state: "odd",
      });
      await show(page, `/oauth/github?${query.toString()}`);
      expect(new URL(page.url()).origin, next).toBe(site.url);
    }
    expect(ran).toEqual([]);
  });
});
