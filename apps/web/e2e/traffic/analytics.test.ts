import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { goTo } from "../support/go-to.ts";
import { expect, test, type Site } from "../support/test.ts";

let site: Site;

test.beforeAll(async ({ site: started }) => {
  site = started;
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

async function downloadOf(page: Page, button: string): Promise<string> {
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: button }).click(),
  ]);
  return readFile(await download.path(), "utf8");
}

test("usage by model is shown as a chart, as a table and as a file", async ({ page }) => {
  await page.goto("/panel/analytics");
  await page.getByText("Charged", { exact: true }).first().waitFor();
  const chart = page.getByRole("slider", { name: "Usage over time" });
  const day = chart.locator("table");

  await test.step("the chart shows the day under the pointer", async () => {
    await expect(chart).toHaveAttribute("aria-valuetext", /demo-think \$/);
    await chart.hover({ position: { x: 90, y: 40 } });
    await day.getByText("$0.00").waitFor();
    await page.mouse.move(0, 0);
    await day.waitFor({ state: "detached" });
  });
  await test.step("the keyboard moves through the days", async () => {
    const days = Number(await chart.getAttribute("aria-valuemax"));
    await chart.focus();
    await page.keyboard.press("End");
    await day.getByText("demo-chat").waitFor();
    await page.keyboard.press("ArrowLeft");
    await expect(chart).toHaveAttribute("aria-valuenow", String(days - 1));
    await page.keyboard.press("Escape");
    await day.waitFor({ state: "detached" });
  });
  await test.step("a click on a bar opens the calls of its day in the log", async () => {
    const { width = 0 } = (await chart.boundingBox()) ?? {};
    await chart.click({ position: { x: width - 30, y: 40 } });
    await page.waitForURL(/\/panel\/log\?range=custom&from=\d+&to=\d+/);
    await page.getByText("demo-chat").first().waitFor();
    await page.goBack();
  });
  await test.step("dragging over several bars opens the calls of their days", async () => {
    const { x = 0, y = 0, width = 0 } = (await chart.boundingBox()) ?? {};
    await page.mouse.move(x + width - 30, y + 40);
    await page.mouse.down();
    await page.mouse.move(x + width / 2, y + 40, { steps: 4 });
    await page.mouse.up();
    await page.waitForURL(/\/panel\/log\?range=custom&from=\d+&to=\d+/);
    const { searchParams } = new URL(page.url());
    const days = (Number(searchParams.get("to")) - Number(searchParams.get("from"))) / 86_400;
    expect(days).toBeGreaterThan(2);
    await page.goBack();
  });
  await test.step("a series of the legend dims the others until it is selected again", async () => {
    const series = page.getByRole("group", { name: "Series" }).getByRole("button", { name: "demo-chat" });
    const dimmed = chart.locator("path[data-dim]");
    await series.click();
    await page.mouse.move(0, 0);
    await expect(series).toHaveAttribute("aria-pressed", "true");
    await expect(dimmed).toHaveCount(1);
    await series.click();
    await series.blur();
    await page.mouse.move(0, 0);
    await expect(dimmed).toHaveCount(0);
  });
  await test.step("the title of a figure opens what it counts", async () => {
    await page.getByRole("button", { name: "Requests", exact: true }).click();
    await page.getByText("A call counts once").waitFor();
    await page.getByText("The previous period of the same length.").waitFor();
    await page.keyboard.press("Escape");
    await page.getByText("A call counts once").waitFor({ state: "detached" });
  });
  await test.step("the table has a row per model, and is named in the address", async () => {
    await page.getByRole("button", { name: "Show as a table" }).click();
    await page.getByRole("button", { name: "Show as a chart" }).waitFor();
    await page.getByRole("rowheader", { name: "demo-think" }).first().waitFor();
    await page.waitForURL(/[?&]view=table/);
  });
  await test.step("the file has a line per model and day", async () => {
    const file = await downloadOf(page, "Export");
    expect(file.split("\r\n")[0]).toContain("date,name,requests,failed,points");
    expect(file).toContain(",demo-chat,1,0,");
  });
  await test.step("statements are missing until the first month has ended", async () => {
    await page.getByRole("tab", { name: "Monthly statements" }).click();
    await page.getByText("No statements yet").waitFor();
  });
});

test(
  "usage is ranked and shown by channel, and narrowed to a user",
  { tag: "@nightly" },
  async ({ page }) => {
    await page.goto("/panel/analytics?view=table");
    await test.step("a link shows the table, which other groupings replace", async () => {
      await page.getByRole("rowheader", { name: "demo-think" }).first().waitFor();
      await page.getByRole("combobox", { name: "Group by" }).click();
      await page.getByRole("option", { name: "By channel" }).click();
      await page.getByRole("rowheader", { name: "Demo upstream" }).first().waitFor();
    });
    await test.step("models are ranked, with a mark of new ones", async () => {
      const models = page.locator("section, .mantine-Card-root").filter({
        has: page.getByRole("heading", { name: "Top models" }),
      });
      await models.getByRole("rowheader", { name: "demo-think" }).waitFor();
      await models.getByText("New", { exact: true }).first().waitFor();
    });
    await test.step("the flow of calls is shown as a picture and as a table", async () => {
      const flow = page.getByRole("region", { name: "Flow of calls" });
      await flow.getByRole("link", { name: /^Channel: Demo upstream, <\$0\.01, 100%$/ }).waitFor();
      await flow.getByRole("link", { name: /^Model: demo-chat/ }).focus();
      await page.getByRole("button", { name: "Show the flow as a table" }).click();
      await page.waitForURL(/[?&]flow=table/);
      await flow.getByRole("link", { name: "Journey" }).first().waitFor();
    });
    await test.step("the calls of a channel are linked to the log", async () => {
      const channels = page.getByRole("region", { name: "Channels in this period" });
      await channels.getByRole("link", { name: "2 calls of Demo upstream" }).click();
      await page.waitForURL(/\/panel\/log\?.*channel_id=1/);
      await page.goBack();
    });
    await test.step("a user and a period without usage are filtered on click", async () => {
      await page.getByRole("button", { name: "root", pressed: false }).click();
      await page.waitForURL(/user=1/);
      const channels = page.getByRole("region", { name: "Channels in this period" });
      await expect(channels.getByRole("link", { name: "2 calls of Demo upstream" })).toHaveAttribute(
        "href",
        /channel_id=1&username=root/,
      );
      await page.getByRole("combobox", { name: "Time" }).click();
      await page.getByRole("option", { name: "Last month" }).click();
      await page.getByRole("heading", { name: "Usage over time" }).waitFor();
      await page.getByText("Choose a longer period or another user.").waitFor();
    });
  },
);

test(
  "model descriptions are added, imported, shown with the prices, and deleted",
  { tag: "@nightly" },
  async ({ page }) => {
    await page.goto("/panel/model_info?keyword=demo");
    const row = page.locator("tbody tr").filter({ hasText: "demo-ours" });
    const dialog = page.getByRole("dialog");

    await test.step("a description needs the name of its model", async () => {
      await page.getByText("Demo thinker").waitFor();
      await page.getByRole("button", { name: "Add description" }).click();
      await dialog.getByRole("textbox", { name: "Name" }).fill("A model of ours");
      await dialog.getByRole("button", { name: "Save" }).click();
      await dialog.getByText("Model name is required").first().waitFor();
      await dialog
        .getByLabel(/^Model/)
        .first()
        .fill("demo-ours");
      await dialog.getByRole("button", { name: "Save" }).click();
      await row.getByText("A model of ours").waitFor();
    });
    await test.step("a description is deleted after confirmation", async () => {
      await row.hover();
      await row.getByRole("button", { name: "Delete" }).click();
      await dialog.getByRole("button", { name: "Delete" }).click();
      await row.waitFor({ state: "detached" });
    });
    await test.step("the import of a pasted list reports errors in it", async () => {
      await page.getByRole("button", { name: "Import" }).first().click();
      await dialog.getByText("JSON", { exact: true }).click();
      const list = dialog.getByRole("textbox");
      const send = dialog.getByRole("button", { name: "Import" });
      await list.fill("[{");
      await send.click();
      await dialog.getByText("Must be a valid JSON string").first().waitFor();
      await list.fill('[{"model":"pasted-model","context_length":"many"}]');
      await send.click();
      await dialog.getByRole("alert").waitFor();
      await list.fill('[{"model":"pasted-model","context_length":1000}]');
      await send.click();
      await page.getByText("1 added, 0 replaced, 0 kept").waitFor();
    });
    await test.step("the page of a model's prices shows its description", async () => {
      await goTo(page, "/panel/model_price/demo-think");
      await page.getByText("Like the demo chat, with visible reasoning.").waitFor();
    });
  },
);
