/** The settings that connect a client. */
import { addChannel } from "./support/channel-stock.ts";
import { expect, test, type Site } from "./support/test.ts";

let site: Site;
let token: { id: number; key: string };

test.beforeAll(async ({ site: started }) => {
  site = started;
  await addChannel(site, { name: "Demo upstream", models: ["demo-chat", "demo-chat-mini"] });
  token = await site.api("POST", "/token", { name: "Laptop" });
});

test(
  "a client's settings have the path of its system, the model and the key, and its first call is reported",
  { tag: "@nightly" },
  async ({ page }) => {
    await page.goto(`/panel/connect?client=cherry-studio&token=${token.id}`);
    const client = page.getByRole("navigation", { name: "Client" });
    await test.step("without the key there is no link into an application", async () => {
      await expect(page.getByRole("button", { name: "Open Cherry Studio" })).toBeVisible();
    });

    await test.step("the key is inserted on request, and never in the address", async () => {
      await client.getByText("Claude Code").click();
      const settings = page.locator("pre", { hasText: "ANTHROPIC_BASE_URL" }).first();
      await expect(settings).toBeVisible();
      await expect(settings).not.toContainText(token.key);
      await page.getByRole("button", { name: "Insert the key" }).click();
      await expect(settings).toContainText(token.key);
      await page.getByRole("combobox", { name: "Model" }).click();
      await page.getByRole("option", { name: "demo-chat", exact: true }).click();
      await expect(settings).toContainText('"ANTHROPIC_MODEL": "demo-chat"');
      await page.getByRole("button", { name: "Copy File" }).first().click();
      const copied = await page.evaluate(() => navigator.clipboard.readText());
      expect(JSON.parse(copied).env.ANTHROPIC_AUTH_TOKEN).toBe(token.key);
      await expect(page).toHaveURL(/[?&]model=demo-chat(&|$)/);
      expect(page.url()).not.toContain(token.key);
    });

    await test.step("with the key there is a link, and the path is that of the chosen operating system", async () => {
      await client.getByText("Cherry Studio").click();
      const link = page.getByRole("link", { name: "Open Cherry Studio" });
      await expect(link).toHaveAttribute("href", /^cherrystudio:\/\/providers\/api-keys\?v=1&data=/);
      await client.getByText("Codex").click();
      await page.getByText("Windows", { exact: true }).click();
      await expect(page.getByText("Save this as %USERPROFILE%\\.codex\\config.toml")).toBeVisible();
    });

    await test.step("the first call is reported, and opened", async () => {
      await expect(page.getByText("Waiting for your first call")).toBeVisible();
      const answer = await fetch(`${site.url}/v1/messages`, {
        method: "POST",
        headers: { "x-api-key": token.key, "content-type": "application/json" },
        body: JSON.stringify({
          model: "demo-chat-mini",
          max_tokens: 50,
          messages: [{ role: "user", content: "Hello" }],
        }),
      });
      expect(answer.status).toBe(200);
      await answer.text();
      await expect(page.getByText("Call received", { exact: true })).toBeVisible();
      await page.getByRole("link", { name: "Open the call" }).click();
      await page.waitForURL(/\/panel\/log\/./);
    });
  },
);

test("the key that is selected first is never the one of the playground", async ({ page }) => {
  const key = await site.api<string>("GET", "/token/playground");
  const answer = await fetch(`${site.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "demo-chat", messages: [{ role: "user", content: "Hello" }] }),
  });
  await answer.text();
  await page.goto("/panel/connect");
  const choice = page.getByRole("combobox", { name: "Key" });
  await expect(choice).toHaveValue(/^Laptop/);
  await choice.click();
  await expect(page.getByRole("option", { name: /^Laptop/ })).toBeVisible();
  await expect(page.getByRole("option", { name: /^sys_playground/ })).toHaveCount(0);
});

test.describe("a visitor", () => {
  test.use({ guest: true });

  test("receives a placeholder instead of a key, and a sign-in link", async ({ page }) => {
    await page.goto("/connect?client=curl");
    const command = page.locator("pre");
    await expect(command).toContainText("demo-chat");
    await expect(command).toContainText("Bearer sk-…");
    await expect(page.getByRole("link", { name: "Sign in to use one of your keys" })).toBeVisible();
    await expect(page.getByText("Waiting for your first call")).toHaveCount(0);
  });
});
