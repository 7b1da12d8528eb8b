/** A fresh installation: from the first screen to the first call, and what comes next. */
import type { Page } from "@playwright/test";
import { addChannel } from "./support/channel-stock.ts";
import { expect, test, type Site } from "./support/test.ts";

const dialogOf = (page: Page, name: string) => page.getByRole("dialog", { name });

/** Leaves a form that a step has opened. */
async function cancel(page: Page, name: string): Promise<void> {
  await dialogOf(page, name).getByRole("button", { name: "Cancel" }).click();
  await expect(dialogOf(page, name)).toHaveCount(0);
  await expect.poll(() => page.url()).not.toMatch(/edit|customer/);
}

const openDashboard = (page: Page) =>
  page
    .getByRole("navigation", { name: "Console" })
    .getByRole("link", { name: "Dashboard", exact: true })
    .click();

async function call(site: Site, key: string): Promise<void> {
  const answer = await fetch(`${site.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
    body: JSON.stringify({ model: "demo-chat", messages: [{ role: "user", content: "Hello" }] }),
  });
  expect(answer.status).toBe(200);
  await answer.text();
}

test("a fresh installation has its first call within 60 seconds and 6 clicks", async ({
  startSite,
}, info) => {
  // Without an administrator and without the demo provider, as an installation in production starts.
  const site = await startSite({
    env: { ROOT_USERNAME: "", ROOT_PASSWORD: "", DEMO_UPSTREAM: "", NODE_ENV: "production" },
  });
  const page = await site.open("/", { guest: true });
  await test.step("the site leads to the set-up, which refuses an invalid link before any input", async () => {
    await page.waitForURL("**/setup");
    await expect(page.getByText("one-time set-up link")).toBeVisible();
    await page.goto("/setup?token=wrong");
    await expect(page.getByRole("heading", { name: "This link is not valid" })).toBeVisible();
    await expect(page.getByLabel("Username")).toHaveCount(0);
  });

  await page.goto(`/${/setup\?token=[\w-]+/.exec(site.printed.join("\n"))?.[0]}`);
  const begun = Date.now();
  let clicks = 0;
  const click = async (name: string) => {
    await page.getByRole("button", { name }).click();
    clicks += 1;
  };

  await test.step("the administrator", async () => {
    await page.getByLabel("Username").fill("root");
    await page.getByLabel("Password", { exact: true }).fill("a long password");
    await page.getByLabel("Repeat the password").fill("a long password");
    await click("Create and sign in");
  });

  const card = page.getByRole("region", { name: "Make your first call" });
  await test.step("a key is recognised by its form, and nothing is stored when it does not work", async () => {
    await click("Paste a provider key");
    const key = card.getByLabel("Provider key");
    await key.fill("sk-ant-api03-wrong");
    await expect(card.getByText("Anthropic", { exact: true })).toBeVisible();
    await key.fill("gsk_wrong");
    await expect(card.getByText("Groq", { exact: true })).toBeVisible();
    await key.fill("sk-wrong");
    await expect(card.getByRole("combobox", { name: "Provider" })).toBeVisible();
    await key.fill("");
  });

  await test.step("the demo provider, with a tested channel and a key", async () => {
    await click("Use the demo provider");
    await expect(card.getByText(/^Demo is connected with 3 models\./)).toBeVisible();
    await expect(card.getByText("Waiting for your first call…")).toBeVisible();
  });

  await test.step("the command has the key in it, for agents as well", async () => {
    const command = card.locator("pre");
    await expect(command).toContainText(/Bearer sk-\w{40}/);
    await card.getByText("Claude Code", { exact: true }).click();
    await expect(command).toContainText(/GATEWAY_API_KEY=sk-\w+\s+curl .*claude-code/);
    clicks += 1;
  });

  await test.step("the call appears with its route and its bill", async () => {
    const key = /sk-\w+/.exec((await card.locator("pre").textContent()) ?? "")?.[0] ?? "";
    await call(site, key);
    await expect(card.getByText("Your first call arrived.")).toBeVisible();
    await expect(card.getByRole("img", { name: /^Route of the call: Demo: Succeeded/ })).toBeVisible();
    await expect(card.getByRole("table", { name: "Cost" }).getByText("Charged")).toBeVisible();
  });
  const seconds = Math.round((Date.now() - begun) / 1000);
  info.annotations.push({ type: "first run", description: `${clicks} clicks, ${seconds} seconds` });
  console.log(`First run: ${clicks} clicks, ${seconds} seconds`);
  expect(clicks).toBeLessThanOrEqual(6);
  expect(seconds).toBeLessThanOrEqual(60);
});

test(
  "the first call is shown with its cost, in today's numbers, and with what comes next until that is done",
  { tag: "@nightly" },
  async ({ page, site }) => {
    await addChannel(site, { models: ["demo-chat"] });
    await call(site, (await site.api<{ key: string }>("POST", "/token", { name: "second" })).key);
    await page.goto("/panel/dashboard");
    const next = page.getByRole("region", { name: "Your first call" });
    await test.step("its cost is shown and explained", async () => {
      await expect(next.getByText("demo-chat")).toBeVisible();
      await expect(next.getByTitle(/^\$0\.0000\d+$/)).toBeVisible();
      await next.getByRole("link", { name: "See how the cost was calculated" }).click();
      await expect(page.getByRole("table", { name: "Cost" }).getByText("Charged")).toBeVisible();
      await openDashboard(page);
    });

    await test.step("the own usage has the call of today, and offers no further key", async () => {
      await page.getByRole("tab", { name: "My usage" }).click();
      await expect(
        page.getByRole("group", { name: "Series" }).getByRole("button", { name: "demo-chat" }),
      ).toBeVisible();
      const today = page.getByRole("region", { name: "Usage by day" }).getByRole("row").nth(1);
      await expect(today.getByRole("cell").first()).toHaveText(/^[12]$/);
      await expect(today.getByRole("cell").nth(1).locator("[title]")).not.toHaveAttribute("title", "$0.00");
      await expect(page.getByRole("region", { name: "Your tokens" }).getByRole("row").nth(1)).toBeVisible();
      await expect(page.getByText("Quick start")).toBeVisible();
      await expect(page.getByRole("link", { name: "Get a key" })).toHaveCount(0);
      const clients = page.getByRole("main").getByRole("link", { name: "Clients", exact: true });
      await expect(clients).toHaveCount(1);
      await page.getByRole("tab", { name: "Gateway" }).click();
    });

    await test.step("a customer is one of the next steps", async () => {
      await expect(next.getByRole("link", { name: "Connect a client" })).toBeVisible();
      await next.getByRole("link", { name: "New customer" }).click();
      await cancel(page, "New customer");
      await site.api("POST", "/user", { username: "customer", password: "long enough" });
      // Read anew: the page keeps the number of users for a while.
      await page.goto("/panel/dashboard");
      await expect(next.getByRole("link", { name: "Add channel" })).toBeVisible();
      await expect(next.getByRole("link", { name: "New customer" })).toHaveCount(0);
    });

    await test.step("a real provider is the last one", async () => {
      await addChannel(site, { type: 1, key: "sk-test", models: ["gpt-5"], name: "OpenAI" });
      await page.reload();
      await expect(page.getByText("Requests per hour").first()).toBeVisible();
      await expect(next).toHaveCount(0);
    });
  },
);
