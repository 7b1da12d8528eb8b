import type { LogPage } from "@gateway/shared/usage/log";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSite, type Site } from "../support/site.ts";

let site: Site;
const id = "review/42 ä";

beforeAll(async () => {
  site = await openSite();
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
afterAll(() => site.close());

describe("the page of a session", () => {
  it("is linked from a call, and shows agents as a tree, models, failures and calls", async () => {
    const found = () => site.api<LogPage>("GET", `/log?session=${encodeURIComponent(id)}`);
    await expect.poll(async () => (await found()).data.length).toBe(4);
    const page = await site.open("/panel/log");
    await page.getByText("demo-chat").first().click();
    await page.getByRole("link", { name: id }).first().click();
    await page.waitForURL(/\/panel\/session\/review%2F42/);
    await page.getByRole("heading", { name: id }).waitFor();
    const rows = page.getByRole("region", { name: "Agents" }).getByRole("rowheader");
    await expect.poll(() => rows.allTextContents()).toEqual(["Main agent", "explore", "tests"]);
    await page.getByRole("region", { name: "Models" }).getByRole("link", { name: "demo-chat" }).waitFor();
    await page
      .getByRole("link", { name: "Model not available" })
      .or(page.getByText("model_not_found"))
      .first()
      .waitFor();
    await page
      .getByRole("link", { name: /^\d{4}-\d\d-\d\d/ })
      .first()
      .waitFor();
    await page.setViewportSize({ width: 820, height: 1000 });
    const calls = page.getByRole("region", { name: "Calls", exact: true });
    await expect.poll(() => calls.evaluate((box) => box.scrollWidth - box.clientWidth)).toBe(0);
  });

  it("says that a session was not found, on a phone too", async () => {
    const page = await site.open("/panel/session/nothing", { phone: true });
    await page.getByText("No calls of this session were found").waitFor();
    await page.goto(`${site.url}/panel/session/${encodeURIComponent(id)}`);
    await page.getByRole("heading", { name: id }).waitFor();
    const agents = page.getByRole("region", { name: "Agents" });
    await agents.getByRole("rowheader", { name: "explore" }).waitFor();
    expect(await agents.evaluate((table) => table.scrollWidth - table.clientWidth)).toBe(0);
    const models = page.getByRole("region", { name: "Models" });
    await models.getByRole("rowheader", { name: "no-such-model" }).waitFor();
    // Once more in the list of calls.
    await expect.poll(() => page.getByText("no-such-model", { exact: true }).count()).toBe(2);
    // Names have space beside the figures, and all of the figures are visible.
    const row = await models.getByRole("rowheader", { name: "demo-chat" }).boundingBox();
    expect(row?.width).toBeGreaterThan(75);
    expect(await models.evaluate((table) => table.scrollWidth - table.clientWidth)).toBe(0);
  });
});
