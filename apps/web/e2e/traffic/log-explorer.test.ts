import type { Page } from "@playwright/test";
import { connect, type Database } from "../../../server/src/platform/database/db.ts";
import { faults } from "../support/faults.ts";
import { expect, test } from "../support/test.ts";

let database: Database;

test.beforeAll(async ({ site }) => {
  database = connect(site.databaseUrl, { max: 2 });
  await database.pool.query(
    `INSERT INTO channels (id, type, name) VALUES (901, 1, 'West'), (902, 1, 'East')`,
  );
  await database.pool.query(
    `INSERT INTO request_logs (created_at, request_id, type, user_id, username, token_name, channel_id, model_name, outcome,
       status, error_code, content, quota, request_time, prompt_tokens, completion_tokens, attempts)
     SELECT now() - n * interval '1 second', 'call-' || n, CASE WHEN n % 50 = 0 THEN 5 ELSE 2 END, 1, 'root', 'key',
       CASE WHEN n % 3 = 0 THEN 902 ELSE 901 END, 'model-' || n % 4, CASE WHEN n % 50 = 0 THEN 'failed' ELSE 'complete' END,
       CASE WHEN n % 50 = 0 THEN 402 ELSE 200 END, CASE WHEN n % 50 = 0 THEN 'insufficient_quota' ELSE '' END, '',
       CASE WHEN n % 50 = 0 THEN 0 ELSE n END, CASE WHEN n % 100 = 1 THEN 20000 ELSE 800 END, 5, 7,
       CASE WHEN n % 40 = 1 THEN $1::jsonb ELSE '[]'::jsonb END
     FROM generate_series(1, 1000) n`,
    [
      JSON.stringify(
        ["server", "timeout", "ok"].map((result) => ({
          channel_id: 901,
          channel_name: "West",
          result,
          status: 500,
          duration: 1,
          message: "",
        })),
      ),
    ],
  );
});
test.afterAll(() => database.close());

const rowsOf = (page: Page) => page.locator("tbody tr[data-row]");

test("the log counts its values, filters on click, and clears the filters with one click", async ({
  page,
}) => {
  await page.goto("/panel/log?size=20&range=hour");
  const rows = rowsOf(page);
  const flags = page.getByRole("group", { name: "Quick filters" });
  const clear = page.getByRole("button", { name: "Clear filters" });

  await test.step("quick filters: failed, retried, slow and expensive calls", async () => {
    await flags.getByRole("button", { name: "Failed 20" }).click();
    await page.waitForURL(/outcome=failed/);
    await expect(rows).toHaveCount(20);
    await expect(rows.first()).toHaveText(/model-\d.*Balance empty 402/);
    await flags.getByRole("button", { name: "Failed 20" }).click();
    await flags.getByRole("button", { name: "Retried 25" }).click();
    await page.waitForURL(/retried=1/);
    await rows.first().getByRole("img", { name: "Retried 2 times" }).waitFor();
    await flags.getByRole("button", { name: "Retried 25" }).click();
    await flags.getByRole("button", { name: /^Slow calls/ }).click();
    await page.waitForURL(/min_time=10000/);
    await expect(rows).toHaveCount(10);
    await clear.click();
    await flags.getByRole("button", { name: /^Expensive calls/ }).click();
    await page.waitForURL(/min_quota=\d+/);
    await clear.click();
  });
  await test.step("filters by model and channel have the counts of their values", async () => {
    await page.getByRole("button", { name: "Model: all" }).click();
    await page.getByRole("option", { name: /^model-2\s*250$/ }).click();
    await page.waitForURL(/model_name=model-2/);
    await page.getByRole("button", { name: "Channel: all" }).click();
    await page.getByRole("option", { name: /902 · East/ }).click();
    await page.waitForURL(/channel_id=902/);
  });
  await test.step("without a match, the list shows how to clear the filters", async () => {
    await page.getByRole("button", { name: "Token: all" }).click();
    await page.getByRole("textbox", { name: "Token" }).fill("no such token");
    await page.getByRole("option", { name: "Use “no such token”" }).click();
    await page.getByText("No results").waitFor();
    await clear.last().click();
    await expect(rows).toHaveCount(20);
  });
  await test.step("a bar of the histogram filters the time", async () => {
    const bars = page.getByRole("group", { name: "Calls over time" }).locator("button");
    await expect.poll(() => bars.count()).toBeGreaterThan(10);
    await bars.nth(5).click();
    await page.waitForURL(/range=custom&from=\d+&to=\d+/);
  });
});

test(
  "the panel of a call has an address, follows j and k, and closes with Back and Escape",
  { tag: "@nightly" },
  async ({ page }) => {
    const call = () => new URL(page.url()).searchParams.get("call");
    const dialog = page.getByRole("dialog");
    const details = dialog.getByRole("heading", { name: "Details", exact: true });
    const list = "**/panel/log?size=20&log_type=2";

    await test.step("a link to a call that does not exist is explained, and closing it stays on the list", async () => {
      await page.goto("/panel/log?size=20&log_type=2&call=nothing");
      await dialog.getByText("This call was not found").waitFor();
      await page.keyboard.press("Escape");
      await page.waitForURL(list);
      await expect(dialog).toHaveCount(0);
      await rowsOf(page).nth(3).waitFor();
    });
    await test.step("j and k move between the calls, in the list and in the panel", async () => {
      await page.keyboard.press("j");
      await page.keyboard.press("j");
      await page.keyboard.press("Enter");
      const second = (await rowsOf(page).nth(1).getAttribute("data-row")) ?? "";
      await details.waitFor();
      const first = call();
      await page.keyboard.press("j");
      await expect.poll(call).not.toBe(first);
      await page.keyboard.press("k");
      await expect.poll(call).toBe(first);
      await expect(page.locator("tr[data-selected]")).toHaveAttribute("data-row", second);
    });
    await test.step("Back closes the panel, Forward opens it, and Escape closes it", async () => {
      await page.goBack();
      await page.waitForURL(list);
      await expect(dialog).toHaveCount(0);
      await page.goForward();
      await details.waitFor();
      await page.keyboard.press("Escape");
      await page.waitForURL(list);
      await expect(dialog).toHaveCount(0);
    });
  },
);

test(
  "a link's unknown filters are named, and its filters are saved as a view",
  { tag: "@nightly" },
  async ({ page }) => {
    await page.goto(
      `/panel/log?outcome=exploded&weather=rain&model_name=${"x".repeat(300)}&size=20&error_code=insufficient_quota`,
    );
    const views = page.getByRole("list", { name: "Saved views" });
    const button = (name: string) => page.getByRole("button", { name });

    await test.step("filters that are not applied are named, and removed on request", async () => {
      await button("Reason: Balance empty").waitFor();
      await expect(rowsOf(page)).toHaveCount(20);
      const alert = page.getByRole("alert").filter({ hasText: "Some filters of this link were not applied" });
      await alert.getByText("outcome=exploded").waitFor();
      await alert.getByText("weather=rain").waitFor();
      await alert.getByText(/^model_name=x{40}…$/).waitFor();
      expect(await faults(page)).toEqual([]);
      await alert.getByRole("button", { name: "Remove them from the link" }).click();
      await alert.waitFor({ state: "hidden" });
      expect(new URL(page.url()).search).toBe("?size=20&error_code=insufficient_quota");
    });
    await test.step("the filters are saved as a view", async () => {
      await button("Views").click();
      await page.getByLabel("Save the current view as").fill("Empty balances");
      await page.keyboard.press("Enter");
      await button("Empty balances").waitFor();
    });
    await test.step("another visit applies the view", async () => {
      await page.evaluate(addOldView);
      await page.goto("/panel/log?size=20");
      await button("Views").click();
      await views.getByRole("button", { name: "Empty balances" }).first().click();
      await page.waitForURL(/error_code=insufficient_quota/);
    });
    await test.step("a view of an older version applies what is still known", async () => {
      await button("Empty balances").click();
      expect(await faults(page)).toEqual([]);
      await views.getByRole("button", { name: "Old one", exact: true }).click();
      await page.getByRole("alert").filter({ hasText: "mood=bad" }).waitFor();
      await button("Outcome: Failed").waitFor();
    });
    await test.step("a view is deleted", async () => {
      await button("Old one").click();
      await button("Delete the view Old one").click();
      await expect(page.getByRole("button", { name: "Old one", exact: true })).toHaveCount(0);
    });
  },
);

/** Runs in the page. Saves a view as an older version of the console would have. */
function addOldView(): void {
  const name = Object.keys(localStorage).find((key) => key.startsWith("views:log:")) ?? "";
  const views = JSON.parse(localStorage.getItem(name) ?? "[]") as unknown[];
  const old = { name: "Old one", search: "mood=bad&outcome=failed" };
  localStorage.setItem(name, JSON.stringify([...views, old]));
}
