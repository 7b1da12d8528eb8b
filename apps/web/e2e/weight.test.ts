import { afterAll, beforeAll, expect, it } from "vitest";
import { openSite, type Site } from "./site.ts";

const kilobyte = 1_024;

let site: Site;
beforeAll(async () => {
  site = await openSite();
});
afterAll(() => site.close());

it("loads at most 150 KB of JavaScript, as it comes over the wire, for the first page of the public site", async () => {
  const page = await site.open("about:blank", { guest: true });
  const sizes: Promise<number>[] = [];
  page.on("requestfinished", (request) => {
    if (request.resourceType() === "script")
      sizes.push(request.sizes().then((size) => size.responseBodySize));
  });
  await page.goto(`${site.url}/`, { waitUntil: "networkidle" });
  await page.getByText(`${site.url}/v1`, { exact: true }).waitFor();
  const total = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  expect(total).toBeGreaterThan(50 * kilobyte);
  expect(total).toBeLessThanOrEqual(150 * kilobyte);
});
