/** The focus of a dialog whose content is loaded after it has opened. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { openSite, type Site } from "./support/site.ts";

let site: Site;
beforeAll(async () => {
  site = await openSite({}, true);
});
afterAll(() => site.close());

it.each([
  ["/panel/user_group?prices=1", /\/api\/user_group\?/, "Change"],
  ["/panel/user_group?budget=1", /\/api\/user_group\/1/, "Monthly limit"],
])("%s: is in the body first, then in its field", async (path, content, field) => {
  const page = await site.open("/panel/log");
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route(content, async (route) => {
    await released;
    await route.continue();
  });
  await page.goto(site.url + path);
  const body = page.getByRole("dialog").locator(".mantine-Modal-body");
  await body.waitFor();
  await expect.poll(() => body.evaluate((one) => one === document.activeElement)).toBe(true);
  release();
  const input = page.getByRole("dialog").getByLabel(field, { exact: true });
  await expect.poll(() => input.evaluate((one) => one === document.activeElement)).toBe(true);
  expect(await body.getAttribute("data-autofocus")).toBeNull();
});
