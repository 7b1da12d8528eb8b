import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { faults } from "../support/faults.ts";
import { openSite, type Site } from "../support/site.ts";

/** Disabling a model everywhere, and undoing it, wherever an operator looks for it. */
let site: Site;
beforeAll(async () => {
  site = await openSite();
  const channel = { type: 900, groups: ["default"] };
  await site.api("POST", "/channel", { ...channel, name: "East", models: ["demo-chat", "demo-think"] });
  await site.api("POST", "/channel", { ...channel, name: "West", models: ["demo-*"] });
});
afterAll(() => site.close());
beforeEach(() => site.api("PUT", "/option", { key: "DisabledModels", value: null }));

const disabled = () => site.api<string[]>("GET", "/disabled_models");
const dialogOf = (page: Page) => page.getByRole("dialog", { name: "Disable demo-think everywhere?" });

async function type(page: Page, text: string) {
  await page.keyboard.press("Control+k");
  const box = page.getByRole("textbox", { name: "Go to…" });
  await box.fill(text);
  return page.getByRole("dialog").filter({ has: box });
}

describe("a model", () => {
  it("is disabled from the palette with the keyboard, and enabled by Undo", async () => {
    const page = await site.open("/panel/profile");
    await page.getByRole("heading", { name: "Profile", exact: true }).waitFor();
    const palette = await type(page, "disable demo-th");
    await palette.getByText("Disable demo-think everywhere", { exact: true }).waitFor();
    await page.keyboard.press("Enter");
    const dialog = dialogOf(page);
    await dialog.getByText("2 enabled channels serve this model.").waitFor();
    expect(await disabled()).toEqual([]);
    expect(await faults(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Disable everywhere" }).press("Enter");
    await dialog.waitFor({ state: "hidden" });
    expect(await disabled()).toEqual(["demo-think"]);
    const note = page.getByRole("alert", { name: "Disabled everywhere" });
    await note.getByText("demo-think").waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await note.waitFor({ state: "hidden" });
    expect(await disabled()).toEqual([]);
  });

  it("is enabled again from the palette", async () => {
    await site.api("PUT", "/disabled_models", { model: "demo-think", disabled: true });
    const page = await site.open("/panel/profile");
    await page.getByRole("heading", { name: "Profile", exact: true }).waitFor();
    const palette = await type(page, "enable demo");
    await palette.getByText("Enable demo-think again", { exact: true }).click();
    await expect.poll(disabled).toEqual([]);
  });

  it("is disabled on its page, which then says so and enables it again", async () => {
    const page = await site.open("/panel/model_price/demo-think");
    await page.getByRole("button", { name: "Disable everywhere" }).click();
    await dialogOf(page).getByRole("button", { name: "Disable everywhere" }).click();
    await page.getByText("This model is not available").waitFor();
    await page.getByRole("button", { name: "Enable again demo-think" }).click();
    await page.getByRole("button", { name: "Manage" }).waitFor();
    expect(await disabled()).toEqual([]);
  });

  it("is chosen in the dialog of all channels, on a phone", async () => {
    const page = await site.open("/panel/channel?disable=model", { phone: true });
    const dialog = page.getByRole("dialog", { name: "Disable a model everywhere" });
    await dialog
      .getByRole("combobox", { name: "Model" })
      .or(dialog.getByLabel("Model"))
      .first()
      .fill("not-served");
    await dialog.getByText("No enabled channel serves this model.").waitFor();
    await page.keyboard.press("Escape");
    await dialog.getByRole("button", { name: "Disable everywhere" }).click();
    await page.getByRole("button", { name: "Enable again not-served" }).waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    expect(await faults(page)).toEqual([]);
  });

  it("that is removed from all channels is still served by patterns, which the preview names", async () => {
    const page = await site.open("/panel/channel?remove=demo-think");
    const drawer = page.getByRole("dialog", { name: "Remove a model from all channels" });
    await drawer.getByRole("button", { name: "Preview" }).click();
    await drawer.getByText("1 channel still serves it through a wildcard").waitFor();
    await drawer.getByText("West: demo-*").waitFor();
  });
});

describe("the list of disabled models", () => {
  it("is on the screens of channels, models and prices", async () => {
    await site.api("PUT", "/disabled_models", { model: "demo-think", disabled: true });
    const page = await site.open("/panel/channel");
    for (const screen of ["channel", "model_price", "pricing"]) {
      await page.goto(`${site.url}/panel/${screen}`);
      await page.getByRole("button", { name: "Enable again demo-think" }).waitFor();
    }
  });
});
