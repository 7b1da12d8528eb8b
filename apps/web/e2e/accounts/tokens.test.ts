import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSite, type Site } from "../support/site.ts";

let site: Site;

beforeAll(async () => {
  site = await openSite();
  await site.api("POST", "/channel", {
    type: 900,
    name: "Demo upstream",
    models: ["demo-chat", "demo-chat-mini"],
    groups: ["default"],
  });
});
afterAll(() => site.close());

type Made = { id: number; key: string };

function makeToken(name: string, more: object = {}): Promise<Made> {
  return site.api<Made>("POST", "/token", { name, ...more });
}

function rowOf(page: Page, name: string) {
  return page.getByRole("row").filter({ hasText: name });
}

function clipboard(page: Page): Promise<string> {
  return page.evaluate(() => navigator.clipboard.readText());
}

async function ask(key: string, model = "demo-chat"): Promise<number> {
  const answer = await fetch(`${site.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "Hello" }] }),
  });
  await answer.text();
  return answer.status;
}

describe("creating a token", () => {
  it("leads from the empty list to a working key", async () => {
    const page = await site.open("/panel/token");
    await page.getByText("No tokens yet").waitFor();
    await page.getByRole("button", { name: "New token" }).last().click();
    const drawer = page.getByRole("dialog", { name: "New token" });
    await drawer.getByText("Can call 2 models: demo-chat, demo-chat-mini").waitFor();
    await drawer.getByLabel("Name").fill("First key");
    await drawer.getByRole("button", { name: "Create token" }).click();

    const ready = page.getByRole("dialog", { name: "“First key” is ready" });
    await ready.getByRole("button", { name: "Copy the key" }).click();
    await page.getByText("Key copied").waitFor();
    const key = await clipboard(page);
    expect(key).toMatch(/^sk-\w{40,}$/);
    expect(await ask(key)).toBe(200);

    await ready.getByText("Anthropic", { exact: true }).click();
    await ready.getByText("Python", { exact: true }).click();
    const sample = await ready.locator("pre").textContent();
    expect(sample).toContain("from anthropic import Anthropic");
    expect(sample).toContain(`base_url="${site.url}"`);
    expect(sample).toContain(key);

    await ready.getByRole("button", { name: "Done" }).click();
    await rowOf(page, "First key").getByText("Enabled").waitFor();
  });

  it("accepts a limit in dollars and shows the points next to it", async () => {
    const page = await site.open("/panel/token");
    await page.getByRole("button", { name: "New token" }).first().click();
    const drawer = page.getByRole("dialog", { name: "New token" });
    await drawer.getByLabel("Name").fill("Two dollars");
    await drawer.getByText("Limited", { exact: true }).click();
    await drawer.getByLabel("Remaining (USD)").fill("2.5");
    await drawer.getByText("= 1,250,000 points").waitFor();
    await page.keyboard.press("Control+Enter");
    await page.getByRole("dialog", { name: "“Two dollars” is ready" }).waitFor();
    await page.keyboard.press("Escape");
    await rowOf(page, "Two dollars").getByText("$2.50").waitFor();
  });

  it("shows an error at the field", async () => {
    const page = await site.open("/panel/token");
    await page.getByRole("button", { name: "New token" }).first().click();
    const drawer = page.getByRole("dialog", { name: "New token" });
    await drawer.getByText("On a date", { exact: true }).click();
    await drawer.getByLabel("Expiry time").fill("2020-01-01T10:00");
    await drawer.getByRole("switch", { name: "Only certain models" }).click();
    await drawer.getByRole("switch", { name: "Only certain IP addresses" }).click();
    await drawer.getByRole("textbox", { name: "Addresses" }).fill("10.0.0.0/8\nmy office\n10.0.0.0/99");
    await drawer.getByRole("textbox", { name: "Addresses" }).blur();
    await drawer.getByText("neither an IP address nor a range").waitFor();
    await drawer.getByRole("button", { name: "Create token" }).click();

    await drawer.getByText("Name is required").waitFor();
    await drawer.getByText("Enter a time in the future").waitFor();
    await drawer.getByText("Choose at least one model, or turn off the restriction").waitFor();
    const lines = drawer.getByText("neither an IP address nor a range");
    await expect
      .poll(async () => (await lines.allTextContents()).map((line) => line.split(" ·")[0]))
      .toEqual(["my office", "10.0.0.0/99"]);

    await page.keyboard.press("Escape");
    await page.getByRole("dialog", { name: "Leave without saving?" }).waitFor();
    await page.getByRole("button", { name: "Discard changes" }).click();
    await drawer.waitFor({ state: "hidden" });
  });
});

describe("changing a token", () => {
  it("restricts it to models, including wildcards, and the gateway applies it", async () => {
    const { key } = await makeToken("Restricted");
    const page = await site.open("/panel/token");
    await rowOf(page, "Restricted").click();
    const drawer = page.getByRole("dialog", { name: "Edit “Restricted”" });
    await drawer.getByRole("switch", { name: "Only certain models" }).click();
    await drawer.getByRole("combobox", { name: "Models" }).fill("demo-chat-*");
    await page.keyboard.press("Enter");
    await drawer.getByRole("button", { name: "Save" }).click();
    await page.getByText("Token saved").waitFor();
    await rowOf(page, "Restricted").getByRole("img", { name: "Only certain models" }).waitFor();
    expect(await ask(key, "demo-chat-mini")).toBe(200);
    expect(await ask(key, "demo-chat")).toBe(403);
  });

  it("does not restore what was spent while the form was open", async () => {
    const limit = 500_000;
    const { id, key } = await makeToken("Busy", { unlimited_quota: false, remain_quota: limit });
    const page = await site.open("/panel/token");
    await rowOf(page, "Busy").click();
    const drawer = page.getByRole("dialog", { name: "Edit “Busy”" });
    await drawer.getByLabel("Name").fill("Busy and renamed");
    expect(await ask(key)).toBe(200);
    await drawer.getByRole("button", { name: "Save" }).click();
    await page.getByText("Token saved").waitFor();
    const after = await site.api<{ remain_quota: number; used_quota: number }>("GET", `/token/${id}`);
    expect(after.used_quota).toBeGreaterThan(0);
    expect(after.remain_quota).toBe(limit - after.used_quota);
  });

  it("disables and enables it", async () => {
    const { key } = await makeToken("Switched");
    const page = await site.open("/panel/token");
    const row = rowOf(page, "Switched");
    await row.hover();
    await row.getByRole("button", { name: "More actions for Switched" }).click();
    await page.getByRole("menuitem", { name: "Disable" }).click();
    await row.getByText("Disabled").waitFor();
    expect(await ask(key)).toBe(401);
    await row.hover();
    await row.getByRole("button", { name: "More actions for Switched" }).click();
    await page.getByRole("menuitem", { name: "Enable" }).click();
    await row.getByText("Enabled").waitFor();
    expect(await ask(key)).toBe(200);
  });

  it("does not enable an exhausted token, and shows why", async () => {
    const { id } = await makeToken("Empty", { unlimited_quota: false, remain_quota: 0 });
    await site.api("PATCH", `/token/${id}`, { status: 2 });
    const page = await site.open("/panel/token");
    const row = rowOf(page, "Empty");
    await row.hover();
    await row.getByRole("button", { name: "More actions for Empty" }).click();
    await page.getByRole("menuitem", { name: "Enable" }).click();
    await page.getByText(/quota of the token is used up/).waitFor();
    await row.getByText("Disabled").waitFor();
  });

  it("deletes it only after a confirmation", async () => {
    const { key } = await makeToken("Doomed");
    const page = await site.open("/panel/token");
    const row = rowOf(page, "Doomed");
    await row.hover();
    await row.getByRole("button", { name: "More actions for Doomed" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    const question = page.getByRole("dialog", { name: "Delete “Doomed”?" });
    await question.getByRole("button", { name: "Cancel" }).click();
    await question.waitFor({ state: "hidden" });
    expect(await ask(key)).toBe(200);
    await row.hover();
    await row.getByRole("button", { name: "More actions for Doomed" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await question.getByRole("button", { name: "Delete" }).click();
    await row.waitFor({ state: "detached" });
    expect(await ask(key)).toBe(401);
  });
});

describe("the list of tokens", () => {
  it("copies a key that the page does not contain, and shows when copying fails", async () => {
    const { key } = await makeToken("Copied");
    const page = await site.open("/panel/token");
    await expect.poll(() => page.content()).not.toContain(key);
    await rowOf(page, "Copied").getByRole("button", { name: "Copy Key" }).click();
    await page.getByText("Key copied").waitFor();
    expect(await clipboard(page)).toBe(key);

    await page.evaluate(() => {
      navigator.clipboard.writeText = () => Promise.reject(new Error("no"));
      document.execCommand = () => false;
    });
    await rowOf(page, "Copied").getByRole("button", { name: "Copy Key" }).click();
    await page.getByText("Key could not be copied. Copy it manually.").waitFor();
    await page.getByText(key).waitFor();
  });

  it("opens a chat client with a key through a plain link", async () => {
    const { key } = await makeToken("Chatty");
    const page = await site.open("/panel/token");
    const row = rowOf(page, "Chatty");
    await row.hover();
    await row.getByRole("button", { name: "Chat", exact: true }).click();
    const item = page.getByRole("menuitem", { name: "ChatGPT Next" });
    await item.and(page.locator("[href]")).waitFor();
    const href = (await item.getAttribute("href")) ?? "";
    expect(href).toContain(`"key":"${key}"`);
    expect(href).toContain(encodeURIComponent(site.url));
    await expect.poll(() => item.getAttribute("target")).toBe("_blank");
  });

  it("keeps the search after a reload and offers a reset when nothing matches", async () => {
    await makeToken("Needle in the hay");
    const page = await site.open("/panel/token");
    await page.getByPlaceholder("Search by name").fill("needle");
    await page.waitForURL("**/token?keyword=needle");
    await rowOf(page, "Needle in the hay").waitFor();
    await page.reload();
    await rowOf(page, "Needle in the hay").waitFor();
    await expect.poll(() => page.locator("tbody tr").count()).toBe(1);
    await page.getByPlaceholder("Search by name").fill("nothing like this");
    await page.getByText("No token matches").waitFor();
    await page.getByRole("button", { name: "Clear the search" }).click();
    await rowOf(page, "Needle in the hay").waitFor();
  });

  it("shows cards on a phone, as wide as the screen", async () => {
    const page = await site.open("/panel/token", { phone: true });
    const card = page.getByRole("listitem").filter({ hasText: "Needle in the hay" });
    await card.getByText("Enabled").waitFor();
    await expect.poll(() => page.locator("table").count()).toBe(0);
    await expect
      .poll(() => page.evaluate(() => document.documentElement.scrollWidth))
      .toBeLessThanOrEqual(390);
    await card.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("menuitem", { name: "Edit" }).click();
    await page.getByRole("dialog", { name: "Edit “Needle in the hay”" }).waitFor();
  });
});
