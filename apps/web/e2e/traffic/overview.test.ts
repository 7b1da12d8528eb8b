/**
 * The first screen: the state of the gateway for operators, balance and failures for customers. Both update
 * live.
 */
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSite, type Site } from "../support/site.ts";

let site: Site;
let key: string;
const password = "a long password";

beforeAll(async () => {
  site = await openSite();
  const channel = { type: 900, groups: ["default"], models: ["demo-chat"] };
  await site.api("POST", "/channel", { ...channel, name: "Demo provider" });
  ({ key } = await site.api<{ key: string }>("POST", "/token", { name: "root", unlimited_quota: true }));
});
afterAll(() => site.close());

async function call(token: string, model = "demo-chat"): Promise<number> {
  const answer = await fetch(`${site.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "Hello" }] }),
  });
  await answer.text();
  return answer.status;
}

/** Locates a figure of the summary, without its change. */
const figure = (page: Page, name: string) =>
  page.getByRole("region", { name, exact: true }).locator("p").nth(1);

describe("an operator's first screen", () => {
  it("shows a new call without a reload, and links to the channel, its log and the own usage", async () => {
    const page = await site.open("/panel/dashboard");
    await page.getByText("Live", { exact: true }).waitFor();
    await page.getByText("Nothing needs your attention.").waitFor();
    const before = Number(await figure(page, "Requests").textContent());
    expect(await call(key)).toBe(200);
    await expect.poll(() => figure(page, "Requests").textContent()).toBe(String(before + 1));
    const row = page.getByRole("row").filter({ hasText: "Demo provider" });
    await row.getByText("Healthy").waitFor();
    await row.getByRole("img", { name: `24 hours: ${before + 1} calls, 0 failed` }).waitFor();
    await row.getByRole("link", { name: String(before + 1) }).click();
    await page.waitForURL(/\/panel\/log\?.*channel_id=/);
    await page.getByText("demo-chat").first().waitFor();
    await page.goBack();
    await page.getByRole("link", { name: "Demo provider" }).click();
    await page.waitForURL(/\/panel\/channel\/\d+$/);
    await page.goto("/panel/dashboard");
    await page.getByRole("tab", { name: "My usage" }).click();
    await page.waitForURL("**/panel/dashboard?view=usage");
    await page.getByText("Spend by model").first().waitFor();
    await page.reload();
    expect(await page.getByRole("tab", { name: "My usage" }).getAttribute("aria-selected")).toBe("true");
  });

  it("groups failed calls by reason, and links to them", async () => {
    const page = await site.open("/panel/dashboard");
    await page.getByRole("heading", { name: "Failed calls" }).waitFor();
    expect(await call(key, "no-such-model")).toBe(404);
    await page.getByRole("link", { name: "Model not available" }).click();
    await page.waitForURL(/log_type=5/);
    await page.getByText("no-such-model").first().waitFor();
  });

  it("shows when the connection is lost, and reconnects", async () => {
    const page = await site.open("about:blank");
    await page.route("**/api/overview/events*", (route) => route.abort());
    await page.goto("/panel/dashboard");
    await page.getByRole("status").getByText("Connection lost. Reconnecting…").waitFor();
    // The last data stays visible.
    await figure(page, "Requests").waitFor();
    await page.unroute("**/api/overview/events*");
    await page.getByRole("button", { name: "Reconnect" }).click();
    await page.getByText("Live", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Reconnect" }).waitFor({ state: "detached" });
  });

  it("draws its chart before the browser reports sizes, so that the card is never empty", async () => {
    const page = await site.open("about:blank");
    await page.addInitScript(() => {
      window.ResizeObserver = class {
        observe() {}
        unobserve() {}
        disconnect() {}
      };
    });
    await page.goto("/panel/dashboard");
    const chart = page.getByRole("slider", { name: "Requests per hour" });
    await chart.locator("text", { hasText: "00" }).first().waitFor();
  });

  it("fits a phone: nothing is wider than the window, and a channel takes at most 110 pixels", async () => {
    const page = await site.open("/panel/dashboard", { phone: true });
    const channel = page.getByRole("listitem").filter({ hasText: "Demo provider" });
    await channel.waitFor();
    expect((await channel.boundingBox())?.height).toBeLessThanOrEqual(110);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(width).toBeLessThanOrEqual(390);
  });
});

describe("a customer's first screen", () => {
  it("shows the balance, and a rejected call with its reason and a top-up link, without a reload", async () => {
    await site.api("POST", "/user", { username: "customer", password });
    const page = await site.open("/login", { guest: true });
    await page.getByLabel("Username").fill("customer");
    await page.getByRole("textbox", { name: "Password" }).fill(password);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.waitForURL("**/panel/dashboard");
    await page.getByText("Live", { exact: true }).waitFor();
    expect(await page.getByRole("tab", { name: "Gateway" }).count()).toBe(0);
    await page.getByText("Calls are refused until you top up.").waitFor();
    await page.getByRole("banner").getByRole("link", { name: "Balance $0.00" }).waitFor();

    const made = await page.request.post(`${site.url}/api/token`, {
      headers: { "api-version": "2", origin: site.url },
      data: { name: "mine", unlimited_quota: true },
    });
    const token = ((await made.json()) as { data: { key: string } }).data;
    expect(await call(token.key)).toBe(402);
    const alert = page.getByRole("alert");
    await alert.getByText("1 call refused: balance empty").waitFor();
    await alert.getByRole("link", { name: "Top up" }).click();
    await page.waitForURL("**/panel/topup");
    // The balance is on every screen.
    await page.getByRole("banner").getByRole("link", { name: "Balance $0.00" }).waitFor();
  });

  it("updates the balance after a paid call", async () => {
    const { id } = await site.api<{ id: number }>("POST", "/user", { username: "payer", password });
    await site.api("POST", `/user/quota/${id}`, { quota: 500_000, remark: "for the test" });
    const page = await site.open("/login", { guest: true });
    await page.getByLabel("Username").fill("payer");
    await page.getByRole("textbox", { name: "Password" }).fill(password);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.waitForURL("**/panel/dashboard");
    const balance = page.getByRole("banner").getByRole("link", { name: /^Balance/ });
    await expect.poll(() => balance.textContent()).toBe("$1.00");
    const made = await page.request.post(`${site.url}/api/token`, {
      headers: { "api-version": "2", origin: site.url },
      data: { name: "mine", unlimited_quota: true },
    });
    const token = ((await made.json()) as { data: { key: string } }).data;
    await page.getByText("Live", { exact: true }).waitFor();
    expect(await call(token.key)).toBe(200);
    await expect
      .poll(() => page.getByText("Requests today").locator("xpath=following::p[1]").textContent())
      .toBe("1");
  });
});
