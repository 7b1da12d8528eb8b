import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSite, type Site } from "./support/site.ts";

let site: Site;
beforeAll(async () => {
  site = await openSite();
});
afterAll(() => site.close());

describe("an installation without an administrator", () => {
  it("links from its home page to the set-up, and rejects an invalid link before any input", async () => {
    const page = await site.open("about:blank", { guest: true });
    await page.route("**/api/status", async (route) => {
      const response = await route.fetch();
      const { data, ...rest } = (await response.json()) as { data: object };
      await route.fulfill({ response, json: { ...rest, data: { ...data, needs_setup: true } } });
    });
    await page.route("**/api/setup/check", (route) =>
      route.fulfill({
        status: 401,
        json: {
          success: false,
          message: "",
          code: "wrong_credentials",
          params: { reason: "setup_link_invalid" },
        },
      }),
    );
    await page.goto(site.url);
    await page.waitForURL("**/setup");
    await page.getByText("one-time set-up link").waitFor();
    await page.goto(`${site.url}/setup?token=wrong`);
    await page.getByRole("heading", { name: "This link is not valid" }).waitFor();
    await expect.poll(() => page.getByLabel("Username").count()).toBe(0);
    await page.unroute("**/api/setup/check");
    await page.route("**/api/setup/check", (route) =>
      route.fulfill({ json: { success: true, message: "", data: null } }),
    );
    await page.reload();
    await page.getByLabel("Username").waitFor();
  });
});

describe("a fresh installation", () => {
  it("leads to the first call, one step at a time", async () => {
    const page = await site.open("/panel/dashboard");
    const steps = page.getByRole("listitem");
    await page.getByText("0 of 4 steps done").waitFor();
    await steps.getByRole("link", { name: "Add channel" }).click();
    const editor = page.getByRole("dialog", { name: "Add channel" });
    await editor.getByRole("button", { name: "Cancel" }).click();
    await editor.waitFor({ state: "hidden" });
    await page.getByRole("button", { name: "Add the demo channel" }).waitFor();
    await page.goto("/panel/dashboard");
    await steps.getByRole("link", { name: "Use the demo provider" }).waitFor();

    const channel = await site.api<{ id: number }>("POST", "/channel", {
      type: 900,
      name: "Demo",
      models: ["demo-chat"],
      groups: ["default"],
    });
    await page.getByText("1 of 4 steps done").waitFor();
    await site.api("POST", `/channel/${channel.id}/test`, {});
    await page.getByText("2 of 4 steps done").waitFor();
    await steps.getByRole("link", { name: "Create a token" }).click();
    const form = page.getByRole("dialog", { name: "New token" });
    await form.getByRole("button", { name: "Cancel" }).click();
    await form.waitFor({ state: "hidden" });
    await expect.poll(() => page.url()).not.toContain("edit");
    await page.goto("/panel/dashboard");
    const token = await site.api<{ key: string }>("POST", "/token", { name: "first" });
    await page.getByText("3 of 4 steps done").waitFor();
    await steps.getByRole("link", { name: "Open the playground" }).waitFor();

    const answer = await fetch(`${site.url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${token.key}` },
      body: JSON.stringify({ model: "demo-chat", messages: [{ role: "user", content: "Hello" }] }),
    });
    expect(answer.status).toBe(200);
    await page.getByText("Requests per hour").first().waitFor();
    await page.getByText("steps done").waitFor({ state: "detached" });
  });

  it("shows the first call with its cost, then what comes next, until that is done", async () => {
    const page = await site.open("/panel/dashboard");
    const next = page.getByRole("region", { name: "Your first call" });
    await next.getByText("demo-chat").waitFor();
    await next.getByTitle(/^\$0\.0000\d+$/).waitFor();
    await next.getByRole("link", { name: "Connect a client" }).waitFor();
    await next.getByRole("link", { name: "New customer" }).click();
    const form = page.getByRole("dialog", { name: "New customer" });
    await form.getByRole("button", { name: "Cancel" }).click();
    await form.waitFor({ state: "hidden" });

    await site.api("POST", "/user", { username: "customer", password: "long enough" });
    await page.goto("/panel/dashboard");
    await next.getByRole("link", { name: "Add channel" }).waitFor();
    await next.getByRole("link", { name: "New customer" }).waitFor({ state: "detached" });
    await next.getByRole("link", { name: "See how the cost was calculated" }).click();
    await page.getByRole("table", { name: "Cost" }).getByText("Charged").waitFor();

    const openai = { type: 1, key: "sk-test", models: ["gpt-5"], groups: ["default"] };
    await page.goto("/panel/dashboard");
    await next.waitFor();
    await site.api("POST", "/channel", { ...openai, name: "OpenAI" });
    const channels = page.waitForResponse(/\/api\/channel\?(?=.*size=20)/);
    await page.reload();
    await channels;
    await page.waitForLoadState("networkidle");
    expect(await next.count()).toBe(0);
  });

  it("shows the call in today's numbers and the model in the list of available models", async () => {
    const page = await site.open("/panel/dashboard?view=usage");
    await page.getByRole("button", { name: "demo-chat" }).waitFor();
    const today = page.getByRole("region", { name: "Usage by day" }).getByRole("row").nth(1);
    await today.waitFor();
    await expect.poll(() => today.getByRole("cell").first().textContent()).toBe("1");
    await expect
      .poll(() => today.getByRole("cell").nth(1).locator("[title]").getAttribute("title"))
      .not.toBe("$0.00");
  });

  it("offers a key to those who have none only", async () => {
    const page = await site.open("/panel/dashboard?view=usage");
    await page.getByRole("region", { name: "Your tokens" }).getByRole("row").nth(1).waitFor();
    await page.getByText("Quick start").waitFor();
    expect(await page.getByRole("link", { name: "Get a key" }).count()).toBe(0);
    expect(await page.getByRole("main").getByRole("link", { name: "Clients", exact: true }).count()).toBe(1);
  });

  it("shows prices to visitors without an account", async () => {
    const page = await site.open("/price?view=list", { guest: true });
    const row = page.getByRole("row").filter({ hasText: "demo-chat" });
    await row.getByText(/^\$/).first().waitFor();
    await row.click();
    await page.getByRole("heading", { name: "Price per million tokens" }).waitFor();
  });
});
