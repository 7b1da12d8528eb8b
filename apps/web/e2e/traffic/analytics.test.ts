import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openSite, type Site } from "../support/site.ts";

let site: Site;

beforeAll(async () => {
  site = await openSite();
  await site.api("POST", "/channel", {
    type: 900,
    name: "Demo upstream",
    models: ["demo-chat", "demo-think"],
    groups: ["default"],
  });
  const { key } = await site.api<{ key: string }>("POST", "/token", { name: "Journey" });
  for (const model of ["demo-chat", "demo-think"]) {
    const answer = await fetch(`${site.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model, messages: [{ role: "user", content: "Hello" }] }),
    });
    await answer.text();
  }
});
afterAll(() => site.close());

async function downloadOf(page: Page, button: string): Promise<string> {
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: button }).click(),
  ]);
  return readFile(await download.path(), "utf8");
}

it("shows usage by model as a chart, a table and a file; the address keeps the view", async () => {
  const page = await site.open("/panel/analytics");
  await page.getByText("Spend", { exact: true }).first().waitFor();
  await page.getByText("demo-chat").first().waitFor();
  await page.getByRole("button", { name: "Show as a table" }).click();
  await page.getByRole("button", { name: "Show as a chart" }).waitFor();
  await page.getByRole("rowheader", { name: "demo-think" }).first().waitFor();
  await expect.poll(() => new URL(page.url()).searchParams.get("view")).toBe("table");
  const file = await downloadOf(page, "Export");
  expect(file.split("\r\n")[0]).toContain("date,name,requests,failed,points");
  expect(file).toContain(",demo-chat,1,0,");

  await page.reload();
  await page.getByRole("rowheader", { name: "demo-think" }).first().waitFor();
  await page.getByRole("combobox", { name: "Group by" }).click();
  await page.getByRole("option", { name: "By channel" }).click();
  await page.getByRole("rowheader", { name: "Demo upstream" }).first().waitFor();
});

it("shows a day of the chart under the pointer, and to keyboard users", async () => {
  const page = await site.open("/panel/analytics");
  const chart = page.getByRole("slider", { name: "Usage over time" });
  await chart.waitFor();
  const days = Number(await chart.getAttribute("aria-valuemax"));
  await expect.poll(() => chart.getAttribute("aria-valuetext")).toContain("demo-think $");

  await chart.hover({ position: { x: 90, y: 40 } });
  const table = chart.locator("table");
  await table.getByText("$0.00").waitFor();
  await page.mouse.move(0, 0);
  await table.waitFor({ state: "detached" });

  await chart.focus();
  await page.keyboard.press("End");
  await table.getByText("demo-chat").waitFor();
  await page.keyboard.press("ArrowLeft");
  await expect.poll(() => chart.getAttribute("aria-valuenow")).toBe(String(days - 1));
  await page.keyboard.press("Escape");
  await table.waitFor({ state: "detached" });
});

it("filters by a user on click, and shows when there is no usage", async () => {
  const page = await site.open("/panel/analytics");
  await page.getByRole("button", { name: "root", pressed: false }).click();
  await page.waitForURL(/user=1/);
  await page.getByRole("combobox", { name: "Time" }).click();
  await page.getByRole("option", { name: "Last month" }).click();
  await page.getByRole("heading", { name: "Usage over time" }).waitFor();
  await page.getByText("Choose a longer period or another user.").waitFor();
});

it("waits for the end of the first month", async () => {
  const page = await site.open("/panel/analytics?tab=statements", { phone: true });
  await page.getByText("No statements yet").waitFor();
});

it("describes a model, shows it in the price list, and deletes the description", async () => {
  const page = await site.open("/panel/model_info?keyword=demo");
  await page.getByText("Demo thinker").waitFor();
  await page.getByRole("button", { name: "Add description" }).click();
  const form = page.getByRole("dialog");
  await form.getByRole("textbox", { name: "Name" }).fill("A model of ours");
  await form.getByRole("button", { name: "Save" }).click();
  await form.getByText("Model name is required").first().waitFor();
  await form
    .getByLabel(/^Model/)
    .first()
    .fill("demo-ours");
  await form.getByRole("button", { name: "Save" }).click();
  await page.getByText("A model of ours").waitFor();

  const prices = await site.open("/panel/model_price/demo-think");
  await prices.getByText("Like the demo chat, with visible reasoning.").waitFor();

  const row = page.locator("tbody tr").filter({ hasText: "demo-ours" });
  await row.hover();
  await row.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await row.waitFor({ state: "detached" });
});

it("has a model catalog that fits into 820 px, with inputs in two lines", async () => {
  const page = await site.open("/404");
  await page.setViewportSize({ width: 820, height: 1000 });
  await page.goto("/panel/model_info?size=100");
  await page.locator("tbody tr[data-row]").first().waitFor();
  const table = page.getByRole("region", { name: "Model catalog" });
  const [inside, outside] = await table.evaluate((box) => [box.scrollWidth, box.clientWidth]);
  expect(inside).toBeLessThanOrEqual(outside ?? 0);
});

it("imports a pasted list, and reports errors in one", async () => {
  const page = await site.open("/panel/model_info", { phone: true });
  await page.getByRole("button", { name: "Import" }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("JSON", { exact: true }).click();
  await dialog.getByRole("textbox").fill("[{");
  await dialog.getByRole("button", { name: "Import" }).click();
  await dialog.getByText("Enter valid JSON").waitFor();
  await dialog.getByRole("textbox").fill('[{"model":"pasted-model","context_length":"many"}]');
  await dialog.getByRole("button", { name: "Import" }).click();
  await dialog.getByRole("alert").waitFor();
  await dialog.getByRole("textbox").fill('[{"model":"pasted-model","context_length":1000}]');
  await dialog.getByRole("button", { name: "Import" }).click();
  await page.getByText("1 added, 0 replaced, 0 kept").waitFor();
});

it("ranks models and users, shows calls by channel, and links to them in the log", async () => {
  const page = await site.open("/panel/analytics");
  const models = page.locator("section, .mantine-Card-root").filter({
    has: page.getByRole("heading", { name: "Top models" }),
  });
  await models.getByRole("rowheader", { name: "demo-think" }).waitFor();
  await models.getByText("New", { exact: true }).first().waitFor();
  const flow = page.getByRole("region", { name: "Flow of calls" });
  await flow.getByRole("link", { name: /^Channel: Demo upstream, <\$0\.01, 100%$/ }).waitFor();
  await flow.getByRole("link", { name: /^Model: demo-chat/ }).focus();
  const table = page.getByRole("button", { name: "Show the flow as a table" });
  await table.click();
  await expect.poll(() => new URL(page.url()).searchParams.get("flow")).toBe("table");
  await flow.getByRole("link", { name: "Journey" }).first().waitFor();
  const channels = page.getByRole("region", { name: "Channels in this period" });
  await channels.getByRole("link", { name: "2 calls of Demo upstream" }).click();
  await page.waitForURL(/\/panel\/log\?.*channel_id=1/);
});

it("shows the month of the statements in full on a phone", async () => {
  const page = await site.open("about:blank", { phone: true });
  const data = [{ date: "2026-10-01", closed_at: 1_795_000_000, users: 0, quota: 0 }];
  await page.route("**/api/analytics/statements", (route) =>
    route.fulfill({ json: { success: true, message: "", data } }),
  );
  await page.goto("/panel/analytics?tab=statements");
  const month = page.getByRole("combobox", { name: "Month" });
  await expect.poll(() => month.inputValue()).toBe("2026-10");
  expect(await month.evaluate((input) => input.scrollWidth - input.clientWidth)).toBe(0);
});
