import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSite, type Site } from "../support/site.ts";

let site: Site;
let userId: number;

beforeAll(async () => {
  site = await openSite();
  await site.api("POST", "/channel", {
    type: 900,
    name: "Demo upstream",
    models: ["demo-chat"],
    groups: ["default"],
  });
  const user = await site.api<{ id: number }>("POST", "/user", {
    username: "penny",
    password: "correct-horse-1",
  });
  userId = user.id;
});
afterAll(() => site.close());

interface View {
  budget: { daily_spend: number; monthly_notify: number } | null;
}

const budgetOf = async (path: string) => (await site.api<View>("GET", `${path}/budget`)).budget;
const rowOf = (page: Page, name: string) => page.getByRole("row").filter({ hasText: name });

async function ask(key: string): Promise<number> {
  const answer = await fetch(`${site.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "demo-chat", messages: [{ role: "user", content: "Good morning" }] }),
  });
  await answer.text();
  return answer.status;
}

describe("the budget of an account", () => {
  it("is set in a form that validates amounts, and shown in the list and the details", async () => {
    const page = await site.open("/panel/user");
    await rowOf(page, "penny").getByRole("button", { name: "More actions for penny" }).click();
    await page.getByRole("menuitem", { name: "Set the budget" }).click();
    const dialog = page.getByRole("dialog", { name: "Budget of penny" });
    // The group has none, so an own budget is what can be set.
    await expect
      .poll(() => dialog.getByLabel("Monthly limit").evaluate((field) => field.matches(":focus")))
      .toBe(true);
    await dialog.getByLabel("Daily limit").fill("5");
    await dialog.getByLabel("Daily notice").fill("6");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText("The notice must not be above the limit").waitFor();
    await dialog.getByLabel("Daily notice").fill("4");
    await dialog.getByLabel("Monthly notice").fill("100");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await budgetOf(`/user/${userId}`)).toMatchObject({
      daily_spend: 2_500_000,
      monthly_notify: 50_000_000,
    });
    await rowOf(page, "penny").getByText("$0.00 / $5.00").waitFor();
    // The column of budgets does not push the status out of the list.
    expect(await page.locator("[data-list] [data-wider]").count()).toBe(0);
    await rowOf(page, "penny").getByText("penny", { exact: true }).first().click();
    const drawer = page.getByRole("dialog", { name: "penny" });
    await drawer.getByText(/Resets in .* · Notice at \$4.00/).waitFor();
    await drawer.getByRole("button", { name: "Set the budget" }).click();
    await dialog.getByText("Budget of the group").click();
    await dialog.getByText("The group has no budget.").waitFor();
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await budgetOf(`/user/${userId}`)).toBeNull();
  });
});

describe("the budget of a group", () => {
  it("is set from the list and shown to its members", async () => {
    const page = await site.open("/panel/user_group");
    const row = rowOf(page, "default");
    await row.hover();
    await row.getByRole("button", { name: "Set the budget" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Weekly limit").fill("20");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "detached" });
    await row.getByText(/\/ \$20.00/).waitFor();
    const dashboard = await site.open("/panel/dashboard?view=usage");
    await dashboard.getByRole("heading", { name: "Your budget" }).waitFor();
    await dashboard.getByText(/\/ \$20.00/).waitFor();
  });
});

describe("the budget of an API key", () => {
  it("is set by an operator, shown to the owner, and applied by the gateway", async () => {
    const { key, id } = await site.api<{ key: string; id: number }>("POST", "/token", {
      name: "Of the shop",
    });
    expect(await ask(key)).toBe(200);
    const page = await site.open("/panel/token?view=all");
    await rowOf(page, "Of the shop")
      .getByRole("button", { name: /More actions/ })
      .click();
    await page.getByRole("menuitem", { name: "Set the budget" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Monthly limit").fill("0.000002");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await budgetOf(`/token/admin/${id}`)).toMatchObject({ monthly_spend: 1 });
    await expect.poll(() => ask(key), { timeout: 10_000 }).toBe(402);
    const own = await site.open("/panel/token");
    await own.getByRole("columnheader", { name: "Budget" }).waitFor();
    await rowOf(own, "Of the shop").getByText("Monthly", { exact: true }).waitFor();
  });
});
