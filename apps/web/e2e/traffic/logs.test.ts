import { readFile } from "node:fs/promises";
import type { LogPage } from "@gateway/shared/usage/log";
import type { Page } from "@playwright/test";
import { expect, test, type Site } from "../support/test.ts";

let site: Site;
let key = "";

test.beforeAll(async ({ site: started }) => {
  site = started;
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

/** Makes a call and waits for its log row. Returns its request id. */
async function ask(text: string, status = 200, model = "demo-chat"): Promise<string> {
  const answer = await fetch(`${site.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model, messages: [{ role: "user", content: text }] }),
  });
  await answer.text();
  expect(answer.status).toBe(status);
  const id = answer.headers.get("x-request-id") ?? "";
  const rows = () => site.api<LogPage>("GET", `/log?request_id=${id}`);
  await expect.poll(async () => (await rows()).data.length).toBe(1);
  return id;
}

const rowOf = (page: Page, text: string) => page.locator("tbody tr").filter({ hasText: text }).first();
const details = (page: Page) => page.getByRole("dialog");

// The first test of the file: the hint is for an account without calls.
test(
  "the log shows how to make the first call, and keeps its filters and columns after a reload",
  { tag: "@nightly" },
  async ({ page }) => {
    const time = page.getByRole("combobox", { name: "Time" });
    const models = page.locator("tbody tr td:nth-child(3)");
    const onlyDemoChat = async () => {
      await rowOf(page, "demo-chat").waitFor();
      await expect.poll(async () => new Set(await models.allTextContents())).toEqual(new Set(["demo-chat"]));
    };
    await test.step("an empty log shows the command of a first call", async () => {
      // The opening balance is an entry, too. The hint is for an empty list.
      await page.goto("/panel/log?range=custom&from=1&to=2");
      await page.getByText("No calls yet").waitFor();
      await expect(page.locator("pre")).toContainText(`${site.url}/v1/chat/completions`);
    });
    await test.step("model, time and columns are chosen", async () => {
      await ask("hello");
      await time.click();
      await page.getByRole("option", { name: "Today" }).click();
      await rowOf(page, "demo-chat").waitFor();
      await page.getByRole("button", { name: "Model: all" }).click();
      await page.getByRole("option", { name: /^demo-chat\s*\d*$/ }).click();
      await page.waitForURL("**/log?range=today&model_name=demo-chat");
      await onlyDemoChat();
      await page.getByRole("button", { name: "Display" }).click();
      await page.getByRole("checkbox", { name: "Source IP" }).click();
    });
    await test.step("a reload keeps them", async () => {
      await page.reload();
      await onlyDemoChat();
      await page.getByRole("button", { name: "Model: demo-chat" }).waitFor();
      await expect(time).toHaveValue("Today");
      await page.getByRole("cell", { name: "127.0.0.1" }).first().waitFor();
    });
    await test.step("one click clears the filters, but not the time", async () => {
      await page.getByRole("button", { name: "Clear filters" }).click();
      await page.waitForURL("**/log?range=today");
    });
    await test.step("the server finds a channel by its name", async () => {
      const channel = { type: 900, groups: ["default"], models: ["unused"] };
      await site.api("POST", "/channel", { ...channel, name: "Channel without calls" });
      await page.getByRole("button", { name: "Channel: all" }).click();
      await page.getByRole("textbox", { name: "Channel" }).fill("without");
      await page.getByRole("option", { name: /Channel without calls$/ }).click();
      await page.waitForURL(/channel_id=\d+/);
      await page.getByRole("button", { name: /^Channel: \d+ · Channel without calls$/ }).waitFor();
    });
  },
);

test("a call shows its tokens and its cost, and explains the exact charge", async ({ page }) => {
  // 3,000 × 0.5 + 9,000 × 0.05 + 801 × 1.5 = 3,151.5 points
  // The prompt is long, because usage far beyond the request's own tokens is not billed.
  const id = await ask(`[[input=12000]] [[cached=9000]] [[output=801]] ${"hi ".repeat(4_000)}`);
  await page.goto("/panel/log");
  const row = rowOf(page, "12,000");

  await test.step("the row has tokens, the share of the cache and the cost", async () => {
    await row.getByTitle("$0.006304").waitFor();
    await expect(row).toContainText("75% cached");
    await row.getByRole("img", { name: "Complete" }).waitFor();
  });
  await test.step("the bill has a line per kind of token", async () => {
    await row.click();
    await expect(details(page).getByRole("table", { name: "Cost" }).locator("tr")).toHaveText([
      "ItemAmountPriceCost",
      "Input3,000 tokens$1.00 / 1M$0.003000",
      "Cache read9,000 tokens$0.10 / 1M$0.000900",
      "Output801 tokens$3.00 / 1M$0.002403",
      "Rounded up$0.000001",
      "Charged$0.006304",
    ]);
  });
  await test.step("the calculation is exact", async () => {
    await details(page).getByRole("button", { name: "Show the calculation" }).click();
    await expect(details(page).getByRole("table").last().locator("tr")).toHaveText([
      "ItemAmountPricePoints",
      "Input3,000$1.00 / 1M× 0.51,500.0",
      "Cache read9,000$0.10 / 1M× 0.05450.0",
      "Output801$3.00 / 1M× 1.51,201.5",
      "Exact sum3,151.5",
      "Rounded up3,152",
      "Charged$0.006304",
    ]);
    await details(page).getByText("Route", { exact: true }).waitFor();
  });
  await test.step("the totals are those of the call when the list is filtered by its copied id", async () => {
    await details(page).getByRole("button", { name: "Copy Request ID" }).click();
    await page.getByText("Request ID copied").waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(id);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "More", exact: true }).click();
    await page.getByPlaceholder("Request ID").fill(id);
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/panel/log?request_id=${id}`);
    await page.getByText("1 row shown").waitFor();
    const totals = page.getByLabel("Totals");
    await totals.getByText("$0.01", { exact: true }).waitFor();
    await totals.getByTitle("$0.006304").waitFor();
    await totals.getByText("12,000").waitFor();
  });
});

test(
  "the details of calls show failed attempts, estimated tokens and refusals",
  { tag: "@nightly" },
  async ({ page }) => {
    await ask("hello", 200, "demo-chat-mini");
    await ask("[[no-usage]] count for yourself");
    await ask("hello", 404, "no-such-model");
    await page.goto("/panel/log");

    await test.step("the channel that failed is before the one that succeeded", async () => {
      await rowOf(page, "demo-chat-mini").click();
      // The picture of the route lists them, too, without their priority.
      const attempts = details(page).getByRole("listitem").filter({ hasText: "priority" });
      await expect(attempts).toHaveText([
        /Broken upstream.*Provider error.*priority 10 · HTTP 500/,
        /Demo upstream.*Succeeded/,
      ]);
      await expect(details(page).getByRole("link", { name: "Broken upstream" })).toHaveCount(1);
      await page.keyboard.press("Escape");
      await expect(details(page)).toHaveCount(0);
    });
    await test.step("tokens that the gateway counted are marked", async () => {
      await rowOf(page, "≈").click();
      await details(page)
        .getByText("The provider reported no usage. The gateway counted the tokens.")
        .waitFor();
      await page.keyboard.press("Escape");
      await expect(details(page)).toHaveCount(0);
    });
    await test.step("a failed call is listed under Failed with its reason, and costs nothing", async () => {
      await page.getByRole("tab", { name: "Failed" }).click();
      await page.waitForURL("**/log?log_type=5");
      const row = rowOf(page, "no-such-model");
      await expect(row).toContainText("404");
      await expect(row).not.toContainText("$");
      await row.click();
      await details(page).getByText("model_not_found").waitFor();
      await details(page).getByText("The call failed and was not charged.").waitFor();
      await page.keyboard.press("Escape");
      await expect(details(page)).toHaveCount(0);
    });
    await test.step("the export has only the rows that match the filter", async () => {
      const download = page.waitForEvent("download");
      await page.getByRole("button", { name: "Export" }).click();
      const file = await (await download).path();
      const [head = "", ...rows] = (await readFile(file, "utf8")).trimEnd().split("\r\n");
      expect(head).toContain("time,request_id,type,username");
      expect(rows.length).toBeGreaterThan(0);
      expect(rows.filter((row) => !row.includes(",failed,"))).toEqual([]);
    });
  },
);

test(
  "the log loads more rows on demand, counts all of them, and is sorted by its headers",
  { tag: "@nightly" },
  async ({ page }) => {
    await Promise.all(Array.from({ length: 12 }, (_, n) => ask(`call ${n} ${"hi ".repeat(n * 50)}`)));
    await page.goto("/panel/log?log_type=2&size=10&order=-quota");
    const header = page.getByRole("columnheader", { name: "Cost" });
    const rows = page.locator("tbody tr");

    await test.step("the totals count all rows, not only the loaded ones", async () => {
      await page.getByText("10 rows shown").waitFor();
      await page.getByRole("button", { name: "Load more" }).click();
      await rows.nth(11).waitFor();
      const entries = page.getByLabel("Totals").locator("dd").first();
      await expect.poll(async () => Number(await entries.textContent())).toBeGreaterThanOrEqual(12);
    });
    await test.step("a link's order applies to the further rows, too", async () => {
      await expect(header).toHaveAttribute("aria-sort", "descending");
      const costs = (await page.locator("tbody tr td:last-child").allTextContents()).map((text) =>
        Number(text.replace(/[^\d.]/g, "")),
      );
      expect(costs).toEqual(costs.toSorted((left, right) => right - left));
    });
    await test.step("a header is used with the keyboard and with the mouse", async () => {
      await header.getByRole("button").focus();
      await page.keyboard.press("Enter");
      await page.waitForURL(/[?&]order=quota(&|$)/);
      await expect(header).toHaveAttribute("aria-sort", "ascending");
      await header.getByRole("button").click();
      await page.waitForURL((address) => !address.searchParams.has("order"));
      await page.getByText("10 rows shown").waitFor();
      await header.getByRole("button").click();
      await page.waitForURL(/[?&]order=-quota(&|$)/);
    });
  },
);

test(
  "the log shows which of its parts could not be loaded, and an administrator's own calls without channels",
  { tag: "@nightly" },
  async ({ page }) => {
    await ask("hello");
    await ask("hello again");
    const parts = /\/api\/log\/([^/]+\/bodies|stat)/;
    await page.route(parts, (route) =>
      route.fulfill({ status: 409, json: { success: false, message: "Not now.", code: "conflict" } }),
    );
    await page.goto("/panel/log");

    await test.step("totals and bodies fail alone, and are loaded again on request", async () => {
      await rowOf(page, "demo-chat").waitFor();
      await expect(page.getByLabel("Totals").locator("dd").first()).toHaveText("–");
      await rowOf(page, "demo-chat").click();
      await details(page).getByText("This could not be loaded").waitFor();
      await page.unroute(parts);
      await details(page).getByRole("button", { name: "Try again" }).click();
      await expect(details(page).getByText("This could not be loaded")).toHaveCount(0);
      await details(page).getByRole("heading", { name: "Details", exact: true }).waitFor();
      await page.keyboard.press("Escape");
      await expect(details(page)).toHaveCount(0);
    });
    await test.step("the own calls have neither channels nor attempts", async () => {
      await page.getByRole("button", { name: "More", exact: true }).click();
      await page.getByRole("combobox", { name: "Calls of" }).click();
      await page.getByRole("option", { name: "Only mine" }).click();
      await page.waitForURL("**/panel/log?view=own");
      await page.keyboard.press("Escape");
      await expect(page.getByRole("columnheader", { name: "Channel" })).toHaveCount(0);
      // Not the call that was opened before: the details of a call are kept.
      await page.locator("tbody tr").filter({ hasText: "demo-chat" }).nth(1).click();
      await details(page).getByRole("heading", { name: "Details", exact: true }).waitFor();
      await expect(details(page).getByText("Route", { exact: true })).toHaveCount(0);
    });
  },
);
