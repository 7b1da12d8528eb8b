import type { UserDetail } from "@gateway/shared/accounts/user";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { faults } from "../support/faults.ts";
import { openSite, type Site } from "../support/site.ts";

let site: Site;
let channel: number;
let customer: UserDetail;
let token: { id: number; key: string };

beforeAll(async () => {
  site = await openSite();
  const made = await site.api<{ id: number }>("POST", "/channel", {
    type: 900,
    name: "Main account",
    models: ["demo-chat"],
    groups: ["default"],
  });
  channel = made.id;
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
afterAll(() => site.close());

const heading = (page: Page, name: string) => page.getByRole("heading", { level: 1, name });
const figure = (page: Page, name: string) => page.getByRole("region", { name });

async function fitsPhone(path: string, name: string): Promise<void> {
  const page = await site.open(path, { phone: true, dark: true, locale: "zh-CN" });
  await heading(page, name).waitFor();
  await page.getByRole("img").first().waitFor();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  expect(await faults(page)).toEqual([]);
}

describe("the page of a channel", () => {
  it("shows its health, keeps its tab in the address, and opens the editor", async () => {
    const page = await site.open(`/panel/channel/${channel}`);
    await heading(page, "Main account").waitFor();
    await page.getByText("Healthy", { exact: true }).waitFor();
    await figure(page, "Success, 24 hours").getByText("100%").waitFor();
    await figure(page, "Requests, 24 hours").getByText("2", { exact: true }).waitFor();
    expect(await faults(page)).toEqual([]);
    await page.getByRole("tab", { name: "Calls" }).click();
    await page.getByRole("list", { name: "Newest calls" }).getByRole("link").first().waitFor();
    expect(new URL(page.url()).search).toBe("?tab=logs");
    await page.reload();
    await page.getByRole("tab", { name: "Calls", selected: true }).waitFor();
    await page.getByRole("tab", { name: "Activity" }).click();
    await page.getByText("Channel created").waitFor();
    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByRole("dialog").getByLabel("Name", { exact: true }).first().waitFor();
    await page.goBack();
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    expect(new URL(page.url()).search).toBe("?tab=activity");
  });

  it("shows when a channel does not exist, and fits a phone", async () => {
    const page = await site.open("/panel/channel/987654");
    await page.getByText("This channel was not found").waitFor();
    await page.getByRole("link", { name: "Show all channels" }).click();
    await page.getByText("Main account").first().waitFor();
    await page.goto(`${site.url}/panel/channel/nonsense`);
    await page.getByText("This channel was not found").waitFor();
    await fitsPhone(`/panel/channel/${channel}`, "Main account");
  });

  it("shows its 24 hours in the list, too", async () => {
    const page = await site.open("/panel/channel");
    const row = page.getByRole("row").filter({ hasText: "Main account" });
    await row.getByRole("img", { name: "24 hours: 2 calls, 0 failed" }).waitFor();
    await row.getByRole("button", { name: "More actions for Main account" }).click();
    await page.getByRole("menuitem", { name: "Health and traffic" }).click();
    await heading(page, "Main account").waitFor();
  });
});

describe("the page of a customer", () => {
  it("shows balance, spending, tokens and reasons of failed calls", async () => {
    const page = await site.open(`/panel/user/${customer.id}`);
    await heading(page, "acme").waitFor();
    await figure(page, "Balance").waitFor();
    await figure(page, "Requests, 24 hours").getByText("1 failed").waitFor();
    await page.getByText("Model not available").first().waitFor();
    expect(await faults(page)).toEqual([]);
    await page.getByRole("tab", { name: "Calls" }).click();
    const calls = page.getByRole("list", { name: "Newest calls" }).getByRole("listitem");
    await expect.poll(() => calls.count()).toBe(3);
    // The failed call names its model, and neither the user of the page nor an amount.
    expect(await calls.first().innerText()).toMatch(/^no-such-model\s+–\s+Model not available · of acme\s/);
    await page.getByRole("tab", { name: "Tokens" }).click();
    await page.getByRole("link", { name: "of acme" }).click();
    await heading(page, "of acme").waitFor();
    await page.goBack();
    await page.getByRole("tab", { name: "Tokens", selected: true }).waitFor();
    await page.goto(`${site.url}/panel/user/987654`);
    await page.getByText("This account was not found").waitFor();
    await fitsPhone(`/panel/user/${customer.id}`, "acme");
  });
});

describe("the page of a token", () => {
  it("shows an administrator its limits and usage, but not its key", async () => {
    const page = await site.open(`/panel/token/${token.id}`);
    await heading(page, "of acme").waitFor();
    await page.getByText(/\/ \$10\.00/).waitFor();
    await figure(page, "Requests, 24 hours").getByText("3", { exact: true }).waitFor();
    expect(await faults(page)).toEqual([]);
    await page.getByRole("tab", { name: "Settings" }).click();
    await page.getByText("Not used yet").or(page.getByText("Last used")).first().waitFor();
    expect(await page.content()).not.toContain(token.key);
    const budget = { daily_spend: 2_500_000, daily_notify: 1_000_000, weekly_spend: 0, weekly_notify: 0 };
    await site.api("PUT", `/token/admin/${token.id}/budget`, {
      budget: { ...budget, monthly_spend: 0, monthly_notify: 0 },
    });
    await page.goto(`${site.url}/panel/token/${token.id}`);
    await figure(page, "Budget")
      .getByText(/ \/ \$5\.00$/)
      .waitFor();
    await figure(page, "Budget")
      .getByText(/Notice at \$2\.00/)
      .waitFor();
    await page.goto(`${site.url}/panel/token/987654`);
    await page.getByText("This token was not found").waitFor();
    await fitsPhone(`/panel/token/${token.id}`, "of acme");
  });
});

describe("a new customer", () => {
  it("gets an account, a key with a budget, and a message to send", async () => {
    const page = await site.open("/panel/user");
    await page.getByRole("button", { name: "New customer" }).click();
    const form = page.getByRole("dialog", { name: "New customer" });
    await form.getByLabel("Username").fill("globex");
    await form.getByLabel("Monthly budget in dollars").fill("10");
    await form.getByRole("button", { name: "Create customer" }).click();
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
    await page.getByRole("link", { name: "Open the page" }).click();
    await heading(page, "globex").waitFor();
  });

  it("gets another token from the list of all tokens", async () => {
    const page = await site.open(`/panel/token?view=all&user_id=${customer.id}`);
    await page.getByRole("button", { name: "New token" }).click();
    const form = page.getByRole("dialog", { name: "New token for a user" });
    await form.getByLabel("Name", { exact: false }).last().fill("second of acme");
    await form.getByRole("button", { name: "Create and copy the key" }).click();
    await page.getByTestId("new-key").waitFor();
    await page.getByRole("button", { name: "Done" }).click();
    await page.getByText("second of acme").first().waitFor();
  });
});
