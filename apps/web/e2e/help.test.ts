import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { faults } from "./support/faults.ts";
import { openSite, type Site } from "./support/site.ts";

let site: Site;
beforeAll(async () => {
  site = await openSite();
});
afterAll(() => site.close());

describe("Help", () => {
  it("shows pages with links, anchors and code that can be copied", async () => {
    const page = await site.open("/panel/help");
    await page.getByRole("main").getByRole("link", { name: "Getting started" }).last().click();
    await page.getByRole("heading", { name: "Getting started", level: 1 }).waitFor();
    await page.getByRole("button", { name: "Copy Code" }).first().click();
    await page.getByText("Code copied").waitFor();
    await page.getByRole("article").getByRole("link", { name: "Set prices" }).click();
    await page.waitForURL("**/panel/help/billing");
    const outline = page.getByRole("navigation", { name: "On this page" });
    await outline.getByRole("link", { name: "Check the balances" }).click();
    await page.waitForURL("**/panel/help/billing#check-the-balances");
    const heading = page.getByRole("heading", { name: "Check the balances" });
    await expect.poll(async () => (await heading.boundingBox())?.y).toBeGreaterThan(60);
    expect(await faults(page)).toEqual([]);
  });

  it("finds sections by the name of a setting, also from the palette", async () => {
    const page = await site.open("/panel/help");
    await page.getByRole("searchbox", { name: "Search Help" }).fill("RetryTimes");
    await page.getByRole("link", { name: "When an attempt fails" }).click();
    await page.waitForURL("**/panel/help/routing#when-an-attempt-fails");
    await page.keyboard.press("Control+k");
    await page.getByRole("textbox", { name: "Go to…" }).fill("redemption codes");
    await page.getByRole("dialog").getByText("Payments", { exact: true }).last().click();
    await page.waitForURL("**/panel/help/payments#redemption-codes");
  });

  it("leads from an unknown page or section to the nearest one and a search", async () => {
    const page = await site.open("/panel/help/providrs");
    const search = page.getByRole("searchbox", { name: "Search Help" });
    await page.getByRole("status").getByRole("link", { name: "Providers" }).click();
    await page.waitForURL("**/panel/help/providers");
    await page.goto(`${site.url}/panel/help/routing#agent-sesions`);
    await page.getByRole("status").getByRole("link", { name: "Agent sessions" }).click();
    await page.waitForURL("**/panel/help/routing#agent-sessions");
    await page.goto(`${site.url}/panel/help/providers#amazon-bedrock`);
    await page.getByRole("status").getByRole("link", { name: "Amazon Bedrock" }).click();
    await page.waitForURL("**/panel/help/provider-bedrock");
    await page.goto(`${site.url}/panel/help/%F0%9F%A6%89`);
    await page.getByText(/^There is no help page/).waitFor();
    await search.waitFor();
    await page.getByRole("main").getByRole("link", { name: "Routing" }).last().waitFor();
  });

  it("is linked from sections of the settings and from editors", async () => {
    const page = await site.open("/panel/setting?q=RetryTimes");
    const opened = page.context().waitForEvent("page");
    await page.getByRole("link", { name: "Help: Retries" }).click();
    const section = (await opened).getByRole("heading", { name: "Retries, circuit breaker and timeouts" });
    await expect.poll(async () => (await section.boundingBox())?.y).toBeLessThan(400);
    await page.goto(`${site.url}/panel/channel?edit=new`);
    const link = page.getByRole("dialog").getByRole("link", { name: "Help: Add channel" });
    expect(await link.getAttribute("href")).toBe("/panel/help/provider-openai");
    await page.getByRole("dialog").getByRole("combobox", { name: "Provider", exact: true }).click();
    await page.getByRole("option", { name: "Amazon Bedrock" }).click();
    await expect.poll(() => link.getAttribute("href")).toBe("/panel/help/provider-bedrock");
  });

  it("is linked from dialogs", async () => {
    const page = await site.open("/panel/pricing");
    await page.getByRole("button", { name: "Update prices" }).click();
    const dialog = page.getByRole("dialog", { name: "Update prices", exact: true });
    const opened = page.context().waitForEvent("page");
    await dialog.getByRole("link", { name: "Help: Update prices" }).click();
    const section = (await opened).getByRole("heading", { name: "Set prices" });
    await expect.poll(async () => (await section.boundingBox())?.y).toBeLessThan(400);
    await dialog.getByRole("button", { name: "Close" }).click();
    await dialog.waitFor({ state: "detached" });
  });

  it("is readable by guests, and says in which languages a page exists", async () => {
    const page = await site.open("/help/billing", { guest: true, locale: "ja-JP" });
    await page.getByRole("heading", { name: "Prices and billing", level: 1 }).waitFor();
    await page.getByText("このページは英語版のみです。").waitFor();
    expect(await page.getByRole("article").getAttribute("lang")).toBe("en");
  });

  it("fits a phone", async () => {
    const page = await site.open("/panel/help/providers", { phone: true });
    await page.getByRole("heading", { name: "Providers", level: 1 }).waitFor();
    const wider = () =>
      page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    await expect.poll(wider).toBe(0);
    await page.getByRole("button", { name: "All pages" }).click();
    await page.getByRole("navigation", { name: "Help pages" }).getByRole("link", { name: "Limits" }).click();
    await page.getByRole("heading", { name: "Limits", level: 1 }).waitFor();
    await expect.poll(wider).toBe(0);
    await page.goto(`${site.url}/panel/help/provider-china`);
    await page.getByRole("heading", { name: "Providers in China", level: 1 }).waitFor();
    await expect.poll(wider).toBe(0);
  });

  it("lists its pages once on a phone, with descriptions without Markdown", async () => {
    const page = await site.open("/panel/help", { phone: true });
    const main = page.getByRole("main");
    await main.getByText("gateway import, audit and more", { exact: true }).waitFor();
    expect(await main.innerText()).not.toContain("`");
    expect(await page.getByRole("button", { name: "All pages" }).count()).toBe(0);
  });

  it("scrolls long lines of code beside the copy button, not under it", async () => {
    const page = await site.open("/panel/help/billing", { phone: true });
    const button = page.getByRole("button", { name: "Copy Code" }).first();
    const code = page.getByRole("article").locator("pre").first();
    const edges = await Promise.all([button.boundingBox(), code.boundingBox()]);
    expect(edges[0]?.x).toBeGreaterThanOrEqual((edges[1]?.x ?? 0) + (edges[1]?.width ?? Infinity));
  });
});
