import { goTo } from "../support/go-to.ts";
import { expect, test } from "../support/test.ts";

test(
  "Help shows pages with links, anchors and code that can be copied, and finds sections",
  { tag: "@nightly" },
  async ({ page }) => {
    const search = page.getByRole("searchbox", { name: "Search Help" });
    const status = page.getByRole("status");
    await page.goto("/panel/help");
    await test.step("pages have code that can be copied, and links to sections", async () => {
      await page.getByRole("main").getByRole("link", { name: "Getting started" }).last().click();
      await expect(page.getByRole("heading", { name: "Getting started", level: 1 })).toBeVisible();
      await page.getByRole("button", { name: "Copy Code" }).first().click();
      await expect(page.getByText("Code copied")).toBeVisible();
      await page.getByRole("article").getByRole("link", { name: "Set prices" }).click();
      await page.waitForURL("**/panel/help/billing");
      const outline = page.getByRole("navigation", { name: "On this page" });
      await outline.getByRole("link", { name: "Check the balances" }).click();
      await page.waitForURL("**/panel/help/billing#check-the-balances");
      await expect(page.getByRole("heading", { name: "Check the balances" })).toBeInViewport();
    });
    await test.step("sections are found by the name of a setting, also from the palette", async () => {
      await goTo(page, "/panel/help");
      await search.fill("RetryTimes");
      await page.getByRole("link", { name: "When an attempt fails" }).click();
      await page.waitForURL("**/panel/help/routing#when-an-attempt-fails");
      await page.keyboard.press("Control+k");
      await page.getByRole("textbox", { name: "Go to…" }).fill("redemption codes");
      await page.getByRole("dialog").getByText("Payments", { exact: true }).last().click();
      await page.waitForURL("**/panel/help/payments#redemption-codes");
    });
    await test.step("an unknown page or section leads to the nearest one, or to the search", async () => {
      const wrong = [
        ["providrs", "Providers", "providers"],
        ["routing#agent-sesions", "Agent sessions", "routing#agent-sessions"],
        ["providers#amazon-bedrock", "Amazon Bedrock", "provider-bedrock"],
      ] as const;
      for (const [address, name, right] of wrong) {
        await goTo(page, `/panel/help/${address}`);
        await status.getByRole("link", { name }).click();
        await page.waitForURL(`**/panel/help/${right}`);
      }
      await goTo(page, "/panel/help/%F0%9F%A6%89");
      await expect(page.getByText(/^There is no help page/)).toBeVisible();
      await expect(search).toBeVisible();
      await expect(page.getByRole("main").getByRole("link", { name: "Routing" }).last()).toBeVisible();
    });
  },
);

test(
  "Help is linked from sections of the settings, from editors and from dialogs",
  { tag: "@nightly" },
  async ({ page }) => {
    await page.goto("/panel/setting?q=RetryTimes");
    const popup = page.context().waitForEvent("page");
    await page.getByRole("link", { name: "Help: Retries" }).click();
    const opened = await popup;
    const section = opened.getByRole("heading", { name: "Retries, circuit breaker and timeouts" });
    await expect(section).toBeInViewport();
    await opened.close();

    await goTo(page, "/panel/channel?edit=new");
    const form = page.getByRole("dialog");
    const link = form.getByRole("link", { name: "Help: Add channel" });
    await expect(link).toHaveAttribute("href", "/panel/help/provider-openai");
    await form.getByRole("combobox", { name: "Provider", exact: true }).click();
    await page.getByRole("option", { name: "Amazon Bedrock" }).click();
    await expect(link).toHaveAttribute("href", "/panel/help/provider-bedrock");

    // The editor has a change, which the router would ask about.
    await page.goto("/panel/pricing?update=list");
    const dialog = page.getByRole("dialog", { name: "Update prices", exact: true });
    await expect(dialog.getByRole("link", { name: "Help: Update prices" })).toHaveAttribute(
      "href",
      /^\/panel\/help\/.+#set-prices$/,
    );
  },
);

test(
  "Help is readable by guests, and shows in which languages a page exists",
  { tag: "@nightly" },
  async ({ site }) => {
    const page = await site.open("/help/billing", { guest: true, locale: "ja-JP" });
    await expect(page.getByRole("heading", { name: "Prices and billing", level: 1 })).toBeVisible();
    await expect(page.getByText("このページは英語版のみです。")).toBeVisible();
    await expect(page.getByRole("article")).toHaveAttribute("lang", "en");
  },
);
