/** What holds for all screens at once, on the narrowest phone, in the dark and in Chinese. */
import { examine } from "../support/screens/screen-checks.ts";
import { dialogPaths, furnishScreens, publicPaths } from "../support/screens/screen-list.ts";
import { expect, test } from "../support/test.ts";
import { startWalk } from "../support/walk.ts";

test.use({ viewport: { width: 360, height: 780 }, colorScheme: "dark", locale: "zh-CN" });
test.setTimeout(480_000);

let consolePaths: string[];
test.beforeAll(async ({ site }) => {
  consolePaths = await furnishScreens(site);
});

test("every screen, form and dialog of the console fits 360 px, is in Chinese, and sends no request to another site", async ({
  page,
  site,
}) => {
  const walk = await startWalk(page, site);
  await examine(walk, consolePaths, { language: "zh_CN", axe: true });
  // Their parts are those of the desktop, and of the screens in the dark.
  await examine(walk, dialogPaths, { language: "zh_CN", axe: false });
  expect(walk.complaints).toEqual([]);
});

test.describe("a guest", () => {
  test.use({ guest: true });

  test("every public page fits 360 px, is in Chinese, and sends no request to another site", async ({
    page,
    site,
  }) => {
    const walk = await startWalk(page, site);
    expect(await examine(walk, publicPaths, { language: "zh_CN", axe: false })).toEqual([]);
  });
});
