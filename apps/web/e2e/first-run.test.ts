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

test("a fresh installation leads to the first call, one step at a time", async ({ page, site }) => {
  await page.goto("/panel/dashboard");
  const steps = page.getByRole("listitem");
  await test.step("no step is done", async () => {
    await expect(page.getByText("0 of 4 steps done")).toBeVisible();
    await steps.getByRole("link", { name: "Add channel" }).click();
    await cancel(page, "Add channel");
    await expect(page.getByRole("button", { name: "Add the demo channel" })).toBeVisible();
    await openDashboard(page);
    await expect(steps.getByRole("link", { name: "Use the demo provider" })).toBeVisible();
  });

  await test.step("a channel and its test are two steps", async () => {
    const { id } = await addChannel(site, { models: ["demo-chat"] });
    await expect(page.getByText("1 of 4 steps done")).toBeVisible();
    await site.api("POST", `/channel/${id}/test`, {});
    await expect(page.getByText("2 of 4 steps done")).toBeVisible();
  });

  await test.step("a token is the third step", async () => {
    await steps.getByRole("link", { name: "Create a token" }).click();
    await cancel(page, "New token");
    await openDashboard(page);
  });

  await test.step("the first call ends the steps", async () => {
    const { key } = await site.api<{ key: string }>("POST", "/token", { name: "first" });
    await expect(page.getByText("3 of 4 steps done")).toBeVisible();
    await expect(steps.getByRole("link", { name: "Open the playground" })).toBeVisible();
    await call(site, key);
    await expect(page.getByText("Requests per hour").first()).toBeVisible();
    await expect(page.getByText("steps done")).toHaveCount(0);
  });
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
      await expect(page.getByRole("button", { name: "demo-chat" })).toBeVisible();
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
