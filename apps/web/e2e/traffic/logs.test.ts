import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSite, type Site } from "../support/site.ts";

let site: Site;
let key = "";

beforeAll(async () => {
  site = await openSite();
  const channel = { type: 900, groups: ["default"] };
  await site.api("POST", "/channel", {
    ...channel,
    name: "Demo upstream",
    models: ["demo-chat", "demo-chat-mini"],
  });
  await site.api("POST", "/channel", {
    ...channel,
    name: "Broken upstream",
    key: "demo-fail-500",
    models: ["demo-chat-mini"],
    priority: 10,
  });
  ({ key } = await site.api<{ key: string }>("POST", "/token", { name: "Journey" }));
});
afterAll(() => site.close());

async function ask(text: string, more: object = {}): Promise<number> {
  const answer = await fetch(`${site.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({
      model: "demo-chat",
      messages: [{ role: "user", content: text }],
      ...more,
    }),
  });
  await answer.text();
  return answer.status;
}

/** Waits for a row. The log is written after the response, so the screen can load before its row exists. */
async function waitForRow(page: Page, text: string | RegExp) {
  const row = page.locator("tbody tr").filter({ hasText: text }).first();
  for (let round = 0; round < 20 && (await row.count()) === 0; round += 1) {
    await page.getByRole("button", { name: "Refresh" }).click();
    await page.waitForTimeout(250);
  }
  await row.waitFor();
  return row;
}

function details(page: Page) {
  return page.getByRole("dialog");
}

it("shows a user without calls how to make the first one", async () => {
  // The opening balance is an entry, too. The hint is for an empty list.
  const page = await site.open("/panel/log?range=custom&from=1&to=2");
  await page.getByText("No calls yet").waitFor();
  await expect.poll(() => page.locator("pre").textContent()).toContain(`${site.url}/v1/chat/completions`);
});

describe("a call in the log", () => {
  it("shows its tokens and its cost, and explains the exact charge", async () => {
    // 3,000 × 0.5 + 9,000 × 0.05 + 801 × 1.5 = 3,151.5 points
    // The prompt is long, because usage far beyond the request's own tokens is not billed.
    const prompt = `[[input=12000]] [[cached=9000]] [[output=801]] ${"hi ".repeat(4_000)}`;
    expect(await ask(prompt)).toBe(200);
    const page = await site.open("/panel/log");
    const row = await waitForRow(page, "12,000");
    await row.getByTitle("$0.006304").waitFor();
    await expect.poll(() => row.textContent()).toContain("75% cached");
    await row.getByRole("img", { name: "Complete" }).waitFor();

    await row.click();
    const lines = details(page).getByRole("table", { name: "Cost" }).locator("tr");
    await expect
      .poll(() => lines.allTextContents())
      .toEqual([
        "ItemAmountPriceCost",
        "Input3,000 tokens$1.00 / 1M$0.003000",
        "Cache read9,000 tokens$0.10 / 1M$0.000900",
        "Output801 tokens$3.00 / 1M$0.002403",
        "Rounded up$0.000001",
        "Charged$0.006304",
      ]);
    await details(page).getByRole("button", { name: "Show the calculation" }).click();
    const bill = details(page).getByRole("table").last();
    await expect
      .poll(() => bill.locator("tr").allTextContents())
      .toEqual([
        "ItemAmountPricePoints",
        "Input3,000$1.00 / 1M× 0.51,500.0",
        "Cache read9,000$0.10 / 1M× 0.05450.0",
        "Output801$3.00 / 1M× 1.51,201.5",
        "Exact sum3,151.5",
        "Rounded up3,152",
        "Charged$0.006304",
      ]);
    await details(page).getByText("Attempts", { exact: true }).waitFor();
    await details(page).getByRole("button", { name: "Copy Request ID" }).click();
    await page.getByText("Request ID copied").waitFor();
    const id = await page.evaluate(() => navigator.clipboard.readText());
    await page.keyboard.press("Escape");

    await page.goto(`/panel/log?request_id=${id}`);
    await page.getByText("1 row shown").waitFor();
    const totals = page.getByLabel("Totals");
    await totals.getByText("$0.01", { exact: true }).waitFor();
    await totals.getByTitle("$0.006304").waitFor();
    await totals.getByText("12,000").waitFor();
  });

  it("shows which channel failed before the one that succeeded", async () => {
    expect(await ask("hello", { model: "demo-chat-mini" })).toBe(200);
    const page = await site.open("/panel/log");
    await (await waitForRow(page, "demo-chat-mini")).click();
    await expect
      .poll(() => details(page).getByRole("listitem").allTextContents())
      .toEqual([
        expect.stringMatching(/Broken upstream.*Provider error.*priority 10 · HTTP 500/),
        expect.stringMatching(/Demo upstream.*Succeeded/),
      ]);
    await expect.poll(() => details(page).getByRole("link", { name: "Broken upstream" }).count()).toBe(1);
  });

  it("marks tokens that the gateway counted", async () => {
    expect(await ask("[[no-usage]] count for yourself")).toBe(200);
    const page = await site.open("/panel/log");
    await (await waitForRow(page, "≈")).click();
    await details(page)
      .getByText("The provider reported no usage. The gateway counted the tokens.")
      .waitFor();
  });

  it("is listed under Failed with its reason when it failed, and costs nothing", async () => {
    expect(await ask("hello", { model: "no-such-model" })).toBe(404);
    const page = await site.open("/panel/log");
    await page.getByRole("tab", { name: "Failed" }).click();
    await page.waitForURL("**/log?log_type=5");
    const row = await waitForRow(page, "no-such-model");
    await expect.poll(() => row.textContent()).toContain("404");
    await expect.poll(() => row.textContent()).not.toContain("$");
    await row.click();
    await details(page).getByText("model_not_found").waitFor();
    await details(page).getByText("The call failed and was not charged.").waitFor();
  });
});

describe("the list", () => {
  it("keeps its filters after a reload and clears them with one click", async () => {
    await ask("hello");
    const page = await site.open("/panel/log");
    await waitForRow(page, "demo-chat");
    await page.getByRole("button", { name: "Model: all" }).click();
    await page.getByRole("option", { name: /^demo-chat\s*\d*$/ }).click();
    await page.getByRole("combobox", { name: "Time" }).click();
    await page.getByRole("option", { name: "Today" }).click();
    await page.waitForURL("**/log?model_name=demo-chat&range=today");
    await page.reload();
    await waitForRow(page, "demo-chat");
    await page.getByRole("button", { name: "Model: demo-chat" }).waitFor();
    await expect.poll(() => page.getByRole("combobox", { name: "Time" }).inputValue()).toBe("Today");
    const models = page.locator("tbody tr td:nth-child(3)");
    await expect.poll(async () => new Set(await models.allTextContents())).toEqual(new Set(["demo-chat"]));

    await page.getByRole("button", { name: "Clear filters" }).click();
    await page.waitForURL("**/log?range=today");
  });

  it("shows when nothing matches, and how to clear the filters", async () => {
    const page = await site.open("/panel/log?token_name=nobody");
    await page.getByText("No results").waitFor();
    await page.getByRole("button", { name: "Clear filters" }).last().click();
    await waitForRow(page, "demo-chat");
  });

  it("stores the chosen columns", async () => {
    const page = await site.open("/panel/log");
    await waitForRow(page, "demo-chat");
    await page.getByRole("button", { name: "Columns" }).click();
    await page.getByRole("checkbox", { name: "Source IP" }).click();
    await page.reload();
    await page.getByRole("columnheader", { name: "Source IP" }).waitFor();
    await page.getByRole("cell", { name: "127.0.0.1" }).first().waitFor();
  });

  it("loads more rows on demand and counts all rows in the totals", async () => {
    for (let round = 0; round < 12; round += 1) await ask(`call ${round}`);
    const page = await site.open("/panel/log?log_type=2&size=10");
    await page.getByText("10 rows shown").waitFor();
    await page.getByRole("button", { name: "Load more" }).click();
    await page.locator("tbody tr").nth(10).waitFor();
    const rows = await page.locator("tbody tr").count();
    const entries = page.getByLabel("Totals").locator("dd").first();
    await expect.poll(async () => Number(await entries.textContent())).toBeGreaterThanOrEqual(rows);
  });

  it("is sorted by its headers with mouse and keyboard, keeps the order in the address and in further rows", async () => {
    const page = await site.open("/panel/log?log_type=2&size=10");
    const header = (name: string) => page.getByRole("columnheader", { name });
    const costs = async () =>
      (await page.locator("tbody tr td:last-child").allTextContents()).map((text) =>
        Number(text.replace(/[^\d.]/g, "")),
      );
    await header("Cost").getByRole("button").click();
    await page.waitForURL(/[?&]order=-quota(&|$)/);
    await expect.poll(() => header("Cost").getAttribute("aria-sort")).toBe("descending");
    await page.reload();
    await expect.poll(() => header("Cost").getAttribute("aria-sort")).toBe("descending");
    await page.getByRole("button", { name: "Load more" }).click();
    await page.locator("tbody tr").nth(10).waitFor();
    const shown = await costs();
    expect(shown.length).toBeGreaterThan(10);
    expect(shown).toEqual(shown.toSorted((left, right) => right - left));
    await page.keyboard.press("Escape");
    await header("Cost").getByRole("button").focus();
    await page.keyboard.press("Enter");
    await page.waitForURL(/[?&]order=quota(&|$)/);
    await expect.poll(() => header("Cost").getAttribute("aria-sort")).toBe("ascending");
    await header("Cost").getByRole("button").click();
    await expect.poll(() => page.url()).not.toContain("order=");
    await page.getByText("10 rows shown").waitFor();
  });

  it("is sorted by a menu on a phone", async () => {
    const page = await site.open("/panel/log?log_type=2", { phone: true });
    await page.getByRole("button", { name: "Sort by" }).click();
    const cost = page.getByRole("menuitem", { name: "Cost" });
    await cost.click();
    await page.waitForURL(/[?&]order=-quota(&|$)/);
    // A second quick click is based on the first one, not on what has been rendered.
    await cost.evaluate(async (item: HTMLElement) => {
      item.click();
      await Promise.resolve();
      item.click();
    });
    await page.waitForURL((address) => !address.searchParams.has("order"));
  });

  it("exports the rows that match the filter", async () => {
    const page = await site.open("/panel/log?log_type=5");
    await waitForRow(page, "no-such-model");
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export" }).click();
    const file = await (await download).path();
    const [head = "", ...rows] = (await readFile(file, "utf8")).split("\r\n");
    expect(head).toContain("time,request_id,type,username");
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.every((row) => row.includes(",failed,"))).toBe(true);
  });

  it("is filtered by a channel that the server finds by its name", async () => {
    const shelf = { type: 900, key: "demo", groups: ["default"], models: ["shelf"], status: 2 };
    const channels = Array.from({ length: 100 }, (_, n) => ({ ...shelf, name: `Shelf ${n + 1}` }));
    await site.api("POST", "/channel/import", { channels });
    const page = await site.open("/panel/log");
    await page.getByRole("button", { name: "Channel: all" }).click();
    await page.getByRole("textbox", { name: "Channel" }).fill("shelf 100");
    await page.getByRole("option", { name: /Shelf 100$/ }).click();
    await page.waitForURL(/channel_id=\d+/);
    await page.reload();
    await page.getByRole("button", { name: /^Channel: \d+ · Shelf 100$/ }).waitFor();
    await page.getByRole("button", { name: "Clear filters" }).first().click();
    await page.getByRole("button", { name: "Channel: all" }).waitFor();
  });

  it("shows which of its parts could not be loaded, and reloads them", async () => {
    const page = await site.open("/404");
    const parts = /\/api\/log\/([^/]+\/bodies|stat)/;
    await page.route(parts, (route) =>
      route.fulfill({ status: 409, json: { success: false, message: "Not now.", code: "conflict" } }),
    );
    await page.goto("/panel/log");
    await waitForRow(page, "demo-chat");
    const entries = page.getByLabel("Totals").locator("dd").first();
    await expect.poll(() => entries.textContent()).toBe("–");
    await page.locator("tbody tr", { hasText: "demo-chat" }).first().click();
    await details(page).getByText("This could not be loaded").waitFor();
    await page.unroute(parts);
    await details(page).getByRole("button", { name: "Try again" }).click();
    await expect.poll(() => details(page).getByText("This could not be loaded").count()).toBe(0);
    await details(page).getByRole("heading", { name: "Details", exact: true }).waitFor();
  });

  it("shows users their own calls only, without channels", async () => {
    const page = await site.open("/panel/log?view=own");
    await waitForRow(page, "demo-chat");
    await expect.poll(() => page.getByRole("columnheader", { name: "Channel" }).count()).toBe(0);
    await page.locator("tbody tr[data-row]").first().click();
    await details(page).getByRole("heading", { name: "Details", exact: true }).waitFor();
    await expect.poll(() => details(page).getByText("Attempts", { exact: true }).count()).toBe(0);
  });

  it("has the texts of a row at one height", async () => {
    const page = await site.open("/panel/log?view=own");
    await waitForRow(page, "demo-chat");
    const spreads = await page.evaluate(() => {
      const topsOf = (row: HTMLElement) => {
        const texts = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
        const tops: number[] = [];
        while (texts.nextNode()) {
          const range = document.createRange();
          range.selectNode(texts.currentNode);
          tops.push(...[...range.getClientRects()].map(({ top }) => top));
        }
        return tops;
      };
      return [...document.querySelectorAll<HTMLElement>("tbody tr[data-row]")]
        .map(topsOf)
        .map((tops) => Math.max(...tops) - Math.min(...tops));
    });
    // A cell of two lines has them 10 px apart.
    const single = spreads.filter((spread) => spread < 5);
    expect(single.length).toBeGreaterThan(0);
    expect(Math.max(...single)).toBeLessThanOrEqual(0.5);
  });

  it("has rows of two lines on a phone, and its filters in a sheet", async () => {
    const page = await site.open("/panel/log?log_type=2", { phone: true });
    const card = page.getByRole("list", { name: "Logs" }).getByRole("listitem").first();
    await card.waitFor();
    expect((await card.boundingBox())?.height).toBeLessThanOrEqual(110);
    await expect.poll(() => card.textContent()).toMatch(/demo-chat.*\$0\.\d{6}/);
    await expect
      .poll(() => page.evaluate(() => document.documentElement.scrollWidth))
      .toBeLessThanOrEqual(390);
    await card.click();
    await details(page).getByRole("heading", { name: "Bill", exact: true }).waitFor();
    await details(page).getByRole("button", { name: "Close" }).click();
    await page.getByRole("button", { name: "Filters" }).click();
    await details(page).getByPlaceholder("Source IP").fill("127.0.0.1");
    await page.keyboard.press("Enter");
    await page.waitForURL(/source_ip=127\.0\.0\.1/);
    await details(page).getByRole("button", { name: "Show results" }).click();
    await card.waitFor();
  });
});
