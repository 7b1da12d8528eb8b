/** Parts of fields whose code is loaded when they are used. */
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openSite, type Site } from "./support/site.ts";

let site: Site;
beforeAll(async () => {
  site = await openSite({}, true);
  for (const username of ["amber", "basil"])
    await site.api("POST", "/user", { username, password: "a long password" });
});
afterAll(() => site.close());

/** Keeps the code of lists back until the returned function is called. */
async function delayFloating(page: Page): Promise<() => void> {
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route(/\/assets\/floating-[^/]+\.js$/, async (route) => {
    await released;
    await route.continue();
  });
  return () => release();
}

it("text that is typed while the list of a field is loading is kept and searched for", async () => {
  const page = await site.open("/panel/user");
  const release = await delayFloating(page);
  await page.goto(`${site.url}/panel/analytics?tab=usage`);
  const field = page.getByRole("combobox", { name: "Username", exact: true });
  await field.focus();
  await field.pressSequentially("amb");
  await expect.poll(() => field.inputValue()).toBe("amb");
  release();
  await page.getByRole("option", { name: "amber" }).waitFor();
  await expect.poll(() => page.getByRole("option").count()).toBe(1);
  expect(await field.inputValue()).toBe("amb");
});

it("text that is typed while the suggestions of a field are loading is completed with Enter", async () => {
  const page = await site.open("/panel/user");
  const release = await delayFloating(page);
  await page.goto(`${site.url}/panel/setting?q=SMTPAccount`);
  const field = page.getByRole("combobox", { name: "SMTP account", exact: true });
  await field.focus();
  await field.pressSequentially("gw@g");
  release();
  await page.getByRole("option", { name: "gw@gmail.com", exact: true }).waitFor();
  await page.keyboard.press("Enter");
  await expect.poll(() => field.inputValue()).toBe("gw@gmail.com");
});
