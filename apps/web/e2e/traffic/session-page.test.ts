import type { LogPage } from "@gateway/shared/usage/log";
import { connect } from "../../../server/src/platform/database/db.ts";
import { faults } from "../support/faults.ts";
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
    await page.getByRole("heading", { name: /^demo-chat · / }).waitFor();
    await page.getByText(id, { exact: true }).waitFor();
  });
  await test.step("the page shows agents as a tree, models, failures and calls", async () => {
    const agents = page.getByRole("region", { name: "Agents" }).getByRole("rowheader");
    await expect(agents).toHaveText(["Main agent", "explore", "tests"]);
    const models = page.getByRole("region", { name: "Models" });
    await models.getByRole("link", { name: "demo-chat" }).waitFor();
    await models.getByRole("rowheader", { name: "no-such-model" }).waitFor();
    // Once more in the story.
    await expect(page.getByText("no-such-model", { exact: true })).toHaveCount(2);
    const reason = page.getByRole("link", { name: "Model not available" });
    await reason.or(page.getByText("model_not_found")).first().waitFor();
  });
  await test.step("the story has the calls in order, in the tracks of their agents, and is walked with keys", async () => {
    const rows = page.getByRole("table", { name: "Calls" }).locator("[data-row]");
    await expect(rows).toHaveCount(4);
    await expect(rows.nth(0)).toContainText("Main agent");
    await expect(rows.nth(1)).toContainText("explore");
    await expect(rows.nth(2)).toContainText("tests");
    await expect(rows.nth(3)).toContainText("Model not available");
    await page.getByRole("img", { name: /^Cost over time/ }).waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await expect(rows.nth(1)).toBeFocused();
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/panel\/log\//);
    await page.goBack();
  });
  await test.step("the list in the menu has the session", async () => {
    await page.getByRole("navigation").getByRole("link", { name: "Sessions" }).click();
    await page.getByRole("link", { name: /^demo-chat · Agents/ }).waitFor();
    await expect(page.getByRole("row", { name: /demo-chat · Agents/ })).toContainText("3");
  });
  await test.step("a session that does not exist is reported", async () => {
    await goTo(page, "/panel/session/nothing");
    await page.getByText("No calls of this session were found").waitFor();
  });
});

test(
  "a session of a token that stores requests has the first question as its title, and its tools",
  { tag: "@nightly" },
  async ({ page }) => {
    const { key } = await site.api<{ key: string }>("POST", "/token", {
      name: "Storing",
      setting: { log_bodies: true },
    });
    const tools = [
      { type: "function", function: { name: "get_weather", parameters: { type: "object", properties: {} } } },
    ];
    const answer = await fetch(`${site.url}/v1/chat/completions`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        "x-session-id": "stored",
      },
      body: JSON.stringify({
        model: "demo-chat",
        tools,
        tool_choice: "required",
        messages: [{ role: "user", content: "How is the weather in Lisbon?" }],
      }),
    });
    expect(await answer.text()).toContain("get_weather");
    await expect
      .poll(async () => (await site.api<LogPage>("GET", "/log?session=stored")).data.length)
      .toBe(1);
    await page.goto("/panel/session");
    await page.getByRole("link", { name: "How is the weather in Lisbon?" }).click();
    await page.getByRole("heading", { name: "How is the weather in Lisbon?" }).waitFor();
    await expect(page.locator("[data-row]")).toContainText("get_weather");
  },
);

test(
  "a session of 5,000 calls shows all of them, and draws only the visible ones",
  { tag: "@nightly" },
  async ({ page }) => {
    const database = connect(site.databaseUrl, { max: 1 });
    await database.pool.query(
      `INSERT INTO request_logs (created_at, request_id, type, user_id, username, token_name, model_name, "group", outcome,
       status, content, quota, prompt_tokens, completion_tokens, attempts, session, request_time)
     SELECT now() - (5000 - n) * interval '4 seconds', 'long-' || n, CASE WHEN n % 50 = 0 THEN 5 ELSE 2 END, id, username,
       'Agents', 'demo-chat', 'default', CASE WHEN n % 50 = 0 THEN 'failed' ELSE 'complete' END,
       CASE WHEN n % 50 = 0 THEN 500 ELSE 200 END, '', CASE WHEN n % 50 = 0 THEN 0 ELSE 100 END, 2000, 40, '[]',
       jsonb_build_object('id', 'long', 'agent', CASE WHEN n % 3 = 0 THEN '' ELSE 'agent-' || n % 12 END), 900
       FROM generate_series(1, 5000) n, users WHERE username = 'root'`,
    );
    await database.close();
    await page.goto("/panel/session/long");
    const rows = page.getByRole("table", { name: "Calls" }).locator("[data-row]");
    await rows.first().waitFor();
    await expect(page.getByRole("img", { name: /^Cost over time/ })).toHaveAccessibleName(/5,000 calls/);
    await expect(page.getByText("The story has the newest 5,000 calls.")).toHaveCount(0);
    expect(await rows.count()).toBeLessThan(100);
    expect(await faults(page)).toEqual([]);
  },
);
