/** Prices of models: entered and imported. Visitors see them in model-pages.test.ts. */
import type { Locator, Page } from "@playwright/test";
import { expect, test, type Site } from "../support/test.ts";

let site: Site;

test.beforeAll(async ({ site: started }) => {
  site = started;
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

test(
  "prices are entered in any unit, converted while typing, kept apart by name, and deleted together",
  { tag: "@nightly" },
  async ({ page }) => {
    await page.goto("/panel/pricing");
    const form = page.getByRole("dialog");
    await test.step("a price is entered in dollars, then in yuan", async () => {
      await page.getByRole("button", { name: "New price" }).click();
      await form.getByRole("button", { name: "Save" }).click();
      await expect(form.getByText("At least one model is required")).toBeVisible();
      await expect(form.getByText("Channel type error")).toBeVisible();
      await typeModels(form, "house-*", "home-model");
      await choose(page, form, "Owner", "OpenAI");
      const input = form.getByLabel("Input", { exact: true });
      await input.fill("2.5");
      await expect(form.getByText("×1.25 · ￥17.5 per 1M tokens")).toBeVisible();
      await form.getByText("RMB ￥").click();
      await expect(input).toHaveValue("17.5");
      await form.getByText("per 1K tokens", { exact: true }).click();
      await form.getByLabel("Output", { exact: true }).fill("0.07");
      await expect(form.getByText("×5 · $0.01 per 1K tokens")).toBeVisible();
      await form.getByRole("button", { name: "Add extended price" }).click();
      await form.getByLabel("Multiplier").fill("0.25");
      await form.getByRole("button", { name: "Save" }).click();
      await expect(form).toHaveCount(0);
      const saved = { input: 1.25, output: 5, extra_ratios: { cached_tokens: 0.25 }, locked: false };
      expect(await priceOf("house-*")).toMatchObject(saved);
      expect(await priceOf("home-model")).toMatchObject(saved);
    });

    await test.step("another price's name is refused", async () => {
      await page.getByPlaceholder("Model or owner").fill("ho");
      await page.waitForURL(/keyword=ho/);
      await rowOf(page, "home-model").click();
      await form.getByRole("combobox", { name: "Model name" }).press("Backspace");
      await typeModels(form, "gpt-4o");
      await form.getByRole("button", { name: "Save" }).click();
      await expect(form.getByText("Model names cannot be repeated")).toBeVisible();
      await form.getByRole("button", { name: "Cancel" }).click();
      await page.getByRole("button", { name: "Discard changes" }).click();
      expect(await priceOf("home-model")).toBeDefined();
    });

    await test.step("models with the same price are one row of the grouped list, which has an address", async () => {
      await page.getByRole("tab", { name: "By price" }).click();
      await expect(page.getByRole("columnheader", { name: "Models" })).toBeVisible();
      await expect(page).toHaveURL(/\?(?=.*keyword=ho)(?=.*tab=multiple)/);
      await page.reload();
      const row = page.getByRole("row").filter({ hasText: "house-*" });
      await expect(row).toContainText("home-model");
      await expect(row.getByText("$2.5 / ￥17.5")).toBeVisible();
      await row.hover();
      await row.getByRole("button", { name: "Delete" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
      await expect(row).toHaveCount(0);
      expect(await priceOf("home-model")).toBeUndefined();
      expect(await priceOf("house-*")).toBeUndefined();
    });
  },
);

test(
  "an imported price list is previewed, keeps locked prices, and overwrites others only after a question",
  { tag: "@nightly" },
  async ({ page }) => {
    const price = { type: "tokens", channel_type: 1 };
    const changed = { ...price, model: "gpt-4o", input: 99, output: 99 };
    await site.api("PUT", "/prices/single/gpt-4o", changed);
    const locked = { ...price, model: "gpt-4o-mini", input: 88, output: 88, locked: true };
    await site.api("PUT", "/prices/single/gpt-4o-mini", locked);
    await page.goto("/panel/pricing");
    await page.getByRole("button", { name: "Update prices" }).click();
    const dialog = page.getByRole("dialog").filter({ hasText: "Update prices" });
    await test.step("an address of this machine is refused", async () => {
      await dialog.getByText("List from a URL").click();
      await dialog.getByLabel("URL of the list").fill("http://127.0.0.1:1/prices.json");
      await dialog.getByRole("button", { name: "Fetch" }).click();
      await expect(dialog.getByText("Only public URLs can be fetched.")).toBeVisible();
    });

    await test.step("the preview shows what changes and what is locked", async () => {
      await dialog.getByText("Built-in list").click();
      await dialog.getByRole("button", { name: "Fetch" }).click();
      await expect(dialog.getByText("No new models")).toBeVisible();
      await dialog.getByText("Overwrite all:").click();
      const row = dialog.getByRole("row").filter({ hasText: "gpt-4o" });
      await expect(row.getByText("99").first()).toBeVisible();
      await expect(dialog.getByText("Locked and not changed: gpt-4o-mini")).toBeVisible();
    });

    await test.step("the import asks before it overwrites", async () => {
      await dialog.getByRole("button", { name: /^Import \d+ change/ }).click();
      await page.getByRole("button", { name: "Overwrite all", exact: true }).click();
      await expect(dialog).toHaveCount(0);
      expect((await priceOf("gpt-4o"))?.input).toBe(1.25);
      expect(await priceOf("gpt-4o-mini")).toMatchObject({ input: 88, locked: true });
      expect(await priceOf("priceless")).toBeUndefined();
    });

    await test.step("a model of a channel without a price is shown, and receives a price per call", async () => {
      const warning = page.getByRole("alert").filter({ hasText: "have no price" });
      await expect(warning.getByText("priceless", { exact: true })).toBeVisible();
      await warning.getByRole("button", { name: "Set a price" }).click();
      const form = page.getByRole("dialog");
      await choose(page, form, "Owner", "Meta");
      await choose(page, form, "Billed", "per call");
      await form.getByLabel("Price of a call").fill("0.04");
      await form.getByRole("button", { name: "Save" }).click();
      await expect(warning).toHaveCount(0);
      expect(await priceOf("priceless")).toMatchObject({ type: "times", input: 20 });
    });
  },
);
