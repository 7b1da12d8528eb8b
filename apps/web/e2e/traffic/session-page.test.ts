import type { LogPage } from "@gateway/shared/usage/log";
import { goTo } from "../support/go-to.ts";
import { expect, test, type Site } from "../support/test.ts";

let site: Site;
const id = "review/42 ä";

test.beforeAll(async ({ site: started }) => {
  site = started;
  const channel = { type: 900, groups: ["default"], models: ["demo-chat"], name: "Channel of the agents" };
  await site.api("POST", "/channel", channel);
  const { key } = await site.api<{ key: string }>("POST", "/token", { name: "Agents" });
  const call = async (headers: Record<string, string>, model = "demo-chat") => {
    const answer = await fetch(`${site.url}/v1/chat/completions`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        ...headers,
      },
      body: JSON.stringify({ model, prompt_cache_key: id, messages: [{ role: "user", content: "hi" }] }),
    });
    await answer.text();
  };
  await call({});
  await call({ "x-claude-code-agent-id": "explore" });
  await call({ "x-claude-code-agent-id": "tests", "x-claude-code-parent-agent-id": "explore" });
  await call({}, "no-such-model");
});

test("the page of a session is linked from a call, and shows agents, models, failures and calls", async ({
  page,
}) => {
  const rows = () => site.api<LogPage>("GET", `/log?session=${encodeURIComponent(id)}`);
  await expect.poll(async () => (await rows()).data.length).toBe(4);

  await test.step("a call links to its session", async () => {
    await page.goto("/panel/log");
    await page.getByText("demo-chat").first().click();
    await page.getByRole("link", { name: id }).first().click();
    await page.waitForURL(/\/panel\/session\/review%2F42/);
    await page.getByRole("heading", { name: id }).waitFor();
  });
  await test.step("the page shows agents as a tree, models, failures and calls", async () => {
    const agents = page.getByRole("region", { name: "Agents" }).getByRole("rowheader");
    await expect(agents).toHaveText(["Main agent", "explore", "tests"]);
    const models = page.getByRole("region", { name: "Models" });
    await models.getByRole("link", { name: "demo-chat" }).waitFor();
    await models.getByRole("rowheader", { name: "no-such-model" }).waitFor();
    // Once more in the list of calls.
    await expect(page.getByText("no-such-model", { exact: true })).toHaveCount(2);
    const reason = page.getByRole("link", { name: "Model not available" });
    await reason.or(page.getByText("model_not_found")).first().waitFor();
    await page
      .getByRole("link", { name: /^\d{4}-\d\d-\d\d/ })
      .first()
      .waitFor();
  });
  await test.step("a session that does not exist is reported", async () => {
    await goTo(page, "/panel/session/nothing");
    await page.getByText("No calls of this session were found").waitFor();
  });
});
