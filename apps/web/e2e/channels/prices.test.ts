import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSite, type Site } from "../support/site.ts";

let site: Site;

beforeAll(async () => {
  site = await openSite();
  const models = ["demo-chat", "gpt-4o", "secret-model", "priceless"];
  await site.api("POST", "/channel", { type: 900, name: "Demo", models, groups: ["default", "vip"] });
  const groups = await site.api<{ data: { id: number; symbol: string; name: string }[] }>(
    "GET",
    "/user_group",
  );
  const vip = groups.data.find((group) => group.symbol === "vip")!;
  await site.api("PUT", "/user_group", {
    id: vip.id,
    name: "VIP",
    ratio: 0.5,
    api_rate: 60,
    public: true,
    min: 0,
    max: 0,
  });
});
afterAll(() => site.close());

interface Price {
  model: string;
  input: number;
  output: number;
  extra_ratios: Record<string, number>;
  locked: boolean;
}

async function priceOf(model: string): Promise<Price | undefined> {
  return (await site.api<Price[]>("GET", "/prices")).find((price) => price.model === model);
}

const rowOf = (page: Page, name: string): Locator =>
  page.getByRole("row").filter({ has: page.getByText(name, { exact: true }) });

async function typeModels(form: Locator, ...models: string[]): Promise<void> {
  const field = form.getByRole("combobox", { name: "Model name" });
  for (const model of models) {
    await field.fill(model);
    await field.press("Enter");
  }
}

async function choose(page: Page, form: Locator, label: string, option: string): Promise<void> {
  await form.getByRole("combobox", { name: label }).click();
  await page.getByRole("option", { name: option, exact: true }).click();
}

describe("a price", () => {
  it("is entered in any unit, converted while typing, and active immediately", async () => {
    const page = await site.open("/panel/pricing");
    await page.getByRole("button", { name: "New price" }).click();
    const form = page.getByRole("dialog");
    await form.getByRole("button", { name: "Save" }).click();
    await form.getByText("At least one model is required").waitFor();
    await form.getByText("Unknown channel type").waitFor();

    await typeModels(form, "house-*", "home-model");
    await choose(page, form, "Owner", "OpenAI");
    await form.getByLabel("Input", { exact: true }).fill("2.5");
    await form.getByText("×1.25 · ¥17.50 per 1M tokens").waitFor();
    await form.getByText("RMB ¥").click();
    await expect.poll(() => form.getByLabel("Input", { exact: true }).inputValue()).toBe("17.5");
    await form.getByText("per 1K tokens", { exact: true }).click();
    await form.getByLabel("Output", { exact: true }).fill("0.07");
    await form.getByText("×5 · $0.01 per 1K tokens").waitFor();
    await form.getByRole("button", { name: "Add extended price" }).click();
    await form.getByLabel("Multiplier").fill("0.25");
    await form.getByRole("button", { name: "Save" }).click();
    await form.waitFor({ state: "detached" });

    const saved = { input: 1.25, output: 5, extra_ratios: { cached_tokens: 0.25 }, locked: false };
    expect(await priceOf("house-*")).toMatchObject(saved);
    expect(await priceOf("home-model")).toMatchObject(saved);
  });

  it("cannot have the name of another, and keeps the input", async () => {
    const page = await site.open("/panel/pricing?keyword=home-model");
    await rowOf(page, "home-model").click();
    const form = page.getByRole("dialog");
    await form.getByText("home-model", { exact: true }).waitFor();
    await form.getByRole("combobox", { name: "Model name" }).press("Backspace");
    await typeModels(form, "gpt-4o");
    await form.getByRole("button", { name: "Save" }).click();
    await form.getByText("Model names cannot be repeated").waitFor();
    await form.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Discard changes" }).click();
    expect(await priceOf("home-model")).toBeDefined();
  });

  it("of several models is one row of the grouped list; tab, search and filters are in the address", async () => {
    const page = await site.open("/panel/pricing");
    await page.getByRole("tab", { name: "By price" }).click();
    await page.getByRole("columnheader", { name: "Models" }).waitFor();
    await page.getByPlaceholder("Model or owner").fill("ho");
    await page.waitForURL(/keyword=ho/);
    await page.reload();
    const row = rowOf(page, "house-*");
    await row.getByText("home-model", { exact: true }).waitFor();
    await row.getByText("$2.50 / ¥17.50").waitFor();
    await expect.poll(() => new URL(page.url()).searchParams.get("tab")).toBe("multiple");
    await row.hover();
    await row.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await row.waitFor({ state: "detached" });
    expect(await priceOf("home-model")).toBeUndefined();
    expect(await priceOf("house-*")).toBeUndefined();
  });

  it("is requested where a channel offers a model without one", async () => {
    const page = await site.open("/panel/pricing");
    const warning = page.getByRole("alert").filter({ hasText: "have no price" });
    await warning.getByText("priceless", { exact: true }).waitFor();
    await warning.getByRole("button", { name: "Set a price" }).click();
    const form = page.getByRole("dialog");
    await choose(page, form, "Owner", "Meta");
    await choose(page, form, "Billed", "per call");
    await form.getByLabel("Price of a call").fill("0.04");
    await form.getByRole("button", { name: "Save" }).click();
    await warning.waitFor({ state: "detached" });
    expect(await priceOf("priceless")).toMatchObject({ type: "times", input: 20 });
  });
});

describe("importing a price list", () => {
  it("shows a preview, keeps locked prices, and asks before it overwrites", async () => {
    await site.api("PUT", "/prices/single/gpt-4o", {
      model: "gpt-4o",
      type: "tokens",
      channel_type: 1,
      input: 99,
      output: 99,
    });
    const locked = {
      model: "gpt-4o-mini",
      type: "tokens",
      channel_type: 1,
      input: 88,
      output: 88,
      locked: true,
    };
    await site.api("PUT", "/prices/single/gpt-4o-mini", locked);
    const page = await site.open("/panel/pricing");
    await page.getByRole("button", { name: "Update prices" }).click();
    const dialog = page.getByRole("dialog").filter({ hasText: "Update prices" });
    await dialog.getByRole("button", { name: "Fetch" }).click();
    await dialog.getByText("No new models").waitFor();
    await dialog.getByText("Overwrite all:").click();
    const changed = dialog.getByRole("row").filter({ hasText: "gpt-4o" });
    await changed.getByText("99").first().waitFor();
    await dialog.getByText("Locked and not changed: gpt-4o-mini").waitFor();
    await dialog.getByRole("button", { name: /^Import \d+ change/ }).click();
    await page.getByRole("button", { name: "Overwrite all", exact: true }).click();
    await dialog.waitFor({ state: "detached" });
    expect((await priceOf("gpt-4o"))?.input).toBe(1.25);
    expect(await priceOf("gpt-4o-mini")).toMatchObject({ input: 88, locked: true });
    expect(await priceOf("priceless")).toBeUndefined();
  });

  it("rejects an address of this machine with a message", async () => {
    const page = await site.open("/panel/pricing", { locale: "zh-CN" });
    await page.getByRole("button", { name: "更新价格" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("从 URL 获取列表").click();
    await dialog.getByLabel("列表的 URL").fill("http://127.0.0.1:1/prices.json");
    await dialog.getByRole("button", { name: "获取" }).click();
    await dialog.getByText("只能获取公网 URL。").waitFor();
  });
});

describe("the public price list", () => {
  it("shows a guest the price in each public group, as cards or as a list, all in the address", async () => {
    const page = await site.open("/price", { guest: true });
    const card = page.getByRole("listitem").filter({ hasText: "gpt-4o" });
    await card.getByText("$2.50", { exact: true }).waitFor();
    await page.getByRole("button", { name: "VIP" }).click();
    await card.getByText("$1.25", { exact: true }).waitFor();
    await page.getByText("per thousand", { exact: true }).click();
    await card.getByText("$0.00125", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Show as a list" }).click();
    const copy = await site.open(new URL(page.url()).pathname + new URL(page.url()).search, { guest: true });
    await rowOf(copy, "gpt-4o").getByText("$0.00125", { exact: true }).waitFor();
  });

  it("begins with the reader's own group in the console, and fits a phone", async () => {
    const page = await site.open("/panel/model_price", { phone: true });
    await page.getByRole("button", { name: "Default", pressed: true }).waitFor();
    await page.getByRole("listitem").filter({ hasText: "demo-chat" }).waitFor();
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(width).toBeLessThanOrEqual(390);
  });
});
