/** What axe finds on a page, with the rule that controls are at least 24 × 24 px, which is off by default. */
import type { Page } from "@playwright/test";
import axe, { type RunOptions } from "axe-core";

/**
 * Waits until no transition runs: in the middle of one, colours have a lower contrast than at its end. What has just
 * opened starts its transition a frame later.
 */
async function stillness(page: Page): Promise<void> {
  await page.evaluate(
    () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))),
  );
  await page.waitForFunction(() =>
    document
      .getAnimations()
      .every((one) => one.playState !== "running" || one.effect?.getComputedTiming().endTime === Infinity),
  );
}

/**
 * Scrolls to the top, where no control is half below the header that stays in view. The rule about sizes counts only
 * the part that can be seen.
 */
const scrollToTop = (page: Page) => page.evaluate(() => window.scrollTo({ top: 0, behavior: "instant" }));

/**
 * Returns a line per finding: the rule, where, and the element.
 * @param within selector of the part to examine
 */
export async function faults(page: Page, within = "html"): Promise<string[]> {
  await stillness(page);
  await scrollToTop(page);
  return findings(page, within, { rules: { "target-size": { enabled: true } } });
}

/** Returns the same for an open layer and its button alone, which takes a quarter of the time. */
export async function layerFaults(page: Page): Promise<string[]> {
  await stillness(page);
  return findings(page, `${layer}, [aria-haspopup][aria-expanded=true]`, {
    rules: { "target-size": { enabled: true } },
  });
}

/** Returns the texts of an open layer whose contrast is too low in the dark. The page is light before and after. */
export async function faintTextsInTheDark(page: Page, within = layer): Promise<string[]> {
  await setColorScheme(page, "dark");
  await stillness(page);
  const found = await findings(page, within, { runOnly: ["color-contrast"] });
  await setColorScheme(page, "light");
  return found;
}

/** Changes what the system prefers, and waits until the page follows. */
async function setColorScheme(page: Page, colorScheme: "light" | "dark"): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.waitForFunction(
    (scheme) => document.documentElement.dataset["mantineColorScheme"] === scheme,
    colorScheme,
  );
}

async function findings(page: Page, within: string, options: RunOptions): Promise<string[]> {
  // Stays loaded while the router changes the screen.
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe.source);
  const { violations } = await page.evaluate(
    ([selector, given]) =>
      (window as unknown as { axe: typeof axe }).axe.run(selector, { ...given, resultTypes: ["violations"] }),
    [within, options] as const,
  );
  return violations.flatMap((violation) =>
    violation.nodes.map((node) => `${violation.id} at ${node.target.join(" ")}: ${node.html}`),
  );
}

/** Returns the same for an open tooltip. */
export async function tooltipFaults(page: Page): Promise<string[]> {
  await stillness(page);
  return findings(page, tooltip, {});
}

/** A text that is shown beside what has the pointer or the focus. */
export const tooltip = "[role=tooltip]";

/** Menus, lists and panels that open beside their buttons. */
export const layer = ".mantine-Menu-dropdown, .mantine-Popover-dropdown, .mantine-Combobox-dropdown";

/** Leaves out the size of controls that are partly below an open layer: it is examined while the layer is closed. */
export async function faultsWithLayer(page: Page): Promise<string[]> {
  const kept: string[] = [];
  for (const fault of await faults(page)) {
    const target = /^target-size at (.+?): </.exec(fault)?.[1];
    const inside =
      target &&
      (await page.locator(target).evaluate((one, at) => one.closest(at) !== null, `${layer}, [role=dialog]`));
    if (target === undefined || inside) kept.push(fault);
  }
  return kept;
}
