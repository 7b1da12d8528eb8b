/** All screens in all languages, on desktop and phone, in both colour schemes, with axe. */
import { type Checks, examine } from "../support/screens/screen-checks.ts";
import { dialogPaths, furnishScreens, publicPaths } from "../support/screens/screen-list.ts";
import { expect, test } from "../support/test.ts";
import { startWalk } from "../support/walk.ts";

test.setTimeout(600_000);

let consolePaths: string[];
test.beforeAll(async ({ site }) => {
  consolePaths = await furnishScreens(site);
});

type Variant = { language: Checks["language"]; phone: boolean; dark: boolean };
const variants: Variant[] = [
  { language: "en_US", phone: false, dark: false },
  { language: "en_US", phone: false, dark: true },
  { language: "en_US", phone: true, dark: false },
  { language: "en_US", phone: true, dark: true },
  // Colours do not depend on the language.
  { language: "zh_CN", phone: false, dark: true },
  { language: "zh_CN", phone: true, dark: false },
  { language: "zh_HK", phone: false, dark: false },
  { language: "zh_HK", phone: true, dark: true },
  { language: "ja_JP", phone: false, dark: true },
  { language: "ja_JP", phone: true, dark: false },
];

for (const { language, phone, dark } of variants)
  test.describe(`in ${language} on a ${phone ? "phone" : "desktop"} in ${dark ? "dark" : "light"} colours`, () => {
    test.use({
      locale: language.replace("_", "-"),
      colorScheme: dark ? "dark" : "light",
      viewport: phone ? { width: 360, height: 780 } : { width: 1440, height: 900 },
      isMobile: phone,
      hasTouch: phone,
    });

    test("every screen, form and dialog of the console passes all checks", async ({ page, site }) => {
      const walk = await startWalk(page, site);
      expect(await examine(walk, [...consolePaths, ...dialogPaths], { language, axe: true })).toEqual([]);
    });

    test.describe("a guest", () => {
      test.use({ guest: true });

      test("every public page passes all checks", async ({ page, site }) => {
        const walk = await startWalk(page, site);
        expect(await examine(walk, publicPaths, { language, axe: true })).toEqual([]);
      });
    });
  });
