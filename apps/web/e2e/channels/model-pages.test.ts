import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { faults } from "../support/faults.ts";
import { openSite, type Site } from "../support/site.ts";

let site: Site;

beforeAll(async () => {
  site = await openSite();
  await site.api("POST", "/channel", {
    type: 900,
    name: "Hidden name",
    models: ["demo-chat", "gpt-4o", "org/with-slash"],
    groups: ["default"],
  });
  await site.api("POST", "/channel", { type: 900, name: "Inner", models: ["vip-only"], groups: ["vip"] });
  const groups = await site.api<{ data: { id: number; symbol: string }[] }>("GET", "/user_group");
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
  const token = await site.api<{ key: string }>("POST", "/token", { name: "t", unlimited_quota: true });
  for (const stream of [true, false, true]) {
    const answer = await fetch(`${site.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${token.key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "demo-chat", stream, messages: [{ role: "user", content: "Hello" }] }),
    });
    expect(answer.status, await answer.text()).toBe(200);
  }
});
afterAll(() => site.close());

const heading = (page: Page, name: string) => page.getByRole("heading", { level: 1, name });

describe("the list of models", () => {
  it("begins with the most used one, and shows those of other groups on request", async () => {
    const page = await site.open("/price?unit=K", { guest: true });
    await expect.poll(() => new URL(page.url()).pathname + new URL(page.url()).search).toBe("/models?unit=K");
    const list = page.getByRole("list", { name: "Available models" });
    await expect.poll(() => list.getByRole("listitem").first().textContent()).toContain("demo-chat");
    expect(await list.getByText("vip-only").count()).toBe(0);
    const left = (part: Locator) => part.evaluate((element) => element.getBoundingClientRect().left);
    expect(await left(page.getByText("1–3 of 3", { exact: true }))).toBe(await left(list));
    await page.getByRole("button", { name: "Show 1 model of other groups" }).click();
    await list.getByText("vip-only").waitFor();
    await page.reload();
    await list.getByText("vip-only").waitFor();
    expect(await faults(page)).toEqual([]);
  });

  it("shows the number of results of each filter", async () => {
    const page = await site.open("/models", { guest: true });
    await page.getByRole("combobox", { name: "Type" }).click();
    await page.getByRole("option", { name: "Chat (3)" }).click();
    await expect.poll(() => page.url()).toContain("kind=chat");
    await page.getByRole("combobox", { name: "Sort by" }).click();
    await page.getByRole("option", { name: "Name" }).click();
    const names = page.getByRole("list", { name: "Available models" }).getByRole("link");
    await expect.poll(() => names.allTextContents()).toEqual(["demo-chat", "gpt-4o", "org/with-slash"]);
  });

  it("has short rows on a phone", async () => {
    const page = await site.open("/models", { guest: true, phone: true });
    const row = page.getByRole("list", { name: "Available models" }).getByRole("listitem").first();
    await row.getByRole("link").waitFor();
    expect((await row.boundingBox())?.height).toBeLessThanOrEqual(110);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    expect(await faults(page)).toEqual([]);
  });
});

describe("the page of a model", () => {
  it("shows a visitor prices, health and samples, but no channel", async () => {
    const page = await site.open("/models", { guest: true });
    await page.getByRole("link", { name: "demo-chat" }).click();
    await heading(page, "demo-chat").waitFor();
    expect(new URL(page.url()).pathname).toBe("/models/demo-chat");
    const availability = page.getByRole("region", { name: "Availability, 24 hours" });
    await expect.poll(() => availability.textContent()).toContain("100%");
    await page.getByRole("heading", { name: "Price per million tokens" }).waitFor();
    await page.getByText("VIP").first().waitFor();
    await page.getByText("Gemini", { exact: true }).click();
    await page.getByText("/v1beta/models/demo-chat:generateContent").waitFor();
    expect(await page.getByText("Hidden name").count()).toBe(0);
    expect(await page.getByRole("button", { name: "Manage" }).count()).toBe(0);
    expect(await faults(page)).toEqual([]);
    await page.goBack();
    await page.getByRole("list", { name: "Available models" }).waitFor();
  });

  it("has an address for names with a slash, and shows when a model does not exist", async () => {
    const page = await site.open("/models/org%2Fwith-slash", { guest: true });
    await heading(page, "org/with-slash").waitFor();
    await page.getByText("No calls in the last 24 hours").waitFor();
    await page.goto(`${site.url}/models/no-such-model`);
    await page.getByText("This model is not available").waitFor();
    await page.getByRole("link", { name: "Show all models" }).click();
    await page.getByRole("list", { name: "Available models" }).waitFor();
  });

  it("links to the playground with this model", async () => {
    const page = await site.open("/panel/model_price/gpt-4o");
    await page.getByRole("link", { name: "Open in playground" }).click();
    await page.getByRole("heading", { name: "Playground" }).waitFor();
    const picker = page.getByRole("combobox", { name: "Model", exact: true });
    await expect.poll(() => picker.inputValue()).toBe("gpt-4o");
  });

  it("links an operator to its channels, calls, price and removal", async () => {
    const page = await site.open("/panel/model_price/gpt-4o");
    const choose = async (name: string, address: string) => {
      await page.goto(`${site.url}/panel/model_price/gpt-4o`);
      await page.getByRole("button", { name: "Manage" }).click();
      await page.getByRole("menuitem", { name }).click();
      await expect.poll(() => page.url()).toContain(address);
    };
    await choose("Channels that serve it", "/panel/channel?model=gpt-4o");
    await page.getByText("Hidden name").first().waitFor();
    await choose("Calls of this model", "/panel/log?model_name=gpt-4o");
    await choose("Edit the price", "/panel/pricing?keyword=gpt-4o");
    await choose("Remove from all channels", "/panel/channel?remove=gpt-4o");
    const form = page.getByRole("dialog", { name: "Remove a model from all channels" });
    await form.getByRole("button", { name: "Preview" }).click();
    await form.getByText("Hidden name").waitFor();
    expect(await form.getByText("Inner").count()).toBe(0);
    await form.getByRole("button", { name: "Remove from 1 channel" }).click();
    await form.waitFor({ state: "hidden" });
    await page.goto(`${site.url}/panel/model_price/gpt-4o`);
    await page.getByText("This model is not available").waitFor();
  });

  it("fits a phone", async () => {
    const page = await site.open("/models/demo-chat", { guest: true, phone: true, dark: true });
    await heading(page, "demo-chat").waitFor();
    await page.getByRole("region", { name: "Availability, 24 hours" }).waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    expect(await faults(page)).toEqual([]);
  });
});

describe("the status page", () => {
  it("exists only when enabled, and is linked from the public pages", async () => {
    const page = await site.open("/status", { guest: true });
    await page.getByText("This site has no status page").waitFor();
    const operator = await site.open("/panel/setting?q=StatusPageEnabled");
    await operator.getByRole("switch", { name: "Public status page" }).click();
    await operator.getByRole("button", { name: "Save" }).first().click();
    await expect
      .poll(async () => (await fetch(`${site.url}/api/model_status`)).status, { timeout: 10_000 })
      .toBe(200);
    // A page that received the settings just before keeps them for a minute: it is loaded anew.
    const served = async () => {
      await page.goto(`${site.url}/`, { waitUntil: "networkidle" });
      return page.evaluate(async () => {
        const answer = await fetch("/api/status");
        const text = await answer.text();
        const links = [...document.querySelectorAll("nav a")].map((link) => link.textContent);
        return { code: answer.status, enabled: /"status_page": ?true/.test(text), links };
      });
    };
    // Says which of them is wrong: the response, or what the page makes of it.
    await expect
      .poll(served, { timeout: 20_000 })
      .toMatchObject({ code: 200, enabled: true, links: expect.arrayContaining(["Status"]) });
    await page.getByRole("link", { name: "Status" }).click();
    await page.getByText("All models are operational").waitFor();
    const row = page.getByRole("listitem").filter({ hasText: "demo-chat" });
    await row.getByText("Operational").waitFor();
    await page.getByText("24 hours", { exact: true }).click();
    await row.getByRole("img", { name: "Availability of demo-chat: 100%" }).waitFor();
    expect(await page.getByText("Hidden name").count()).toBe(0);
    expect(await faults(page)).toEqual([]);
    const phone = await site.open("/status", { guest: true, phone: true });
    await phone.getByText("All models are operational").waitFor();
    expect(await phone.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  });
});
