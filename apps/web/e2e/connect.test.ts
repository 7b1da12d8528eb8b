import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSite, type Site } from "./support/site.ts";

let site: Site;
let token: { id: number; key: string };

beforeAll(async () => {
  site = await openSite();
  await site.api("POST", "/channel", {
    type: 900,
    name: "Demo upstream",
    models: ["demo-chat", "demo-chat-mini"],
    groups: ["default"],
  });
  token = await site.api("POST", "/token", { name: "Laptop" });
});
afterAll(() => site.close());

describe("connecting a client", () => {
  it("fills in model and key, and reports the first call", async () => {
    const page = await site.open(`/panel/connect?client=claude-code&token=${token.id}`);
    const settings = page.locator("pre", { hasText: "ANTHROPIC_BASE_URL" });
    await settings.waitFor();
    expect(await settings.textContent()).not.toContain(token.key);
    await page.getByRole("button", { name: "Insert the key" }).click();
    await expect.poll(() => settings.textContent()).toContain(token.key);

    await page.getByRole("combobox", { name: "Model" }).click();
    await page.getByRole("option", { name: "demo-chat", exact: true }).click();
    await expect.poll(() => settings.textContent()).toContain('"ANTHROPIC_MODEL": "demo-chat"');
    await page.getByRole("button", { name: "Copy File" }).click();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(JSON.parse(copied).env.ANTHROPIC_AUTH_TOKEN).toBe(token.key);
    await expect.poll(() => new URL(page.url()).searchParams.get("model")).toBe("demo-chat");
    expect(page.url()).not.toContain(token.key);

    await page.getByText("Waiting for your first call").waitFor();
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
    await page.getByText("Call received", { exact: true }).waitFor();
    await page.getByRole("link", { name: "Open the call" }).click();
    await expect.poll(() => new URL(page.url()).pathname).toMatch(/^\/panel\/log\/./);
  });

  it("shows the path of the chosen operating system", async () => {
    const page = await site.open("/panel/connect");
    await page.getByRole("navigation", { name: "Client" }).getByText("Codex").click();
    await page.getByText("Windows", { exact: true }).click();
    await page.getByText("Save this as %USERPROFILE%\\.codex\\config.toml").waitFor();
  });

  it("gives visitors a placeholder and a sign-in link", async () => {
    const page = await site.open("/connect?client=curl", { guest: true });
    const command = page.locator("pre");
    await command.waitFor();
    await expect.poll(() => command.textContent()).toContain("demo-chat");
    expect(await command.textContent()).toContain("Bearer sk-…");
    await page.getByRole("link", { name: "Sign in to use one of your keys" }).waitFor();
    expect(await page.getByText("Waiting for your first call").count()).toBe(0);
  });

  it("offers links into applications only with a key", async () => {
    const page = await site.open(`/panel/connect?client=cherry-studio&token=${token.id}`);
    await page.getByRole("button", { name: "Open Cherry Studio" }).waitFor();
    await page.getByRole("button", { name: "Insert the key" }).click();
    const link = page.getByRole("link", { name: "Open Cherry Studio" });
    expect(await link.getAttribute("href")).toMatch(/^cherrystudio:\/\/providers\/api-keys\?v=1&data=/);
  });
});
