/**
 * The first screen: the state of the gateway for operators, balance and failures for customers. Both update
 * live.
 */
import type { Page } from "@playwright/test";
import { expect, test, type Site } from "../support/test.ts";

let site: Site;
let key: string;

test.beforeAll(async ({ site: started }) => {
  site = started;
  const channel = { type: 900, groups: ["default"], models: ["demo-chat"] };
  await site.api("POST", "/channel", { ...channel, name: "Demo provider" });
  ({ key } = await site.api<{ key: string }>("POST", "/token", { name: "root", unlimited_quota: true }));
});

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

test("an operator's first screen shows new calls without a reload, and links to what it shows", async ({
  page,
}) => {
  await page.goto("/panel/dashboard");
  const row = page.getByRole("row").filter({ hasText: "Demo provider" });
  const requests = figure(page, "Requests");
  const live = page.getByText("Live", { exact: true });

  await test.step("a new call is counted", async () => {
    await live.waitFor();
    await page.getByText("Nothing needs your attention.").waitFor();
    const before = Number(await requests.textContent());
    expect(await call(key)).toBe(200);
    await expect(requests).toHaveText(String(before + 1));
    await row.getByText("Healthy").waitFor();
    await row.getByRole("img", { name: `24 hours: ${before + 1} calls, 0 failed` }).waitFor();
    await row.getByRole("link", { name: String(before + 1) }).click();
  });
  await test.step("the calls of a channel are in the log, and the channel has a page", async () => {
    await page.waitForURL(/\/panel\/log\?.*channel_id=/);
    await page.getByText("demo-chat").first().waitFor();
    await page.goBack();
    await page.getByRole("link", { name: "Demo provider" }).click();
    await page.waitForURL(/\/panel\/channel\/\d+$/);
    await page.goBack();
  });
  await test.step("failed calls are grouped by reason, with a link to them", async () => {
    await page.getByRole("heading", { name: "Failed calls" }).waitFor();
    await live.waitFor();
    expect(await call(key, "no-such-model")).toBe(404);
    await page.getByRole("link", { name: "Model not available" }).click();
    await page.waitForURL(/log_type=5/);
    await page.getByText("no-such-model").first().waitFor();
    await page.goBack();
  });
  await test.step("the own usage is a tab with an address", async () => {
    await page.getByRole("tab", { name: "My usage" }).click();
    await page.waitForURL("**/panel/dashboard?view=usage");
    await page.getByText("Charged by model").first().waitFor();
  });
});

test(
  "an operator's first screen shows when the connection is lost, and reconnects",
  { tag: "@nightly" },
  async ({ page }) => {
    const events = "**/api/overview/events*";
    // The console tries again at intervals, too. Only the attempt that a click starts succeeds.
    await page.addInitScript(() => {
      addEventListener(
        "click",
        ({ target }) => {
          if ((target as Element).closest("button")?.textContent === "Reconnect")
            document.documentElement.dataset["clicked"] = "";
        },
        true,
      );
    });
    await page.route(events, async (route) => {
      const isClicked = await page.evaluate(() => "clicked" in document.documentElement.dataset);
      await (isClicked ? route.fallback() : route.abort());
    });
    await test.step("a link opens the own usage, and a click the gateway", async () => {
      await page.goto("/panel/dashboard?view=usage");
      await page.getByRole("tab", { name: "My usage", selected: true }).waitFor();
      await page.getByRole("tab", { name: "Gateway" }).click();
    });
    await test.step("the last data stays visible", async () => {
      await page.getByRole("status").getByText("Connection lost. Reconnecting…").waitFor();
      await figure(page, "Requests").waitFor();
    });
    await test.step("a click reconnects", async () => {
      await page.getByRole("button", { name: "Reconnect" }).click();
      await page.getByText("Live", { exact: true }).waitFor();
      await page.getByRole("button", { name: "Reconnect" }).waitFor({ state: "detached" });
    });
  },
);

test(
  "the chart of the first screen is drawn before the browser reports sizes, so that the card is never empty",
  { tag: "@nightly" },
  async ({ page }) => {
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
  },
);

test.describe("a customer's first screen", () => {
  test.use({ guest: true });

  test(
    "updates balance and calls without a reload, and explains a rejected call with a top-up link",
    { tag: "@nightly" },
    async ({ page }) => {
      const customer = { username: "customer", password: "a long password" };
      const { id } = await site.api<{ id: number }>("POST", "/user", customer);
      await site.api("POST", `/user/quota/${id}`, { quota: 500_000, remark: "for the test" });
      const headers = { "api-version": "2", origin: site.url };
      await page.request.post("/api/user/login", { headers, data: customer });
      const made = await page.request.post("/api/token", {
        headers,
        data: { name: "mine", unlimited_quota: true },
      });
      const token = ((await made.json()) as { data: { key: string } }).data;
      const balance = page.getByRole("banner").getByRole("link", { name: /^Balance/ });

      await test.step("it shows the balance, and nothing of the gateway", async () => {
        await page.goto("/panel/dashboard");
        await page.getByText("Live", { exact: true }).waitFor();
        await expect(balance).toHaveText("$1.00");
        await expect(page.getByRole("tab", { name: "Gateway" })).toHaveCount(0);
      });
      await test.step("a paid call is counted", async () => {
        expect(await call(token.key)).toBe(200);
        const today = page.getByText("Requests today").locator("xpath=following::p[1]");
        await expect(today).toHaveText("1");
      });
      await test.step("an empty balance is explained", async () => {
        const { quota } = await site.api<{ quota: number }>("GET", `/user/${id}`);
        await site.api("POST", `/user/quota/${id}`, { quota: -quota, remark: "for the test" });
        expect(await call(token.key)).toBe(402);
        await page.getByText("Calls are refused until you top up.").waitFor();
        await expect(balance).toHaveText("$0.00");
      });
      await test.step("a rejected call has its reason and a link to top up", async () => {
        const alert = page.getByRole("alert");
        await alert.getByText("1 call refused: balance empty").waitFor();
        await alert.getByRole("link", { name: "Top up" }).click();
        await page.waitForURL("**/panel/topup");
        // The balance is on every screen.
        await expect(balance).toHaveText("$0.00");
      });
    },
  );
});
