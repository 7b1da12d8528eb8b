/** The page Diagnostics: what the checks found, and a new run. */
import { expect, test } from "./support/test.ts";

test(
  "diagnostics show why the checks could not run, what is wrong and where to correct it, and check again",
  { tag: "@nightly" },
  async ({ page, site }) => {
    await page.route("**/api/diagnostics", (route) => route.abort());
    await page.goto("/panel/diagnostics");
    const again = page.getByRole("button", { name: "Try again" });
    await expect(again).toBeVisible();
    await page.unroute("**/api/diagnostics");
    // The page also tries again automatically, which removes the button.
    await expect(async () => {
      if (await again.isVisible()) await again.click({ timeout: 1_000 });
      await expect(page.getByRole("heading", { name: "Problems and warnings" })).toBeVisible({
        timeout: 5_000,
      });
    }).toPass();
    const missing = page.getByRole("listitem").filter({ hasText: "The server address is not set" });
    await expect(missing.getByText("Warning")).toBeVisible();
    const passed = page.getByRole("button", { name: /^Passed checks: \d+$/ });
    await expect(page.getByText("The clocks of the server and the database agree.")).toBeHidden();

    await site.api("PUT", "/option", { key: "ServerAddress", value: site.url });
    // A new run within five seconds returns the previous result.
    await expect(async () => {
      await page.getByRole("button", { name: "Check again" }).click();
      await expect(passed).toBeVisible();
      await expect(missing).toHaveCount(0, { timeout: 1_000 });
    }).toPass({ intervals: [1_000] });
    await passed.click();
    await expect(page.getByText("The proxy does not buffer event streams.")).toBeVisible();

    const unset = page.getByRole("listitem").filter({ hasText: "Email cannot be sent" });
    await unset.getByRole("link", { name: "Open settings" }).click();
    await page.waitForURL("**/panel/setting?section=mail");
  },
);
