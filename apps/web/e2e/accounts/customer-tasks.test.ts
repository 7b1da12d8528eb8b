/**
 * Frequent tasks of a customer with the mouse. Each has a limit of clicks and fields, and at most ten estimated seconds of
 * interaction, so that a task cannot become longer unnoticed.
 */
import { readFile } from "node:fs/promises";
import type { Download, Page } from "@playwright/test";
import { connect } from "../../../server/src/platform/database/db.ts";
import { type EpaySite, startEpaySite } from "../support/epay-site.ts";
import { faults } from "../support/faults.ts";
import { type Effort, Hands } from "../support/hands.ts";
import { expect, test, type Site } from "../support/test.ts";
import { keyStatus, newSession, signInAs } from "./common-steps.ts";

test.use({ gateway: { local: true } });

const password = "hunter2hunter2";
const mostSeconds = 10;

let site: Site;
let epay: EpaySite;
let cookie: string;
let app: { id: number; key: string };
const efforts = new Map<string, Effort>();

test.beforeAll(async ({ site: started }) => {
  site = started;
  epay = await startEpaySite();
  const channel = { type: 900, groups: ["default"] };
  const models = ["demo-chat", "seeing-dear", "seeing-cheap"];
  await site.api("POST", "/channel", { ...channel, name: "Main", models });
  await site.api("POST", "/channel", {
    ...channel,
    name: "Broken",
    key: "demo-fail-500",
    models: ["broken"],
  });
  const price = { type: "tokens", channel_type: 1 };
  for (const [model, input] of Object.entries({ "seeing-dear": 5, "seeing-cheap": 0.5, broken: 1 }))
    await site.api("POST", "/prices/single", { ...price, model, input, output: input * 4 });
  for (const model of ["seeing-dear", "seeing-cheap"])
    await site.api("POST", "/model_info", {
      model,
      input_modalities: ["text", "image"],
      context_length: 200_000,
    });
  await site.api("PUT", "/option", { key: "ServerAddress", value: site.url });
  await site.api("PUT", "/option", { key: "PaymentUSDRate", value: 7 });
  const config = { pay_domain: epay.url, partner_id: "1001", key: epay.key };
  await site.api("POST", "/payment", { type: "epay", name: "Pay", icon: "card", currency: "CNY", config });
  await site.api("POST", "/user", { username: "acme", password, quota: 50_000_000 });
  cookie = await newSession(site, "acme", password);
  app = await own("POST", "/token", { name: "app", unlimited_quota: true, setting: { log_bodies: true } });
  for (const model of ["demo-chat", "seeing-cheap", "broken"]) await call(model);
  await addLastMonth();
});
test.afterAll(async () => {
  await epay.close();
  console.log(tableOf(efforts));
});

/** Calls the management API as the customer. */
async function own<T>(method: string, path: string, body?: unknown): Promise<T> {
  const answer = await fetch(`${site.url}/api${path}`, {
    method,
    headers: {
      ...site.newAddress(),
      "api-version": "2",
      "content-type": "application/json",
      origin: site.url,
      cookie,
    },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const { success, message, data } = (await answer.json()) as { success: boolean; message: string; data: T };
  if (!success) throw new Error(`${method} ${path}: ${message}`);
  return data;
}

async function call(model: string): Promise<void> {
  const answer = await fetch(`${site.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${app.key}`, "content-type": "application/json" },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "Hello" }] }),
  });
  await answer.text();
}

/** Moves usage into the previous month, and closes that month. */
async function addLastMonth(): Promise<void> {
  const database = connect(site.databaseUrl, { max: 1 });
  try {
    await database.pool.query(
      `INSERT INTO usage_hours (hour, user_id, token_id, channel_id, model, "group", request_count, quota, prompt_tokens)
       SELECT date_trunc('month', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC' - interval '3 days', id, $1, 0,
         'demo-chat', 'default', 4, 250000, 4000 FROM users WHERE username = 'acme'`,
      [app.id],
    );
  } finally {
    await database.close();
  }
  await site.api("POST", `/option/invoice/gen/${lastMonth()}`);
}

function lastMonth(now = new Date()): string {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1)).toISOString().slice(0, 7);
}

type Limits = { clicks: number; fields: number };

/** Runs a task from the dashboard of the customer. */
function task(name: string, limits: Limits, steps: (hands: Hands, page: Page) => Promise<void>): void {
  test(`a customer ${name}`, async ({ page }) => {
    await signInAs(page, site, "acme", password);
    await page.goto("/panel/dashboard");
    await page.getByRole("heading", { level: 1, name: "Dashboard" }).waitFor();
    const hands = new Hands(page, "mouse");
    await steps(hands, page);
    const { effort } = hands;
    efforts.set(name, effort);
    expect(effort.clicks).toBeLessThanOrEqual(limits.clicks);
    expect(effort.fields).toBeLessThanOrEqual(limits.fields);
    expect(effort.seconds).toBeLessThanOrEqual(mostSeconds);
    // A tooltip below the pointer is no part of the page.
    await page.mouse.move(0, 0);
    await expect(page.getByRole("tooltip")).toHaveCount(0);
    expect(await faults(page)).toEqual([]);
  });
}

const dialog = (page: Page, name?: string | RegExp) =>
  page.getByRole("dialog", name === undefined ? {} : { name }).last();
const row = (page: Page, text: string) => page.locator("tbody tr").filter({ hasText: text }).first();
const textOf = async (download: Download) => readFile(await download.path(), "utf8");

task("rotates a key without an outage", { clicks: 4, fields: 0 }, async (hands, page) => {
  await hands.goTo("Tokens");
  await hands.use(page.getByRole("button", { name: "More actions for app" }));
  await hands.use(page.getByRole("menuitem", { name: "Rotate key" }));
  await hands.use(dialog(page).getByRole("button", { name: "Rotate key" }));
  const created = (await page.getByTestId("new-key").textContent()) ?? "";
  for (const key of [app.key, created]) expect(await keyStatus(site, key)).toBe(200);
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByText("Two keys work").waitFor();
  await page.getByRole("button", { name: "End now" }).click();
  await dialog(page).getByRole("button", { name: "End now" }).click();
  await expect(page.getByText("Two keys work")).toHaveCount(0);
  await expect.poll(() => keyStatus(site, app.key)).toBe(401);
  expect(await keyStatus(site, created)).toBe(200);
  app.key = created;
});

// Other tests do the same without counting clicks.
test.describe("further tasks", { tag: "@nightly" }, () => {
  task("downloads last month's statement", { clicks: 2, fields: 0 }, async (hands, page) => {
    await hands.goTo("Statements");
    const download = page.waitForEvent("download");
    await hands.use(page.getByRole("button", { name: `Download the statement ${lastMonth()}` }));
    expect((await download).suggestedFilename()).toBe(`statement-${lastMonth()}.csv`);
    expect(await textOf(await download)).toContain(`${lastMonth()},demo-chat,4,250000`);
  });

  task("creates a key with a limit", { clicks: 4, fields: 2 }, async (hands, page) => {
    await hands.goTo("Tokens");
    await hands.use(page.getByRole("button", { name: "New token" }).first());
    const form = dialog(page);
    await hands.fill(form.getByLabel("Name"), "bot");
    await hands.choose(form.getByRole("radiogroup", { name: "Quota" }), "Limited");
    await hands.press("Control+Enter");
    await page.getByTestId("new-key").waitFor();
    const { data } = await own<{ data: { name: string; unlimited_quota: boolean; remain_quota: number }[] }>(
      "GET",
      "/token?keyword=bot",
    );
    expect(data).toMatchObject([{ name: "bot", unlimited_quota: false, remain_quota: 2_500_000 }]);
  });

  task("finds the cheapest model with vision", { clicks: 3, fields: 0 }, async (hands, page) => {
    await hands.goTo("Available models");
    await hands.use(page.getByRole("button", { name: /^Vision/ }));
    await hands.use(page.getByRole("button", { name: "Cheapest first" }));
    const links = page.getByRole("list", { name: "Available models" }).getByRole("link");
    await expect(links).toHaveText(["demo-chat", "seeing-cheap", "seeing-dear"]);
    await expect(page).toHaveURL(/input=image/);
    await page.reload();
    await expect(links).toHaveText(["demo-chat", "seeing-cheap", "seeing-dear"]);
  });

  test("a customer compares three models", async ({ page }) => {
    await signInAs(page, site, "acme", password);
    await page.goto("/panel/model_price");
    for (const model of ["demo-chat", "seeing-cheap", "seeing-dear"])
      await page.getByRole("button", { name: `Compare: ${model}` }).click();
    await page.getByRole("button", { name: "Compare 3 models" }).click();
    const comparison = dialog(page).getByRole("region", { name: "Comparison" });
    await expect(comparison.getByRole("columnheader")).toHaveText([
      "Model",
      "demo-chat",
      "seeing-cheap",
      "seeing-dear",
    ]);
    // Two of them have the same price.
    await expect(comparison.getByRole("row", { name: /^Input/ }).getByText("Lowest")).toHaveCount(2);
    expect(await faults(page)).toEqual([]);
  });

  task("sees the last week's spend by model", { clicks: 1, fields: 0 }, async (hands, page) => {
    await hands.goTo("My usage");
    await hands.see(page.getByRole("row", { name: /demo-chat/ }));
    await expect(page.getByRole("combobox", { name: "Group by" })).toHaveValue("By model");
    await expect(page.getByRole("combobox", { name: "Time" })).toHaveValue(/7 days/);
  });

  task("sees why a call cost that much", { clicks: 2, fields: 0 }, async (hands, page) => {
    await hands.goTo("Logs");
    await hands.use(row(page, "demo-chat").getByText("demo-chat"));
    await hands.see(dialog(page).getByRole("heading", { name: "Bill", exact: true }));
  });

  task("sees why a call failed", { clicks: 2, fields: 0 }, async (hands, page) => {
    await hands.goTo("Logs");
    await hands.use(row(page, "broken").getByText("broken"));
    await hands.see(dialog(page).getByText("The call failed and was not charged."));
  });

  task("sets a monthly budget", { clicks: 3, fields: 1 }, async (hands, page) => {
    await hands.goTo("Statements");
    await hands.use(page.getByRole("button", { name: "Set a budget" }));
    await hands.fill(dialog(page).getByLabel("Budget per month"), "20");
    await hands.use(dialog(page).getByRole("button", { name: "Save" }));
    await page.getByText("the month ends within the budget").waitFor();
    expect(await own("GET", "/user/self/budget")).toMatchObject({
      own: { limit: 10_000_000, warning: 80, stops: false },
    });
  });

  task("tops up", { clicks: 4, fields: 0 }, async (hands, page) => {
    const balance = async () => (await own<{ quota: number }>("GET", "/user/self")).quota;
    const before = await balance();
    await hands.goTo("Top up");
    await hands.use(page.getByRole("button", { name: "$100" }));
    await hands.use(page.getByRole("button", { name: /^Pay ¥/ }));
    const opened = page.context().waitForEvent("page");
    await hands.use(dialog(page).getByRole("link", { name: "Open the payment page" }));
    const paymentPage = await opened;
    await paymentPage.getByRole("link", { name: "Pay now" }).click();
    await dialog(page).getByText("Payment received").waitFor();
    expect(await balance()).toBe(before + 50_000_000);
  });

  task("connects Claude Code", { clicks: 3, fields: 0 }, async (hands, page) => {
    await hands.goTo("Connect a client");
    await hands.use(page.getByRole("button", { name: "Insert the key" }));
    const settings = page.locator("pre", { hasText: "ANTHROPIC_BASE_URL" }).first();
    await expect(settings).toContainText("sk-");
    await hands.use(page.getByRole("button", { name: "Copy File" }).first());
  });
});

function tableOf(all: ReadonlyMap<string, Effort>): string {
  const lines = [...all].map(
    ([name, { clicks, fields, seconds }]) => `| ${name} | ${clicks} | ${fields} | ${seconds} |`,
  );
  return ["| Task | Clicks | Fields | Seconds |", "| --- | --: | --: | --: |", ...lines].join("\n");
}
