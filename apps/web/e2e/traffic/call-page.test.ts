import type { LogPage } from "@gateway/shared/usage/log";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSite, type Site } from "../support/site.ts";

let site: Site;
let key = "";

beforeAll(async () => {
  site = await openSite();
  const channel = { type: 900, groups: ["default"], models: ["demo-chat"] };
  await site.api("POST", "/channel", { ...channel, name: "Fails", key: "demo-fail-500", priority: 10 });
  await site.api("POST", "/channel", { ...channel, name: "Answers", priority: 5 });
  await site.api("POST", "/channel", { ...channel, name: "Idle", priority: 1 });
  ({ key } = await site.api<{ key: string }>("POST", "/token", { name: "Journey" }));
});
afterAll(() => site.close());

/** Makes a call and waits for its log row. Returns its request id. */
async function call(body: object = {}, by = key): Promise<string> {
  const answer = await fetch(`${site.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${by}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "demo-chat", messages: [{ role: "user", content: "hi" }], ...body }),
  });
  await answer.text();
  const id = answer.headers.get("x-request-id") ?? "";
  const found = () => site.api<LogPage>("GET", `/log?request_id=${id}`);
  await expect.poll(async () => (await found()).data.length).toBe(1);
  return id;
}

describe("the page of a call", () => {
  it("shows attempts on a time axis and channels that were not tried, with links to them", async () => {
    const id = await call({ stream: true });
    const page = await site.open(`/panel/log/${id}`);
    await page.getByRole("heading", { name: "demo-chat" }).first().waitFor();
    await expect
      .poll(() => page.getByRole("listitem").filter({ hasText: "HTTP" }).allTextContents())
      .toEqual([
        expect.stringMatching(/Fails.*Provider error.*priority 10 · HTTP 500/),
        expect.stringMatching(/Answers.*Succeeded.*priority 5 · HTTP 200/),
      ]);
    await page.getByRole("listitem").filter({ hasText: "Not needed: lower priority" }).waitFor();
    const answered = page.getByRole("listitem").filter({ hasText: "Succeeded" });
    await answered.getByRole("button", { name: "Copy Provider request ID" }).click();
    await page.getByText("Provider request ID copied").waitFor();
    const [row] = (await site.api<LogPage>("GET", `/log?request_id=${id}`)).data;
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
      row?.attempts?.at(-1)?.upstream_request_id,
    );
    await page.getByRole("button", { name: "Copy link" }).click();
    await page.getByText("Link copied").waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(`${site.url}/panel/log/${id}`);
    await expect
      .poll(() => page.locator("dd").getByRole("link", { name: "root" }).getAttribute("href"))
      .toMatch(/user=\d+$/);
    await page.getByRole("link", { name: "Idle" }).click();
    await page.waitForURL(/\/panel\/channel\?edit=\d+$/);
    await page.goBack();
    await page.getByRole("link", { name: "Journey", exact: true }).click();
    await page.waitForURL("**/panel/log?token_name=Journey");
  });

  it("explains why a call failed, with the requested model", async () => {
    const id = await call({ model: "no-such-model" });
    const page = await site.open(`/panel/log/${id}`);
    await page.getByRole("heading", { name: "no-such-model" }).first().waitFor();
    await page.getByText("Model not available", { exact: true }).waitFor();
    await page.getByText(/model_not_found · HTTP 404/).waitFor();
  });

  it("explains it in the reader's language", async () => {
    const id = await call({ model: "no-such-model" });
    const page = await site.open(`/panel/log/${id}`, { locale: "zh-CN" });
    await page.getByText("模型“no-such-model”不存在，或此密钥无权使用。").waitFor();
  });

  it("explains that a call does not exist, with a link to the list", async () => {
    for (const id of ["nothing", "12345678901", "x".repeat(80), "%27%3B"]) {
      const page = await site.open(`/panel/log/${id}`);
      await page.getByText("This call was not found").waitFor();
      await page.getByRole("link", { name: "Show the newest calls" }).click();
      await page.waitForURL("**/panel/log");
      await page.getByRole("row").nth(1).waitFor();
    }
  });

  it("fits a phone", async () => {
    const id = await call();
    const page = await site.open(`/panel/log/${id}`, { phone: true });
    await page.getByRole("heading", { name: "Details", exact: true }).waitFor();
    await expect
      .poll(() => page.evaluate(() => document.documentElement.scrollWidth))
      .toBeLessThanOrEqual(390);
  });
});

describe("a customer", () => {
  it("sees own calls without channels, and no calls of others", async () => {
    const id = await call();
    const customer = { username: "customer", password: "a long password" };
    await site.api("POST", "/user", customer);
    const page = await site.open("/login", { guest: true });
    await page.getByLabel("Username").first().fill(customer.username);
    await page.getByLabel("Password").first().fill(customer.password);
    await page
      .getByRole("button", { name: /sign in/i })
      .first()
      .click();
    await page.waitForURL(/\/panel\//);
    await page.goto(`/panel/log/${id}`);
    await page.getByText("This call was not found").waitFor();
    await page.goto(`/panel/log?call=${id}`);
    await page.getByRole("dialog").getByText("This call was not found").waitFor();
  });
});

describe("the bodies of a call", () => {
  /** Makes a call whose bodies are stored. */
  async function storedCall(): Promise<{ id: string; key: string }> {
    const token = { name: "Keeps bodies", setting: { log_bodies: true } };
    const keeping = await site.api<{ key: string }>("POST", "/token", token);
    const messages = [
      { role: "system", content: "Answer in one word." },
      { role: "user", content: "It's a question" },
    ];
    const id = await call({ messages, stream: true }, keeping.key);
    const bodies = () => site.api<{ request: string } | null>("GET", `/log/${id}/bodies`);
    await expect.poll(async () => (await bodies())?.request ?? "").toContain("question");
    return { id, key: keeping.key };
  }

  it("are shown as a conversation, as raw text, and as a command without the key", async () => {
    const { id, key: used } = await storedCall();
    const page = await site.open(`/panel/log/${id}`);
    const turns = page.getByRole("list", { name: "Conversation" }).getByRole("listitem");
    await expect
      .poll(() => turns.allTextContents())
      .toEqual([
        "System promptAnswer in one word.",
        "UserIt's a question",
        expect.stringMatching(/^AssistantResponse\S+/),
      ]);
    await page.getByRole("button", { name: "Copy as cURL" }).click();
    await page.getByText("cURL command copied").waitFor();
    const command = await page.evaluate(() => navigator.clipboard.readText());
    expect(command).toContain(`curl '${site.url}/v1/chat/completions'`);
    expect(command).not.toContain(used);
    await page.getByRole("tab", { name: "Raw" }).click();
    await page.locator("pre").filter({ hasText: "chat.completion.chunk" }).waitFor();
  });

  it("open in the playground without being sent, and are sent once by Replay", async () => {
    const { id } = await storedCall();
    const calls = async () => (await site.api<LogPage>("GET", "/log?log_type=2&size=1")).total_count ?? 0;
    const before = await calls();
    const page = await site.open(`/panel/log/${id}`);
    await page.getByRole("button", { name: "Open in playground" }).click();
    await page.waitForURL("**/panel/playground");
    const message = page.getByRole("textbox", { name: "Message" });
    await expect.poll(() => message.inputValue()).toBe("It's a question");
    expect(await calls()).toBe(before);

    await page.goBack();
    await page.getByRole("button", { name: "Replay" }).click();
    await page.waitForURL("**/panel/playground");
    await page.getByText(/Cost \$0\.000\d+/).waitFor();
    await page.getByText("It's a question").first().waitFor();
    await expect.poll(calls).toBe(before + 1);
    // A reload must not send it again.
    await page.reload();
    await page.getByRole("textbox", { name: "Message" }).waitFor();
    expect(await calls()).toBe(before + 1);
  });
});

describe("the panel next to the list", () => {
  it("has an address, opens from a link, and closes with Back", async () => {
    const id = await call();
    const page = await site.open("/panel/dashboard");
    await page.goto("/panel/log?log_type=2");
    // A row without a model is a placeholder of the list while it loads.
    await page.locator("tbody tr").filter({ hasText: "demo-chat" }).first().click();
    await page.waitForURL(`**/panel/log?log_type=2&call=${id}`);
    await page.getByRole("dialog").getByRole("heading", { name: "Details", exact: true }).waitFor();
    await page.goBack();
    await page.waitForURL("**/panel/log?log_type=2");
    await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
    await page.goForward();
    await page.getByRole("dialog").getByRole("heading", { name: "Details", exact: true }).waitFor();
    await page.keyboard.press("Escape");
    await page.waitForURL("**/panel/log?log_type=2");
    // It was opened by a link, so closing it must not leave the page.
    await page.goto(`/panel/log?log_type=5&call=${id}`);
    await page.getByRole("dialog").getByRole("heading", { name: "Details", exact: true }).waitFor();
    await page.keyboard.press("Escape");
    await page.waitForURL("**/panel/log?log_type=5");
  });

  it("explains a call that does not exist", async () => {
    const page = await site.open("/panel/log?call=nothing");
    await page.getByRole("dialog").getByText("This call was not found").waitFor();
  });
});
