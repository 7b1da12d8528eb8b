import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { screens } from "../src/app/screens.ts";
import { openSite, type Site } from "./site.ts";

let site: Site;
beforeAll(async () => {
  site = await openSite();
  const channel = { type: 900, name: "Demo", models: ["demo-chat"], groups: ["default"] };
  await site.api("POST", "/channel", channel);
  const { key } = await site.api<{ key: string }>("POST", "/token", { name: "first" });
  await fetch(`${site.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
    body: JSON.stringify({ model: "demo-chat", messages: [{ role: "user", content: "Hello" }] }),
  });
  const calls = async () => (await site.api<{ request_count: number }>("GET", "/user/self")).request_count;
  await vi.waitFor(async () => expect(await calls()).toBe(1), { timeout: 30_000, interval: 500 });
});
afterAll(() => site.close());

interface Load {
  /** Bytes of JavaScript over the wire. */
  script: number;
  requests: number;
  /** Files of JavaScript. */
  scripts: number;
}

/** What a page brings over the wire until it rests, packed in this way, without what is loaded ahead. */
async function loadOf(
  page: Page,
  packing: string,
  path: string,
  shown: (page: Page) => Locator,
): Promise<Load> {
  const sizes: Promise<number>[] = [];
  const packings = new Set<string | undefined>();
  let requests = 0;
  // The first steps are no part of the page of every day.
  await page.addInitScript(() => localStorage.setItem("first-steps-hidden", "true"));
  await page.addInitScript(() =>
    Object.defineProperty(navigator, "connection", { value: { saveData: true, effectiveType: "4g" } }),
  );
  await page.setExtraHTTPHeaders({ "accept-encoding": packing });
  page.on("response", (response) => {
    if (response.request().resourceType() === "script") packings.add(response.headers()["content-encoding"]);
  });
  page.on("request", () => (requests += 1));
  page.on("requestfinished", (request) => {
    if (request.resourceType() === "script")
      sizes.push(request.sizes().then((size) => size.responseBodySize));
  });
  await page.goto(`${site.url}${path}`);
  await shown(page).waitFor();
  await page.waitForLoadState("networkidle");
  // What comes a moment later, unasked.
  await page.waitForTimeout(1_000);
  expect([...packings].filter(Boolean)).toEqual([packing]);
  const bytes = await Promise.all(sizes);
  return { script: bytes.reduce((sum, size) => sum + size, 0), requests, scripts: bytes.length };
}

/** Every browser takes the first; most take the second, which is smaller, from a safe origin. */
const packings = ["gzip", "br"] as const;
const console = { least: 140_000, guest: false };
const visitors = { least: 50_000, guest: true };

/** Bytes of JavaScript and requests that a page may cost. The words weigh most in Japanese. */
const budgets = [
  {
    ...visitors,
    path: "/",
    most: 155_000,
    requests: 21,
    shown: (page: Page) => page.getByText(`${site.url}/v1`, { exact: true }),
  },
  {
    ...visitors,
    path: "/login",
    most: 166_000,
    requests: 16,
    shown: (page: Page) => page.locator("form input[type=password]"),
  },
  {
    ...console,
    path: "/panel/dashboard",
    most: 213_000,
    requests: 30,
    shown: (page: Page) => page.getByRole("heading", { name: /^(Channels|チャネル)$/ }),
  },
  {
    ...console,
    path: "/panel/dashboard?view=usage",
    most: 213_000,
    requests: 34,
    shown: (page: Page) => page.getByRole("heading", { name: /^(Available models|利用できるモデル)$/ }),
  },
];

describe.each(packings)("packed with %s", (packing) => {
  describe.each(["en-US", "ja-JP"])("in %s", (locale) => {
    it.each(budgets)(
      "$path costs at most $most bytes of JavaScript and $requests requests",
      async (budget) => {
        const page = await site.open("about:blank", { guest: budget.guest, locale });
        const { script, requests } = await loadOf(page, packing, budget.path, budget.shown);
        expect(script).toBeGreaterThan(budget.least);
        expect(script).toBeLessThanOrEqual(budget.most);
        expect(requests).toBeLessThanOrEqual(budget.requests);
      },
    );
  });
});

/** Screens with an editor, a form or an interpreter in the page itself may cost more than the others, in bytes. */
const larger: Record<string, number> = {
  channel: 320_500,
  setting: 388_500,
  playground: 391_000,
  pricing: 332_000,
  profile: 365_000,
  telegram: 319_500,
  connect: 327_000,
  migration: 334_000,
  parallel_run: 353_000,
};
const usual = 305_000;

describe("every screen", () => {
  const rest = screens.filter(({ id }) => id !== "dashboard");
  it.each(rest.map(({ id }) => ({ id, most: larger[id] ?? usual })))(
    "/panel/$id costs at most $most bytes of JavaScript in 36 files",
    async ({ id, most }) => {
      const page = await site.open("about:blank", { locale: "ja-JP" });
      const { script, scripts } = await loadOf(page, "gzip", `/panel/${id}`, (shown) =>
        shown.locator("main h1, main h2").first(),
      );
      expect(script).toBeLessThanOrEqual(most);
      expect(scripts).toBeLessThanOrEqual(36);
    },
  );
});

describe("a screen of the menu", () => {
  it("has its code loaded while the page rests, and its rows when it is pointed at", async () => {
    const page = await site.open("/panel/dashboard");
    const link = page.getByRole("navigation", { name: "Console" }).getByRole("link", { name: "Users" });
    await page.waitForResponse(/assets\/users-page-.*\.js/);
    const rows = page.waitForResponse(/\/api\/user\?/);
    await link.hover();
    await rows;
    const later: string[] = [];
    page.on("request", (request) => {
      if (["script", "fetch"].includes(request.resourceType())) later.push(request.url());
    });
    await link.click();
    await page.getByRole("cell", { name: "root" }).first().waitFor();
    expect(later.filter((url) => /users-page|\/api\/user\?/.test(url))).toEqual([]);
  });
});
