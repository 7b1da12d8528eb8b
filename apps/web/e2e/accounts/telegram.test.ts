import type { TelegramMenuRow } from "@gateway/shared/site/telegram";
import { goTo } from "../support/go-to.ts";
import { rootUser } from "../support/installation.ts";
import { expect, test, type Site } from "../support/test.ts";
import { rowOf } from "./common-steps.ts";

let site: Site;

test.beforeAll(async ({ site: started }) => {
  site = started;
});

const setting = (key: string, value: unknown) => site.api("PUT", "/option", { key, value });

async function menus(): Promise<Pick<TelegramMenuRow, "command" | "parse_mode" | "reply_message">[]> {
  const { data } = await site.api<{ data: TelegramMenuRow[] }>("GET", "/option/telegram");
  return data.map(({ command, parse_mode, reply_message }) => ({ command, parse_mode, reply_message }));
}

test(
  "commands of the Telegram bot are created, changed, found and deleted",
  { tag: "@nightly" },
  async ({ page }) => {
    const form = page.getByRole("dialog");
    const row = rowOf(page, "/price");
    await page.goto("/panel/telegram");

    await test.step("the form names missing values and a command that is built in", async () => {
      await page.getByText("No bot yet").waitFor();
      await page.getByText("No commands yet").waitFor();
      await page.getByRole("button", { name: "New command" }).first().click();
      await form.getByRole("button", { name: "Save" }).click();
      for (const sentence of [
        "The command is required",
        "The description is required",
        "The reply is required",
      ])
        await form.getByText(sentence).waitFor();
      await form.getByLabel(/^Command/).fill("/balance");
      await form.getByLabel("Description").fill("What it costs");
      await form.getByLabel("Reply").fill("*One* dollar");
      await form.getByRole("button", { name: "Save" }).click();
      await form.getByText("The bot has a built-in reply for this command").waitFor();
    });

    await test.step("a command is created and changed", async () => {
      await form.getByLabel(/^Command/).fill("/price");
      await form.getByRole("button", { name: "Save" }).click();
      await expect(form).toHaveCount(0);
      expect(await menus()).toEqual([
        { command: "price", parse_mode: "MarkdownV2", reply_message: "*One* dollar" },
      ]);
      await row.click();
      await form.getByRole("combobox", { name: "Message type" }).click();
      await page.getByRole("option", { name: "HTML" }).click();
      await form.getByRole("button", { name: "Save" }).click();
      await expect(form).toHaveCount(0);
      await row.getByText("HTML").waitFor();
    });

    await test.step("it is found and deleted", async () => {
      const search = page.getByPlaceholder("Command or ID");
      await search.fill("nothing");
      await page.getByText("No command matches").waitFor();
      await search.fill("/pri");
      await row.hover();
      await row.getByRole("button", { name: "Delete" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
      await expect(row).toHaveCount(0);
      expect(await menus()).toEqual([]);
    });

    await test.step("a missing bot is shown with a link to the settings", async () => {
      await page.getByRole("link", { name: "Open the settings" }).click();
      await page.getByLabel("Token of the user bot").waitFor();
    });
  },
);

test(
  "a bot that does not work is shown with the reason, and the profile shows how to link an account",
  { tag: "@nightly" },
  async ({ page }) => {
    await setting("TelegramBotToken", "1:wrong");
    await setting("TelegramBotUsername", "a_bot");
    // Only public addresses are called, so no request leaves this machine.
    await setting("TelegramBotServer", "http://127.0.0.1:1");

    await test.step("the screen of the bot shows the problem, also after another attempt", async () => {
      await page.goto("/panel/telegram");
      await page.getByText("Not working").waitFor();
      await page.getByText("Telegram cannot be reached.").waitFor();
      await page.getByRole("button", { name: "Reload menu" }).click();
      await page.locator(".mantine-Notification-root").waitFor();
    });

    await test.step("the profile shows a command and a link that contain the same code", async () => {
      await goTo(page, "/panel/profile?tab=security");
      await page.getByRole("heading", { name: "Telegram" }).waitFor();
      await page.getByRole("button", { name: "Connect", exact: true }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Current password").fill(rootUser.password);
      await dialog.getByRole("button", { name: "Continue" }).click();
      const code = await dialog.getByText(/^\/bind \w{16}$/).textContent();
      const link = await dialog.getByRole("link", { name: "Open Telegram" }).getAttribute("href");
      expect(`/bind ${new URL(link ?? "").searchParams.get("start")}`).toBe(code);
      expect(link).toMatch(/^https:\/\/t\.me\/a_bot\?start=/);
      await dialog.getByRole("img", { name: "QR code that opens the bot" }).waitFor();
      await dialog.getByRole("button", { name: "Close" }).click();
      await expect(dialog).toHaveCount(0);
    });
  },
);
