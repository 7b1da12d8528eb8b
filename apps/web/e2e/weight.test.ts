import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSite, type Site } from "./site.ts";

let site: Site;
beforeAll(async () => {
  site = await openSite();
});
afterAll(() => site.close());

/** Bytes of JavaScript that a page brings over the wire until it rests, packed in this way. */
async function scriptBytes(
  page: Page,
  packing: string,
  path: string,
  shown: (page: Page) => Locator,
): Promise<number> {
  const sizes: Promise<number>[] = [];
  const packings = new Set<string | undefined>();
  await page.setExtraHTTPHeaders({ "accept-encoding": packing });
  page.on("response", (response) => {
    if (response.request().resourceType() === "script") packings.add(response.headers()["content-encoding"]);
  });
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
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

/** Every browser takes the first; most take the second, which is smaller, from a safe origin. */
const packings = ["gzip", "br"] as const;
const mostForVisitors = 150_000;
const mostForConsole = 300_000;

describe.each(packings)("packed with %s, JavaScript", (packing) => {
  // The words weigh most in Japanese.
  it.each(["en-US", "ja-JP"])(
    "of the public site's first page weighs at most 150 KB (%s)",
    async (locale) => {
      const page = await site.open("about:blank", { guest: true, locale });
      const total = await scriptBytes(page, packing, "/", (home) =>
        home.getByText(`${site.url}/v1`, { exact: true }),
      );
      expect(total).toBeGreaterThan(50_000);
      expect(total).toBeLessThanOrEqual(mostForVisitors);
    },
  );

  it.each([
    { locale: "en-US", path: "/panel/dashboard", heading: "Channels" },
    { locale: "ja-JP", path: "/panel/dashboard", heading: "チャネル" },
    { locale: "en-US", path: "/panel/dashboard?view=usage", heading: "Available models" },
    { locale: "ja-JP", path: "/panel/dashboard?view=usage", heading: "利用できるモデル" },
  ])("of the console's $path weighs at most 300 KB ($locale)", async ({ locale, path, heading }) => {
    const page = await site.open("about:blank", { locale });
    const total = await scriptBytes(page, packing, path, (console) =>
      console.getByRole("heading", { name: heading }),
    );
    expect(total).toBeGreaterThan(150_000);
    expect(total).toBeLessThanOrEqual(mostForConsole);
  });
});
