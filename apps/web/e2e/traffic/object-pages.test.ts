import type { UserDetail } from "@gateway/shared/accounts/user";
import type { Page } from "@playwright/test";
import { goTo } from "../support/go-to.ts";
import { expect, test, type Site } from "../support/test.ts";

let site: Site;
let customer: UserDetail;
let token: { id: number; key: string };

test.beforeAll(async ({ site: started }) => {
  site = started;
  await site.api("POST", "/channel", {
    type: 900,
    name: "Main account",
    models: ["demo-chat"],
    groups: ["default"],
  });
  customer = await site.api<UserDetail>("POST", "/user", {
    username: "acme",
    password: "hunter2hunter2",
    quota: 500_000,
  });
  token = await site.api("POST", "/token/admin", {
    user_id: customer.id,
    name: "of acme",
    setting: { rates: { monthly_spend: 5_000_000 } },
  });
  for (const model of ["demo-chat", "demo-chat", "no-such-model"]) {
    const answer = await fetch(`${site.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${token.key}`, "content-type": "application/json" },
      body: JSON.stringify({ model, messages: [{ role: "user", content: "Hello" }] }),
    });
    await answer.text();
  }
});

const heading = (page: Page, name: string) => page.getByRole("heading", { level: 1, name });
const figure = (page: Page, name: string) => page.getByRole("region", { name });

test("the page of a channel shows its health, and keeps its tab in the address", async ({ page }) => {
  await page.goto("/panel/channel");
  const dialog = page.getByRole("dialog");

  await test.step("the list shows 24 hours, and its menu opens the page", async () => {
    const row = page.getByRole("row").filter({ hasText: "Main account" });
    await row.getByRole("img", { name: "24 hours: 2 calls, 0 failed" }).waitFor();
    await row.getByRole("button", { name: "More actions for Main account" }).click();
    await page.getByRole("menuitem", { name: "Health and traffic" }).click();
    await heading(page, "Main account").waitFor();
  });
  await test.step("the page shows health and figures", async () => {
    await page.getByText("Healthy", { exact: true }).waitFor();
    await figure(page, "Success, 24 hours").getByText("100%").waitFor();
    await figure(page, "Requests, 24 hours").getByText("2", { exact: true }).waitFor();
  });
  await test.step("its tabs have addresses", async () => {
    await page.getByRole("tab", { name: "Calls" }).click();
    await page.getByRole("list", { name: "Newest calls" }).getByRole("link").first().waitFor();
    expect(new URL(page.url()).search).toBe("?tab=logs");
    await page.getByRole("tab", { name: "Activity" }).click();
    await page.getByText("Channel created").waitFor();
  });
  await test.step("the editor opens, and Back returns to the tab", async () => {
    await page.getByRole("button", { name: "Edit" }).click();
    await dialog.getByLabel("Name", { exact: true }).first().waitFor();
    await page.goBack();
    await dialog.waitFor({ state: "hidden" });
    expect(new URL(page.url()).search).toBe("?tab=activity");
  });
});

test(
  "a channel, user or token that does not exist is reported, with a link to the list",
  { tag: "@nightly" },
  async ({ page }) => {
    await page.goto("/panel/channel/987654");
    await page.getByText("This channel was not found").waitFor();
    await page.getByRole("link", { name: "Show all channels" }).click();
    await page.getByText("Main account").first().waitFor();
    await goTo(page, "/panel/channel/nonsense");
    await page.getByText("This channel was not found").waitFor();
    await goTo(page, "/panel/user/987654");
    await page.getByText("This account was not found").waitFor();
    await goTo(page, "/panel/token/987654");
    await page.getByText("This token was not found").waitFor();
  },
);

test(
  "the page of a customer shows balance, spending, tokens and reasons of failed calls",
  { tag: "@nightly" },
  async ({ page }) => {
    await page.goto(`/panel/user/${customer.id}?tab=tokens`);

    await test.step("a link opens the tab of tokens, which links to the page of a token", async () => {
      await heading(page, "acme").waitFor();
      await page.getByRole("link", { name: "of acme" }).click();
      await heading(page, "of acme").waitFor();
      await page.goBack();
      await page.getByRole("tab", { name: "Tokens", selected: true }).waitFor();
    });
    await test.step("the overview shows figures and reasons", async () => {
      await page.getByRole("tab", { name: "Overview" }).click();
      await figure(page, "Balance").waitFor();
      await figure(page, "Requests, 24 hours").getByText("1 failed").waitFor();
      await page.getByText("Model not available").first().waitFor();
    });
    await test.step("the failed call names its model, and neither the user of the page nor an amount", async () => {
      await page.getByRole("tab", { name: "Calls" }).click();
      const calls = page.getByRole("list", { name: "Newest calls" }).getByRole("listitem");
      await expect(calls).toHaveCount(3);
      expect(await calls.first().innerText()).toMatch(/^no-such-model\s+–\s+Model not available · of acme\s/);
    });
  },
);

test(
  "the page of a token shows an administrator its limits, budget and usage, but not its key",
  { tag: "@nightly" },
  async ({ page }) => {
    const other = await site.api<{ id: number }>("POST", "/token/admin", {
      user_id: customer.id,
      name: "with a budget",
    });
    await site.api("PUT", `/token/admin/${other.id}/budget`, {
      budget: {
        daily_spend: 2_500_000,
        daily_notify: 1_000_000,
        weekly_spend: 0,
        weekly_notify: 0,
        monthly_spend: 0,
        monthly_notify: 0,
      },
    });
    await page.goto(`/panel/token/${token.id}`);
    await test.step("limits and usage", async () => {
      await heading(page, "of acme").waitFor();
      await figure(page, "Used in total").getByText("No limit").waitFor();
      await figure(page, "Used this month").getByText("of $10.00").waitFor();
      await figure(page, "Used this month")
        .getByText(/ left · Resets /)
        .waitFor();
      await figure(page, "Used today").getByText("No limit").waitFor();
      await figure(page, "Expires").getByText("Never").waitFor();
      await figure(page, "Requests, 24 hours").getByText("3", { exact: true }).waitFor();
    });
    await test.step("settings without the key", async () => {
      await page.getByRole("tab", { name: "Settings" }).click();
      await page.getByText("Not used yet").or(page.getByText("Last used")).first().waitFor();
      expect(await page.content()).not.toContain(token.key);
    });
    await test.step("the budget of another token", async () => {
      await goTo(page, `/panel/token/${other.id}`);
      const budget = figure(page, "Budget");
      await budget.getByText(/ \/ \$5\.00$/).waitFor();
      await budget.getByText(/Notice at \$2\.00/).waitFor();
    });
  },
);

test(
  "a new customer gets an account, a key with a budget, a message, and another token",
  { tag: "@nightly" },
  async ({ page }) => {
    await page.goto("/panel/user");
    await test.step("the customer is created with a budget", async () => {
      await page.getByRole("button", { name: "New customer" }).click();
      const form = page.getByRole("dialog", { name: "New customer" });
      await form.getByLabel("Username").fill("globex");
      await form.getByLabel("Monthly budget in dollars").fill("10");
      await form.getByRole("button", { name: "Create customer" }).click();
    });
    await test.step("the message contains the name and a key that works within the budget", async () => {
      const message = await page.getByLabel("Message to send").inputValue();
      expect(message).toContain("globex");
      const key = /sk-\S+/.exec(message)?.[0] ?? "";
      const answer = await fetch(`${site.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
      expect(answer.status).toBe(200);
      const tokens = await site.api<{ data: { setting: { rates: { monthly_spend: number } } }[] }>(
        "GET",
        "/token/admin/search?keyword=globex",
      );
      expect(tokens.data[0]?.setting.rates.monthly_spend).toBe(5_000_000);
    });
    await test.step("the page of the customer is linked", async () => {
      await page.getByRole("link", { name: "Open the page" }).click();
      await heading(page, "globex").waitFor();
    });
    await test.step("the list of all tokens adds another one", async () => {
      const id = /\/user\/(\d+)/.exec(page.url())?.[1];
      await goTo(page, `/panel/token?view=all&user_id=${id}`);
      await page.getByRole("button", { name: "New token" }).click();
      const form = page.getByRole("dialog", { name: "New token for a user" });
      await form.getByLabel("Name", { exact: false }).last().fill("second of globex");
      await form.getByRole("button", { name: "Create and copy the key" }).click();
      await page.getByTestId("new-key").waitFor();
      await page.getByRole("button", { name: "Done" }).click();
      await page.getByText("second of globex").first().waitFor();
    });
  },
);
