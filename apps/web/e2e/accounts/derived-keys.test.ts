import { deriveKey } from "../../../server/src/domain/tokens/derived-keys/derived-key.ts";
import { faults } from "../support/faults.ts";
import { expect, test, type Site } from "../support/test.ts";
import { addDemoChannel, callModel } from "./common-steps.ts";

let site: Site;

test.beforeAll(async ({ site: started }) => {
  site = started;
  await addDemoChannel(site, ["demo-chat"]);
});

test(
  "the derived keys of a token are listed with what they spent, and one is revoked",
  { tag: "@nightly" },
  async ({ page }) => {
    const token = await site.api<{ id: number; key: string }>("POST", "/token", { name: "Agents" });
    const exp = Math.floor(Date.now() / 1_000) + 3_600;
    const planner = deriveKey(token.key, { usd: "1.00", exp, label: "planner" });
    const worker = deriveKey(planner.key, { label: "worker" });
    const rows = page.getByRole("region", { name: "Derived keys" }).getByRole("row");

    await test.step("before the first call, the list links to the page about derived keys", async () => {
      await page.goto(`/panel/token/${token.id}`);
      await page.getByRole("tab", { name: "Derived keys" }).click();
      await page.getByText("No derived key was used yet").waitFor();
      await expect(page.getByRole("link", { name: "How to derive keys" })).toBeVisible();
    });

    await test.step("after it, each level has a row", async () => {
      expect(await callModel(site, worker.key)).toMatchObject({ status: 200 });
      await page.reload();
      await page.getByRole("tab", { name: "Derived keys" }).click();
      const row = rows.filter({ hasText: "planner" });
      await expect(row).toContainText("Active");
      await expect(row).toContainText("$1.00");
      await expect(row).toContainText("the API key");
      await expect(rows.filter({ hasText: "worker" })).toContainText("No limit");
      expect(await faults(page)).toEqual([]);
    });

    await test.step("its calls are in the log", async () => {
      await rows
        .filter({ hasText: "worker" })
        .getByRole("button", { name: "More actions for worker" })
        .click();
      await page.getByRole("menuitem", { name: "Show its calls" }).click();
      await expect(page).toHaveURL(new RegExp(`derived_key=${worker.id}`));
      await page.getByText("demo-chat").first().click();
      await expect(page.getByText("planner / worker").first()).toBeVisible();
    });

    await test.step("a revoked key is refused, with the keys derived from it", async () => {
      await page.goto(`/panel/token/${token.id}`);
      await page.getByRole("tab", { name: "Derived keys" }).click();
      await rows
        .filter({ hasText: "planner" })
        .getByRole("button", { name: "More actions for planner" })
        .click();
      await page.getByRole("menuitem", { name: "Revoke" }).click();
      await page
        .getByRole("dialog", { name: "Revoke “planner”?" })
        .getByRole("button", { name: "Revoke" })
        .click();
      await page.getByText("Derived key revoked").waitFor();
      await expect(rows.filter({ hasText: "planner" })).toContainText("Revoked");
      expect(await callModel(site, worker.key)).toMatchObject({ status: 401 });
    });
  },
);
