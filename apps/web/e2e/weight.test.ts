/** How much JavaScript a page loads. `pnpm verify:screens` limits every screen, see `verify/weight.test.ts`. */
import { readdirSync, readFileSync } from "node:fs";
import { loadOf } from "./support/page-load.ts";
import { leastScript, scriptBudgets } from "./support/script-budgets.ts";
import { expect, test } from "./support/test.ts";

// The texts are the largest in Japanese.
test.use({ locale: "ja-JP" });

for (const { path, guest, most } of [
  { path: "/login", guest: true, most: scriptBudgets.login },
  { path: "/panel/dashboard", guest: false, most: scriptBudgets.dashboard },
  // The largest screen.
  { path: "/panel/playground", guest: false, most: scriptBudgets.screen },
])
  test.describe(path, () => {
    test.use({ guest });

    test(`${path} loads at most ${most} bytes of JavaScript`, async ({ page }) => {
      const { script } = await loadOf(page, path);
      expect(script).toBeGreaterThan(leastScript);
      expect(script).toBeLessThanOrEqual(most);
    });
  });

test("a screen of the menu has its code loaded while the page rests, and its rows when it is pointed at", async ({
  site,
}) => {
  const page = await site.open("/panel/dashboard", { loadsAhead: true, locale: "en-US" });
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
  await expect(page.getByRole("cell", { name: "root" }).first()).toBeVisible();
  expect(later.filter((url) => /users-page|\/api\/user\?/.test(url))).toEqual([]);
});

test("the rows of a list are requested before the frame of the console is drawn", async ({ page }) => {
  await page.goto("/panel/log");
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  const startOf = (part: string) =>
    page.evaluate(
      (name) =>
        performance.getEntriesByType("resource").find((entry) => entry.name.includes(name))?.startTime ?? 0,
      part,
    );
  // What the frame asks for after it has appeared. An entry is there when its response has ended.
  for (const part of ["/api/inbox/unread", "/api/log?"])
    await expect.poll(() => startOf(part)).toBeGreaterThan(0);
  expect(await startOf("/api/log?")).toBeLessThan(await startOf("/api/inbox/unread"));
});

test("no built style rule names elements below :hover, :focus-within or :last-child by their tag alone", () => {
  const assets = new URL("../dist/assets/", import.meta.url);
  const rules = readdirSync(assets)
    .filter((name) => name.endsWith(".css"))
    .flatMap((name) => readFileSync(new URL(name, assets), "utf8").match(/[^{}]+(?=\{)/g) ?? [])
    .flatMap((selectors) => selectors.split(","));
  expect(rules.length).toBeGreaterThan(1_000);
  // Browsers would match them against every element of a long list.
  const costly =
    /:(hover|focus-within|last-child|only-child)(?![^ >~+]*:where)[^ >~+]*[ >~+]+(\S*[ >~+])*(td|th|tr|svg|span|div)(:[\w-]+)?$/;
  expect(rules.filter((rule) => costly.test(rule.trim()))).toEqual([]);
});
