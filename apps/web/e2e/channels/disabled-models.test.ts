/** Disabling a model everywhere, and undoing it, wherever an operator looks for it. */
import type { Page } from "@playwright/test";
import { addChannel } from "../support/channel-stock.ts";
import { faults } from "../support/faults.ts";
import { openInMenu } from "../support/menu.ts";
import { expect, test, type Site } from "../support/test.ts";

let site: Site;
test.beforeAll(async ({ site: started }) => {
  site = started;
  await addChannel(site, { name: "East", models: ["demo-chat", "demo-think"] });
  await addChannel(site, { name: "West", models: ["demo-*"] });
});
test.beforeEach(() => site.api("PUT", "/option", { key: "DisabledModels", value: null }));

const disabled = () => site.api<string[]>("GET", "/disabled_models");

async function type(page: Page, text: string) {
  await page.keyboard.press("Control+k");
  const box = page.getByRole("textbox", { name: "Go to…" });
  await box.fill(text);
  return page.getByRole("dialog").filter({ has: box });
}

test(
  "a model is disabled in the palette or for all channels, is listed on the screens of models, and is enabled again",
  { tag: "@nightly" },
  async ({ page }) => {
    await page.goto("/panel/profile");
    await expect(page.getByRole("heading", { name: "Profile", exact: true })).toBeVisible();
    await test.step("the palette disables it with the keyboard, and Undo enables it", async () => {
      const palette = await type(page, "disable demo-th");
      await expect(palette.getByText("Disable demo-think everywhere", { exact: true })).toBeVisible();
      await page.keyboard.press("Enter");
      const dialog = page.getByRole("dialog", { name: "Disable demo-think everywhere?" });
      await expect(dialog.getByText("2 enabled channels serve this model.")).toBeVisible();
      expect(await disabled()).toEqual([]);
      expect(await faults(page)).toEqual([]);
      await dialog.getByRole("button", { name: "Disable everywhere" }).press("Enter");
      await expect(dialog).toHaveCount(0);
      expect(await disabled()).toEqual(["demo-think"]);
      const note = page.getByRole("alert", { name: "Disabled everywhere" });
      await expect(note.getByText("demo-think")).toBeVisible();
      await page.getByRole("button", { name: "Undo" }).click();
      await expect(note).toHaveCount(0);
      expect(await disabled()).toEqual([]);
    });

    await test.step("the dialog of all channels accepts a model that no channel serves", async () => {
      await openInMenu(page, "Channels");
      await page.getByRole("button", { name: "For all channels" }).click();
      await page.getByRole("menuitem", { name: "Disable a model everywhere" }).click();
      const dialog = page.getByRole("dialog", { name: "Disable a model everywhere" });
      await dialog
        .getByRole("combobox", { name: "Model" })
        .or(dialog.getByLabel("Model"))
        .first()
        .fill("not-served");
      await expect(dialog.getByText("No enabled channel serves this model.")).toBeVisible();
      await page.keyboard.press("Escape");
      await dialog.getByRole("button", { name: "Disable everywhere" }).click();
    });

    await test.step("the screens of channels, prices and models list it", async () => {
      const again = page.getByRole("button", { name: "Enable again not-served" });
      await expect(again).toBeVisible();
      for (const screen of ["Prices", "Available models"]) {
        await openInMenu(page, screen);
        await expect(page.getByRole("heading", { level: 1, name: screen })).toBeVisible();
        await expect(again).toBeVisible();
      }
    });

    await test.step("the palette enables it again", async () => {
      const palette = await type(page, "enable not");
      await palette.getByText("Enable not-served again", { exact: true }).click();
      await expect.poll(disabled).toEqual([]);
    });
  },
);

test(
  "the page of a model disables and enables it, and a removal names the patterns that still serve it",
  { tag: "@nightly" },
  async ({ page }) => {
    await page.goto("/panel/model_price/demo-think");
    await test.step("it shows that the model is disabled, and enables it again", async () => {
      await page.getByRole("button", { name: "Disable everywhere" }).click();
      const dialog = page.getByRole("dialog", { name: "Disable demo-think everywhere?" });
      await dialog.getByRole("button", { name: "Disable everywhere" }).click();
      await expect(page.getByText("This model is not available")).toBeVisible();
      await page.getByRole("button", { name: "Enable again demo-think" }).click();
      await expect(page.getByRole("button", { name: "Manage" })).toBeVisible();
      expect(await disabled()).toEqual([]);
    });

    await test.step("the preview of a removal from all channels names the patterns", async () => {
      await page.getByRole("button", { name: "Manage" }).click();
      await page.getByRole("menuitem", { name: "Remove from all channels" }).click();
      const drawer = page.getByRole("dialog", { name: "Remove a model from all channels" });
      await drawer.getByRole("button", { name: "Preview" }).click();
      await expect(drawer.getByText("1 channel still serves it through a wildcard")).toBeVisible();
      await expect(drawer.getByText("West: demo-*")).toBeVisible();
    });
  },
);
