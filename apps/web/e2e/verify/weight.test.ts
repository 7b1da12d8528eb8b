/** How much JavaScript each screen of the console loads. */
import { loadOf } from "../support/page-load.ts";
import { screenIds } from "../support/screens/screen-list.ts";
import { leastScript, scriptBudgets } from "../support/script-budgets.ts";
import { expect, test } from "../support/test.ts";

// The texts are the largest in Japanese.
test.use({ locale: "ja-JP" });

for (const id of screenIds) {
  const most = id === "dashboard" ? scriptBudgets.dashboard : scriptBudgets.screen;
  test(`/panel/${id} loads at most ${most} bytes of JavaScript`, async ({ page }) => {
    const { script } = await loadOf(page, `/panel/${id}`);
    expect(script).toBeGreaterThan(leastScript);
    expect(script).toBeLessThanOrEqual(most);
  });
}
