import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openSite, type Site } from "./site.ts";

const kilobyte = 1_024;

let site: Site;
beforeAll(async () => {
  site = await openSite();
});
afterAll(() => site.close());

/** Bytes of JavaScript that a page brings over the wire until it rests. */
async function scriptBytes(page: Page, path: string, shown: (page: Page) => Locator): Promise<number> {
  const sizes: Promise<number>[] = [];
  page.on("requestfinished", (request) => {
    if (request.resourceType() === "script")
      sizes.push(request.sizes().then((size) => size.responseBodySize));
  });
  await page.goto(`${site.url}${path}`);
  await shown(page).waitFor();
  await page.waitForLoadState("networkidle");
  // What comes a moment later, unasked.
  await page.waitForTimeout(1_000);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

it("loads at most 150 KB of JavaScript, as it comes over the wire, for the first page of the public site", async () => {
  const page = await site.open("about:blank", { guest: true });
  const total = await scriptBytes(page, "/", (home) => home.getByText(`${site.url}/v1`, { exact: true }));
  expect(total).toBeGreaterThan(50 * kilobyte);
  expect(total).toBeLessThanOrEqual(150 * kilobyte);
});

it("loads at most 300 KB of it for the first screen of the console", async () => {
  const page = await site.open("about:blank");
  const total = await scriptBytes(page, "/panel/dashboard", (console) =>
    console.getByRole("heading", { name: "Available models" }),
  );
  expect(total).toBeGreaterThan(150 * kilobyte);
  expect(total).toBeLessThanOrEqual(300 * kilobyte);
});
