import { goTo } from "../support/go-to.ts";
import { expect, test, type Site } from "../support/test.ts";
import { addDemoChannel, callModel, openScreen, rowOf, useRowMenu } from "./common-steps.ts";

let site: Site;

test.beforeAll(async ({ site: started }) => {
  site = started;
  await addDemoChannel(site);
});

interface View {
  budget: { daily_spend: number; monthly_notify: number } | null;
}

const budgetOf = async (path: string) => (await site.api<View>("GET", `${path}/budget`)).budget;

test(
  "the budget of an account is set in a form, shown in the list and the details, and replaced by that of the group",
  { tag: "@nightly" },
  async ({ page }) => {
    const account = { username: "penny", password: "correct-horse-1" };
    const { id } = await site.api<{ id: number }>("POST", "/user", account);
    const dialog = page.getByRole("dialog", { name: "Budget of penny" });
    await page.goto("/panel/user");

    await test.step("the form rejects a notice above the limit", async () => {
      await useRowMenu(page, "penny", "Set the budget");
      // The group has none, so an own budget is what can be set.
      await expect(dialog.getByLabel("Monthly limit")).toBeFocused();
      await dialog.getByLabel("Daily limit").fill("5");
      await dialog.getByLabel("Daily notice").fill("6");
      await dialog.getByRole("button", { name: "Save" }).click();
      await dialog.getByText("The notice must not be above the limit").waitFor();
    });

    await test.step("the saved budget is shown in the list and the details", async () => {
      await dialog.getByLabel("Daily notice").fill("4");
      await dialog.getByLabel("Monthly notice").fill("100");
      await dialog.getByRole("button", { name: "Save" }).click();
      await expect(dialog).toHaveCount(0);
      expect(await budgetOf(`/user/${id}`)).toMatchObject({
        daily_spend: 2_500_000,
        monthly_notify: 50_000_000,
      });
      await rowOf(page, "penny").getByText("$0.00 / $5.00").waitFor();
      await rowOf(page, "penny").getByText("penny", { exact: true }).first().click();
      const drawer = page.getByRole("dialog", { name: "penny" });
      await drawer.getByText(/Resets in .* · Notice at \$4.00/).waitFor();
      await drawer.getByRole("button", { name: "Set the budget" }).click();
    });

    await test.step("an own budget is removed", async () => {
      await dialog.getByText("Budget of the group").click();
      await dialog.getByText("The group has no budget.").waitFor();
      await dialog.getByRole("button", { name: "Save" }).click();
      await expect(dialog).toHaveCount(0);
      expect(await budgetOf(`/user/${id}`)).toBeNull();
    });

    await test.step("the budget of a group is set in its row and shown to its members", async () => {
      await goTo(page, "/panel/user_group");
      const row = rowOf(page, "default");
      await row.hover();
      await row.getByRole("button", { name: "Set the budget" }).click();
      await page.getByRole("dialog").getByLabel("Weekly limit").fill("20");
      await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
      await row.getByText(/\/ \$20.00/).waitFor();
      // A dialog that closes changes the address, so it must be closed before the address is left.
      await expect(page.getByRole("dialog")).toHaveCount(0);
      await goTo(page, "/panel/dashboard?view=usage");
      await page.getByRole("heading", { name: "Your budget" }).waitFor();
      await page.getByText(/\/ \$20.00/).waitFor();
    });

    await test.step("a budget that is removed leaves the dashboard without a reload", async () => {
      await goTo(page, "/panel/user_group?budget=1");
      await page.getByRole("dialog").getByLabel("Weekly limit").fill("");
      await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
      await expect(page.getByRole("dialog")).toHaveCount(0);
      await goTo(page, "/panel/dashboard?view=usage");
      await page.getByRole("heading", { name: "Dashboard", exact: true }).waitFor();
      await expect(page.getByRole("heading", { name: "Your budget" })).toHaveCount(0);
    });
  },
);

test(
  "the budget of an API key is set by an operator, applied by the gateway, and shown to the owner",
  { tag: "@nightly" },
  async ({ page }) => {
    const token = { name: "Of the shop" };
    const { key, id } = await site.api<{ key: string; id: number }>("POST", "/token", token);
    const ask = async () => (await callModel(site, key)).status;
    expect(await ask()).toBe(200);
    await page.goto("/panel/token?view=all");
    await useRowMenu(page, "Of the shop", "Set the budget");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Monthly limit").fill("0.000002");
    await dialog.getByRole("button", { name: "Save" }).click();
    await expect(dialog).toHaveCount(0);
    expect(await budgetOf(`/token/admin/${id}`)).toMatchObject({ monthly_spend: 1 });
    await expect.poll(ask, { timeout: 10_000 }).toBe(402);
    await openScreen(page, "Tokens");
    await page.getByRole("columnheader", { name: "Budget" }).waitFor();
    await rowOf(page, "Of the shop").getByText("Monthly", { exact: true }).waitFor();
  },
);
