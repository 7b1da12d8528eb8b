/**
 * What holds for all screens at once. Each is opened once: half of them here, on a desktop in English, the others by
 * `phone/every-screen.test.ts`. `pnpm verify:screens` opens all of them in every language and colour scheme.
 */
import { examineHalf, publicHalf } from "./support/screens/halves.ts";
import { furnishScreens } from "./support/screens/screen-list.ts";
import { expect, test } from "./support/test.ts";
import { startWalk } from "./support/walk.ts";

test.setTimeout(480_000);

let consolePaths: string[];
test.beforeAll(async ({ site }) => {
  consolePaths = await furnishScreens(site);
});

test("half of the screens fit, are accessible, in English, isolate names, and send no request to another site", async ({
  page,
  site,
}) => {
  expect(await examineHalf("even", page, site, consolePaths, "en_US")).toEqual([]);
});

test.describe("a guest", () => {
  test.use({ guest: true });

  test("half of the public pages fit, are accessible, in English, and send no request to another site", async ({
    page,
    site,
  }) => {
    const walk = await startWalk(page, site);
    expect(await publicHalf("even", walk, "en_US")).toEqual([]);
  });
});
