/** What axe finds on a page, with the rule that controls are at least 24 × 24 px, which is off by default. */
import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";

/** Waits until no transition runs: in the middle of one, colours have a lower contrast than at its end. */
async function stillness(page: Page): Promise<void> {
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
  // Without frames of others there is no need for the second window of the usual mode.
  const axe = new AxeBuilder({ page }).setLegacyMode(true).include(within);
  const { violations } = await axe.options({ rules: { "target-size": { enabled: true } } }).analyze();
  return violations.flatMap((violation) =>
    violation.nodes.map((node) => `${violation.id} at ${node.target.join(" ")}: ${node.html}`),
  );
}
