/** The list and the editor of channels on a phone. */
import { addChannel } from "../support/channel-stock.ts";
import { expect, test } from "../support/test.ts";

test(
  "channels are cards on a phone, tags are cards with their channels inside, and the editor fills the screen",
  { tag: "@nightly" },
  async ({ page, site }) => {
    await addChannel(site, { name: "Pocket", tag: "lab" });
    const fits = () =>
      expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    await page.goto("/panel/channel");
    const card = page.getByRole("listitem").filter({ hasText: "Pocket" });
    await test.step("a card has the switch of its channel", async () => {
      await expect(card.getByRole("switch", { name: /^Enable/, checked: true })).toBeVisible();
      await expect(page.getByRole("table")).toHaveCount(0);
      await fits();
    });

    await test.step("the actions of the page are in one line", async () => {
      const tops = await Promise.all(
        [
          page.getByRole("radiogroup", { name: "View" }),
          page.getByRole("button", { name: "For all channels" }),
          page.getByRole("button", { name: "Add channel" }),
        ].map(async (control) => {
          const { y = 0, height = 0 } = (await control.boundingBox()) ?? {};
          return Math.round(y + height / 2);
        }),
      );
      expect(new Set(tops).size).toBe(1);
    });

    await test.step("the filters are in a sheet", async () => {
      await page.getByRole("button", { name: "Filters" }).click();
      await expect(page.getByRole("searchbox", { name: "Model", exact: true })).toBeVisible();
      await page.keyboard.press("Escape");
      await expect(page.getByRole("dialog")).toHaveCount(0);
    });

    await test.step("the editor fills the screen", async () => {
      await card.getByText("Pocket", { exact: true }).click();
      const form = page.getByRole("dialog");
      await expect(form.getByLabel("Name")).toBeVisible();
      await expect.poll(async () => (await form.boundingBox())?.width).toBe(390);
      await expect.poll(() => form.evaluate((node) => node.scrollWidth - node.clientWidth)).toBe(0);
      await form.getByRole("button", { name: "Cancel" }).click();
      await expect(form).toHaveCount(0);
    });

    await test.step("the card of a tag has its channels inside", async () => {
      await page.getByRole("radiogroup", { name: "View" }).getByText("By tag").click();
      await page.getByRole("button", { name: "Channels of lab", exact: true }).click();
      await expect(page.getByRole("button", { name: "Edit Pocket" })).toBeVisible();
      await fits();
    });
  },
);
