import type { Page } from "@playwright/test";

/**
 * Goes to an address of the open page as a link in it would, and waits for its screen. The router shows it, and nothing is
 * loaded anew, which takes a tenth of the time of `page.goto`.
 */
export async function goTo(page: Page, path: string): Promise<void> {
  await page.evaluate((to) => {
    // What the router stores with an entry, so that it knows the direction of a later Back.
    const { idx = 0 } = (history.state ?? {}) as { idx?: number };
    const state = { usr: null, key: String(Math.random()), idx: idx + 1 };
    history.pushState(state, "", to);
    dispatchEvent(new PopStateEvent("popstate", { state }));
  }, path);
  // Until the code of the next screen is loaded, the previous one is shown.
  await page.locator("[data-page-loading]").waitFor({ state: "hidden" });
}
