/** Printed screens: black on white, also where the console is dark, without menu and controls, and nothing cut off. */
import type { Page } from "@playwright/test";
import { furnishScreens } from "../support/screens/screen-list.ts";
import { expect, type Site, test } from "../support/test.ts";
import { startWalk } from "../support/walk.ts";

test.setTimeout(120_000);

/** Width in CSS pixels of an A4 sheet between its margins. */
const sheet = { width: 700, height: 1000 };

let paths: string[];
test.beforeAll(async ({ site }) => {
  paths = [...(await furnishScreens(site)), "/panel/audit?entry=1"];
});

/** One of each kind: cards with charts, a wide list, a bill, a drawer. */
const oneOfEachKind = ["dashboard", "channel", "statement", "audit?entry=1"].map((path) => `/panel/${path}`);

test("a screen of each kind prints black on white, without menu and controls, and nothing is cut off", async ({
  page,
  site,
}) => expect(await faultsOf(oneOfEachKind, page, site)).toEqual([]));

test("every screen prints like that", { tag: "@nightly" }, async ({ page, site }) =>
  expect(await faultsOf(paths, page, site)).toEqual([]),
);

async function faultsOf(printed: string[], page: Page, site: Site): Promise<string[]> {
  const { goTo } = await startWalk(page, site);
  await page.setViewportSize(sheet);
  const found: string[] = [];
  for (const path of printed) {
    await goTo(path);
    await page.emulateMedia({ media: "print" });
    await page.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
    found.push(...(await faultsOnPaper(page)).map((fault) => `${path}: ${fault}`));
    await page.evaluate(() => window.dispatchEvent(new Event("afterprint")));
    await page.emulateMedia({ media: "screen" });
  }
  return found;
}

test("printing leaves the colours of the console as they were", { tag: "@nightly" }, async ({ page }) => {
  await page.goto("/panel/dashboard");
  const scheme = () => page.evaluate(() => document.documentElement.dataset["mantineColorScheme"]);
  await expect.poll(scheme).toBe("dark");
  await page.evaluate(() => {
    window.addEventListener("beforeprint", () =>
      Object.assign(window, { onPaper: document.documentElement.dataset["mantineColorScheme"] }),
    );
  });
  await page.pdf();
  expect(await page.evaluate(() => (window as { onPaper?: string }).onPaper)).toBe("light");
  expect(await scheme()).toBe("dark");
});

function faultsOnPaper(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found: string[] = [];
    const visible = (element: Element) => element.checkVisibility() && element.getClientRects().length > 0;
    const controls = ".mantine-Button-root, .mantine-ActionIcon-root, #root > div > header, aside, nav";
    for (const element of document.querySelectorAll(controls))
      if (visible(element)) found.push(`a control: ${element.outerHTML.slice(0, 100)}`);
    for (const element of document.querySelectorAll("#content, #content *, [role=dialog] *")) {
      const { overflowX, overflowY } = getComputedStyle(element);
      const cut =
        (overflowY !== "visible" && element.scrollHeight > element.clientHeight + 4) ||
        (overflowX !== "visible" && element.scrollWidth > element.clientWidth + 4);
      if (cut && visible(element) && element.clientHeight > 20 && !element.closest("svg, textarea, input"))
        found.push(`cut off: ${element.outerHTML.slice(0, 120)}`);
    }
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth > clientWidth * 1.4) found.push(`${scrollWidth} px wide on ${clientWidth} px`);
    const ink = getComputedStyle(document.body).color;
    if (ink !== "rgb(0, 0, 0)") found.push(`the text is ${ink}`);
    return found;
  });
}
