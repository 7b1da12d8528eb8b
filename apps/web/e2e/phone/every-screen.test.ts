/** The other half of all screens, on the narrowest phone, in the dark and in Chinese. */
import { examineHalf, publicHalf } from "../support/screens/halves.ts";
import { furnishScreens } from "../support/screens/screen-list.ts";
import { expect, test } from "../support/test.ts";
import { startWalk } from "../support/walk.ts";

test.use({ viewport: { width: 360, height: 780 }, colorScheme: "dark", locale: "zh-CN" });
test.setTimeout(480_000);

let consolePaths: string[];
test.beforeAll(async ({ site }) => {
  consolePaths = await furnishScreens(site);
});

test("half of the screens fit 360 px, are in Chinese, isolate names, and send no request to another site", async ({
  page,
  site,
}) => {
  expect(await examineHalf("odd", page, site, consolePaths, "zh_CN")).toEqual([]);
});

test.describe("a guest", () => {
  test.use({ guest: true });

  test("half of the public pages fit 360 px, are in Chinese, and send no request to another site", async ({
    page,
    site,
  }) => {
    const walk = await startWalk(page, site);
    expect(await publicHalf("odd", walk, "zh_CN")).toEqual([]);
  });
});
