/** Page loads over a slow connection: nothing moves, and no unneeded font is loaded. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSite, type Site } from "./support/site.ts";

let site: Site;
beforeAll(async () => {
  site = await openSite();
  const channel = { type: 900, name: "demo", groups: ["default"], models: ["demo-chat", "demo-chat-mini"] };
  await site.api("POST", "/channel", channel);
});
afterAll(() => site.close());

/** Half of the layout shift that counts as good. */
const mostShift = 0.05;
/** Delay of each kind of file in milliseconds. The browser's own throttling sometimes stalls a page. */
const lateness: Record<string, number> = {
  document: 80,
  stylesheet: 150,
  script: 250,
  fetch: 350,
  font: 700,
};

interface Arrival {
  /** Sum of the layout shifts, as browsers measure it. */
  shift: number;
  /** The elements that moved, for the analysis of a failure. */
  moved: string[];
  /** Names of the loaded fonts, without their hash. */
  fonts: string[];
}

async function arrive(page: Page, path: string): Promise<Arrival> {
  await page.route("**/*", async (route) => {
    await sleep(lateness[route.request().resourceType()] ?? 80);
    // The window may already be closed.
    await route.continue().catch(() => undefined);
  });
  const fonts = new Set<string>();
  page.on("request", (request) => {
    if (request.resourceType() === "font") fonts.add(/([^/]+?)-wght/.exec(request.url())?.[1] ?? "");
  });
  await page.addInitScript(watchShifts);
  await page.goto(site.url + path);
  await page.waitForLoadState("networkidle");
  await page.waitForTimeout(500);
  const seen = await page.evaluate(() => {
    const { shift, moved } = globalThis as unknown as Arrival;
    return { shift, moved };
  });
  return { ...seen, fonts: [...fonts].sort() };
}

/** Runs in the page before any other script. */
function watchShifts(): void {
  type Shift = PerformanceEntry & { value: number; sources: { node?: Node }[] };
  const seen = Object.assign(globalThis, { shift: 0, moved: [] as string[] });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as Shift[]) {
      seen.shift += entry.value;
      const nodes = entry.sources.map(({ node }) =>
        node instanceof Element ? node.outerHTML : node?.textContent,
      );
      seen.moved.push(...nodes.map((text) => `${entry.value.toFixed(3)} ${text?.slice(0, 120)}`));
    }
  }).observe({ type: "layout-shift", buffered: true });
}

describe.each([
  { path: "/", guest: true },
  { path: "/login", guest: true },
  { path: "/models", guest: true },
  { path: "/panel/dashboard", guest: false },
  { path: "/panel/token", guest: false },
])("$path", ({ path, guest }) => {
  it.each([
    { locale: "en-US", phone: false },
    { locale: "zh-CN", phone: true },
  ])("loads without layout shifts ($locale, phone: $phone)", async ({ locale, phone }) => {
    const page = await site.open("about:blank", { guest, locale, phone });
    const { shift, moved, fonts } = await arrive(page, path);
    expect(shift, moved.join("\n")).toBeLessThanOrEqual(mostShift);
    expect(fonts.filter((name) => !/^(inter|jetbrains-mono)-latin$/.test(name))).toEqual([]);
  });
});

it("references the text's font in the page itself, so that it loads before the style sheet", async () => {
  const page = await site.open("/", { guest: true });
  const preloaded = page.locator("link[rel=preload][as=font]");
  const address = await preloaded.evaluate((link: HTMLLinkElement) => link.href);
  const fetched = await page.evaluate(() => performance.getEntriesByType("resource").map(({ name }) => name));
  // Once: the preloaded font is the one that the text uses.
  expect(fetched.filter((name) => name === address)).toHaveLength(1);
});

it.each([
  { locale: "zh-CN", first: "PingFang SC" },
  { locale: "zh-HK", first: "PingFang HK" },
  { locale: "ja-JP", first: "Hiragino Sans" },
])("draws characters in the shapes of their region ($locale)", async ({ locale, first }) => {
  const page = await site.open("/", { guest: true, locale });
  await page.getByRole("heading", { level: 1 }).waitFor();
  for (const selector of ["body", "h1", "button"]) {
    const fonts = await page
      .locator(selector)
      .first()
      .evaluate((element) => getComputedStyle(element).fontFamily);
    expect(/"(PingFang|Hiragino)[^"]*"/.exec(fonts)?.[0], selector).toBe(`"${first}"`);
  }
});
