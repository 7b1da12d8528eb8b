import type { TelegramMenuRow } from "@gateway/shared/site/telegram";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rootUser } from "../support/installation.ts";
import { openSite, type Site } from "../support/site.ts";

let site: Site;

beforeAll(async () => {
  site = await openSite();
});
afterAll(() => site.close());

const setting = (key: string, value: unknown) => site.api("PUT", "/option", { key, value });

async function menus(): Promise<Pick<TelegramMenuRow, "command" | "parse_mode" | "reply_message">[]> {
  const { data } = await site.api<{ data: TelegramMenuRow[] }>("GET", "/option/telegram");
  return data.map(({ command, parse_mode, reply_message }) => ({ command, parse_mode, reply_message }));
}

describe("the Telegram bot's screen", () => {
  it("creates, changes, finds and deletes commands", async () => {
    const page = await site.open("/panel/telegram");
    await page.getByText("No bot yet").waitFor();
    await page.getByText("No commands yet").waitFor();
    await page.getByRole("button", { name: "New command" }).first().click();
    const form = page.getByRole("dialog");
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
    await form.getByLabel(/^Command/).fill("/price");
    await form.getByRole("button", { name: "Save" }).click();
    await form.waitFor({ state: "detached" });
    expect(await menus()).toEqual([
      { command: "price", parse_mode: "MarkdownV2", reply_message: "*One* dollar" },
    ]);

    const row = page.getByRole("row").filter({ hasText: "/price" });
    await row.click();
    await form.getByRole("combobox", { name: "Message type" }).click();
    await page.getByRole("option", { name: "HTML" }).click();
    await form.getByRole("button", { name: "Save" }).click();
    await form.waitFor({ state: "detached" });
    await row.getByText("HTML").waitFor();

    const search = page.getByPlaceholder("Command or ID");
    await search.fill("nothing");
    await page.getByText("No command matches").waitFor();
    await search.fill("/pri");
    await row.hover();
    await row.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await row.waitFor({ state: "detached" });
    expect(await menus()).toEqual([]);
  });

  it("shows missing and wrong settings, and links to them", async () => {
    const page = await site.open("/panel/telegram", { phone: true });
    await page.getByRole("link", { name: "Open the settings" }).click();
    await page.getByLabel("Token of the user bot").waitFor();
    await setting("TelegramBotToken", "1:wrong");
    // Only public addresses are called, so no request leaves this machine.
    await setting("TelegramBotServer", "http://127.0.0.1:1");
    await page.goto("/panel/telegram");
    await page.getByText("Not working").waitFor();
    await page.getByText("Telegram cannot be reached.").waitFor();
    await page.getByRole("button", { name: "Reload menu" }).click();
    await page.locator(".mantine-Notification-root").waitFor();
  });
});

describe("the profile", () => {
  it("shows how to link the user's Telegram account", async () => {
    await setting("TelegramBotToken", "1:wrong");
    await setting("TelegramBotUsername", "a_bot");
    const page = await site.open("/panel/profile?tab=security");
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
    await dialog.waitFor({ state: "detached" });
  });
});
