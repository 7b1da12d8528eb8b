import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSite, type Site } from "../support/site.ts";

let site: Site;

beforeAll(async () => {
  site = await openSite();
  await site.api("POST", "/channel", {
    type: 900,
    name: "Demo upstream",
    models: ["demo-chat"],
    groups: ["default"],
  });
});
afterAll(() => site.close());

async function ask(key: string): Promise<number> {
  const answer = await fetch(`${site.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "demo-chat", messages: [{ role: "user", content: "Good morning" }] }),
  });
  await answer.text();
  return answer.status;
}

function rowOf(page: Page, name: string) {
  return page.getByRole("row").filter({ hasText: name });
}

describe("the limits of a token", () => {
  it("are set in the form, applied by the gateway, and shown in the list next to the usage", async () => {
    const { key } = await site.api<{ key: string }>("POST", "/token", { name: "Limited" });
    const page = await site.open("/panel/token");
    await rowOf(page, "Limited").click();
    const drawer = page.getByRole("dialog", { name: "Edit “Limited”" });
    await drawer.getByLabel("Requests per minute").fill("2");
    await drawer.getByLabel("Daily spend (USD)").fill("1.5");
    await drawer.getByRole("button", { name: "Save" }).click();
    await page.getByText("Token saved").waitFor();
    await rowOf(page, "Limited").getByRole("img", { name: "2 requests per minute, $1.50 a day" }).waitFor();

    expect([await ask(key), await ask(key), await ask(key)]).toEqual([200, 200, 429]);
    await page.reload();
    await rowOf(page, "Limited").click();
    await drawer.getByText(/^<\$0\.01 used today$/).waitFor();
    await expect.poll(() => drawer.getByLabel("Requests per minute").inputValue()).toBe("2");
    await expect.poll(() => drawer.getByLabel("Tokens per minute").inputValue()).toBe("");
    await drawer.getByLabel("Requests per minute").fill("");
    await drawer.getByRole("button", { name: "Save" }).click();
    await page.getByText("Token saved").first().waitFor();
    await expect.poll(() => ask(key)).toBe(200);

    const log = await site.open("/panel/log");
    await rowOf(log, "Limited").filter({ hasText: "Rate limit reached" }).first().click();
    await log.getByText("This API key may send 2 requests per minute.").first().waitFor();
  });
});

describe("a token that keeps request and response bodies", () => {
  it("shows them with the call", async () => {
    const page = await site.open("/panel/token");
    await page.getByRole("button", { name: "New token" }).first().click();
    const form = page.getByRole("dialog", { name: "New token" });
    await form.getByLabel("Name").fill("Kept");
    await form.getByRole("switch", { name: "Store requests and responses" }).click();
    await form.getByRole("button", { name: "Create token" }).click();
    await page.getByRole("dialog", { name: "“Kept” is ready" }).waitFor();
    const { data } = await site.api<{ data: { id: number }[] }>("GET", "/token?keyword=Kept");
    const { key } = await site.api<{ key: string }>("GET", `/token/${data[0]?.id}/key`);
    expect(await ask(key)).toBe(200);

    const log = await site.open("/panel/log");
    await rowOf(log, "Kept").first().click();
    await log.getByRole("heading", { name: "Request and response" }).waitFor();
    await log.getByText("Good morning").first().waitFor();
    await log.getByRole("tab", { name: "Raw" }).first().click();
    await log.getByText('"content": "Good morning"').first().waitFor();
  });
});
