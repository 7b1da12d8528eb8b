import type { LogPage } from "@gateway/shared/usage/log";
import { goTo } from "../support/go-to.ts";
import { expect, test, type Site } from "../support/test.ts";

let site: Site;
let key = "";

test.beforeAll(async ({ site: started }) => {
  site = started;
  const channel = { type: 900, groups: ["default"], models: ["demo-chat"] };
  await site.api("POST", "/channel", { ...channel, name: "Fails", key: "demo-fail-500", priority: 10 });
  await site.api("POST", "/channel", { ...channel, name: "Answers", priority: 5 });
  await site.api("POST", "/channel", { ...channel, name: "Idle", priority: 1 });
  ({ key } = await site.api<{ key: string }>("POST", "/token", { name: "Journey" }));
});

/** Makes a call and waits for its log row. Returns its request id. */
async function call(body: object = {}, by = key): Promise<string> {
  const answer = await fetch(`${site.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${by}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "demo-chat", messages: [{ role: "user", content: "hi" }], ...body }),
  });
  await answer.text();
  const id = answer.headers.get("x-request-id") ?? "";
  const rows = () => site.api<LogPage>("GET", `/log?request_id=${id}`);
  await expect.poll(async () => (await rows()).data.length).toBe(1);
  return id;
}

test("the page of a call shows its attempts and untried channels, copies its ids, and links to its parts", async ({
  page,
}) => {
  const id = await call({ stream: true });
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
  await page.goto(`/panel/log/${id}`);

  await test.step("attempts are on a time axis, with the channels that were not tried", async () => {
    await page.getByRole("heading", { name: "demo-chat" }).first().waitFor();
    await expect(page.getByRole("listitem").filter({ hasText: /priority \d+ · HTTP/ })).toHaveText([
      /Fails.*Provider error.*priority 10 · HTTP 500/,
      /Answers.*Succeeded.*priority 5 · HTTP 200/,
    ]);
    await page.getByRole("listitem").filter({ hasText: "Not needed: lower priority" }).first().waitFor();
  });
  await test.step("the provider's request id and the link are copied", async () => {
    const answered = page.getByRole("listitem").filter({ hasText: "Succeeded" });
    await answered.getByRole("button", { name: "Copy Provider request ID" }).click();
    await page.getByText("Provider request ID copied").waitFor();
    const [row] = (await site.api<LogPage>("GET", `/log?request_id=${id}`)).data;
    expect(await clipboard()).toBe(row?.attempts?.at(-1)?.upstream_request_id);
    await page.getByRole("button", { name: "Copy link" }).click();
    await page.getByText("Link copied").waitFor();
    expect(await clipboard()).toBe(`${site.url}/panel/log/${id}`);
  });
  await test.step("the user, the channels and the token are linked", async () => {
    const user = page.locator("dd").getByRole("link", { name: "root" });
    await expect(user).toHaveAttribute("href", /user=\d+$/);
    await page.getByRole("link", { name: "Idle" }).click();
    await page.waitForURL(/\/panel\/channel\?edit=\d+$/);
    await page.goBack();
    await page.getByRole("link", { name: "Journey", exact: true }).click();
    await page.waitForURL("**/panel/log?token_name=Journey");
    await page.goBack();
  });
  await test.step("a text that could not be copied is shown once, however often it is tried", async () => {
    await page.evaluate(() => {
      Object.defineProperty(navigator, "clipboard", { value: undefined });
      document.execCommand = () => false;
    });
    const failures = page.getByRole("alert").filter({ hasText: "Link could not be copied" });
    for (let round = 0; round < 4; round += 1) {
      // The notification covers the button.
      await page.getByRole("button", { name: "Copy link" }).press("Enter");
      await failures.first().waitFor();
    }
    await expect(failures).toHaveCount(1);
  });
});

test(
  "the page of a call explains why the call failed, or that there is no such call",
  { tag: "@nightly" },
  async ({ page }) => {
    const id = await call({ model: "no-such-model" });
    await page.goto(`/panel/log/${id}`);
    await test.step("a failed call has the requested model, the reason and the code", async () => {
      await page.getByRole("heading", { name: "no-such-model" }).first().waitFor();
      await page.getByText("Model not available", { exact: true }).waitFor();
      await page.getByText(/model_not_found · HTTP 404/).waitFor();
    });
    for (const missing of ["nothing", "x".repeat(80), "%27%3B"])
      await test.step(`${missing.slice(0, 10)} is no call, and the list is linked`, async () => {
        await goTo(page, `/panel/log/${missing}`);
        await page.getByText("This call was not found").waitFor();
        await page.getByRole("link", { name: "Show the newest calls" }).click();
        await page.waitForURL("**/panel/log");
        await page.locator("tbody tr[data-row]").first().waitFor();
      });
  },
);

test(
  "the bodies of a call are shown, copied as a command, and repeated in the playground",
  { tag: "@nightly" },
  async ({ page }) => {
    const token = { name: "Keeps bodies", setting: { log_bodies: true } };
    const keeping = await site.api<{ key: string }>("POST", "/token", token);
    const messages = [
      { role: "system", content: "Answer in one word." },
      { role: "user", content: "It's a question" },
    ];
    const id = await call({ messages, stream: true }, keeping.key);
    const bodies = () => site.api<{ request: string } | null>("GET", `/log/${id}/bodies`);
    await expect.poll(async () => (await bodies())?.request ?? "").toContain("question");
    const calls = async () => (await site.api<LogPage>("GET", "/log?log_type=2&size=1")).total_count ?? 0;
    const before = await calls();
    await page.goto(`/panel/log/${id}`);
    const message = page.getByRole("textbox", { name: "Message" });

    await test.step("they are a conversation", async () => {
      await expect(page.getByRole("list", { name: "Conversation" }).getByRole("listitem")).toHaveText([
        "System promptAnswer in one word.",
        "UserIt's a question",
        /^AssistantResponse\S+/,
      ]);
    });
    await test.step("the command does not contain the key", async () => {
      await page.getByRole("button", { name: "Copy as cURL" }).click();
      await page.getByText("cURL command copied").waitFor();
      const command = await page.evaluate(() => navigator.clipboard.readText());
      expect(command).toContain(`curl '${site.url}/v1/chat/completions'`);
      expect(command).not.toContain(keeping.key);
    });
    await test.step("they are raw text", async () => {
      await page.getByRole("tab", { name: "Raw" }).click();
      await page.locator("pre").filter({ hasText: "chat.completion.chunk" }).waitFor();
    });
    await test.step("the playground opens them without sending them", async () => {
      await page.getByRole("button", { name: "Open in playground" }).click();
      await page.waitForURL("**/panel/playground");
      await expect(message).toHaveValue("It's a question");
      expect(await calls()).toBe(before);
      await page.goBack();
    });
    await test.step("Replay sends them once, and a reload not again", async () => {
      await page.getByRole("button", { name: "Replay" }).click();
      await page.waitForURL("**/panel/playground");
      await page.getByText(/Cost \$0\.000\d+/).waitFor();
      await page.getByText("It's a question").first().waitFor();
      await expect.poll(calls).toBe(before + 1);
      await page.reload();
      await message.waitFor();
      expect(await calls()).toBe(before + 1);
    });
  },
);
