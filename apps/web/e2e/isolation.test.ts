/** The tests of a worker share a page (`reuseContext`): none may find what the one before it left there. */
import { expect, test } from "./support/test.ts";

const address = "/robots.txt";

test("a test leaves cookies, storage, a route, a script and a binding behind", async ({
  page,
  context,
  site,
}) => {
  await context.addCookies([{ name: "left", value: "1", url: site.url }]);
  await page.route("**/left", (route) => route.fulfill({ body: "left" }));
  await page.addInitScript(() => Object.assign(window, { leftScript: true }));
  await page.exposeFunction("leftBinding", () => undefined);
  await page.emulateMedia({ colorScheme: "dark", media: "print" });
  await page.setViewportSize({ width: 500, height: 500 });
  await page.goto(address);
  await page.evaluate(async () => {
    localStorage.setItem("left", "1");
    sessionStorage.setItem("left", "1");
    await new Promise((done) => Object.assign(indexedDB.open("left"), { onsuccess: done }));
  });
  expect(await page.evaluate(() => ["leftScript", "leftBinding"].map((name) => name in window))).toEqual([
    true,
    true,
  ]);
});

test("the next test finds none of it, and the session of root", async ({ page, context, site }) => {
  await page.goto(address);
  expect((await context.cookies()).map(({ name }) => name)).toEqual([site.session?.name]);
  const found = await page.evaluate(async () => ({
    stored: localStorage.length + sessionStorage.length,
    databases: (await indexedDB.databases()).length,
    names: ["leftScript", "leftBinding"].filter((name) => name in window),
    isDark: matchMedia("(prefers-color-scheme: dark)").matches,
    isPrinted: matchMedia("print").matches,
    width: window.innerWidth,
    route: await (await fetch("/left")).text(),
  }));
  const unchanged = { stored: 0, databases: 0, names: [], isDark: false, isPrinted: false, width: 1440 };
  expect(found).toMatchObject(unchanged);
  expect(found.route).not.toBe("left");
});

test.describe("a guest", () => {
  test.use({ guest: true });

  test("has no session after a test of root", async ({ page, context }) => {
    await page.goto(address);
    expect(await context.cookies()).toEqual([]);
  });
});
