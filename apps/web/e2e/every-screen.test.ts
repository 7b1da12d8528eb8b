/** What holds for all screens at once, on a desktop in English. `phone/every-screen.test.ts` examines the other extreme. */
import { addMarkedNames, markedNamesOn } from "./support/screens/marked-names.ts";
import { examine } from "./support/screens/screen-checks.ts";
import { dialogPaths, furnishScreens, publicPaths } from "./support/screens/screen-list.ts";
import { expect, test } from "./support/test.ts";
import { startWalk } from "./support/walk.ts";

/** Some forty screens or dialogs each, all examined by axe. */
test.setTimeout(480_000);

let consolePaths: string[];
test.beforeAll(async ({ site }) => {
  consolePaths = await furnishScreens(site);
});

const checks = { language: "en_US", axe: true } as const;

test("every screen of the console fits, is accessible, in English, isolates names, and sends no request to another site", async ({
  page,
  site,
}) => {
  const paths = [...consolePaths, ...(await addMarkedNames(site))];
  const walk = await startWalk(page, site);
  let shown = 0;
  const reversed = async () => {
    const { names, loose } = await markedNamesOn(page);
    shown += names;
    return loose.map((text) => `reverses the text beside it: ${text}`);
  };
  expect(await examine(walk, paths, { ...checks, further: reversed })).toEqual([]);
  expect(shown).toBeGreaterThan(20);
});

test(
  "every form and dialog with an address fits, is accessible, in English, and sends no request to another site",
  { tag: "@nightly" },
  async ({ page, site }) => {
    const walk = await startWalk(page, site);
    expect(await examine(walk, dialogPaths, checks)).toEqual([]);
  },
);

test.describe("a guest", () => {
  test.use({ guest: true });

  test("every public page fits, is accessible, in English, and sends no request to another site", async ({
    page,
    site,
  }) => {
    const walk = await startWalk(page, site);
    expect(await examine(walk, publicPaths, checks)).toEqual([]);
  });
});
