/** The page Diagnostics: what the checks found, in the reader's language, and a new run. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { faults } from "./support/faults.ts";
import { openSite, type Site } from "./support/site.ts";

let site: Site;
beforeAll(async () => {
  site = await openSite();
});
afterAll(() => site.close());

it("shows what is wrong and where to correct it, and checks again", async () => {
  const page = await site.open("/panel/diagnostics");
  await page.getByRole("heading", { name: "Network" }).waitFor();
  const missing = page.getByRole("listitem").filter({ hasText: "The server address is not set" });
  await missing.getByText("Warning").waitFor();
  expect(await faults(page)).toEqual([]);

  await site.api("PUT", "/option", { key: "ServerAddress", value: site.url });
  // A new run within five seconds returns the previous result.
  await page.waitForTimeout(5_500);
  await page.getByRole("button", { name: "Check again" }).click();
  await page.getByText("The proxy does not buffer event streams.").waitFor();
  expect(await missing.count()).toBe(0);

  const unset = page.getByRole("listitem").filter({ hasText: "Email cannot be sent" });
  await unset.getByRole("link", { name: "Open" }).click();
  await page.waitForURL("**/panel/setting?q=SMTP");
});

it("fits a phone, and speaks Chinese", async () => {
  const page = await site.open("/panel/diagnostics", { phone: true, locale: "zh-CN" });
  await page.getByRole("heading", { name: "网络" }).waitFor();
  const wide = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
  expect(wide).toBe(false);
  expect(await faults(page)).toEqual([]);
});

it("shows why the checks could not run", async () => {
  const page = await site.open("about:blank");
  await page.route("**/api/diagnostics", (route) => route.abort());
  await page.goto(`${site.url}/panel/diagnostics`);
  await page.getByRole("button", { name: "Try again" }).waitFor();
});
