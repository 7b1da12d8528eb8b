/** Screens of traffic that work differently on a phone. */
import type { LogPage } from "@gateway/shared/usage/log";
import { goTo } from "../support/go-to.ts";
import { expect, test, type Site } from "../support/test.ts";

let site: Site;

test.beforeAll(async ({ site: started }) => {
  site = started;
  await site.api("POST", "/channel", {
    type: 900,
    name: "Demo upstream",
    models: ["demo-chat", "suno_lyrics", "mj_imagine"],
    groups: ["default"],
  });
  const { key } = await site.api<{ key: string }>("POST", "/token", { name: "Phone" });
  const post = async (path: string, body: object) => {
    const answer = await fetch(site.url + path, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    await answer.text();
    expect(answer.status).toBe(200);
  };
  const messages = [{ role: "user", content: "Hello" }];
  await post("/v1/chat/completions", { model: "demo-chat", messages });
  // The log is written after the response.
  const rows = () => site.api<LogPage>("GET", "/log?model_name=demo-chat");
  await expect.poll(async () => (await rows()).data.length).toBe(1);
  await post("/suno/submit/lyrics", { prompt: "Words about boats ".repeat(20) });
  await post("/mj/submit/imagine", { prompt: "A boat in watercolour ".repeat(20) });
});

test(
  "the log on a phone is sorted by a menu, and filtered on a sheet",
  { tag: "@nightly" },
  async ({ page }) => {
    await page.goto("/panel/log?log_type=2");
    const card = page
      .getByRole("list", { name: "Logs" })
      .getByRole("listitem")
      .filter({ hasText: "demo-chat" });
    const dialog = page.getByRole("dialog");

    await test.step("a call has its model and its exact cost, and opens its bill", async () => {
      await expect(card).toHaveText(/demo-chat.*\$0\.\d{6}/);
      await card.click();
      await dialog.getByRole("heading", { name: "Bill", exact: true }).waitFor();
      await dialog.getByRole("button", { name: "Close" }).click();
      await expect(dialog).toHaveCount(0);
    });
    await test.step("a second quick choice is based on the first one, not on what has been rendered", async () => {
      await page.getByRole("button", { name: "Sort by" }).click();
      const cost = page.getByRole("menuitem", { name: "Cost" });
      await cost.click();
      await page.waitForURL(/[?&]order=-quota(&|$)/);
      await cost.evaluate(async (item: HTMLElement) => {
        item.click();
        await Promise.resolve();
        item.click();
      });
      await page.waitForURL((address) => !address.searchParams.has("order"));
      await page.keyboard.press("Escape");
    });
    await test.step("the sheet has the filters", async () => {
      await page.getByRole("button", { name: "Filters" }).click();
      await dialog.getByPlaceholder("Source IP").fill("127.0.0.1");
      await page.keyboard.press("Enter");
      await page.waitForURL(/source_ip=127\.0\.0\.1/);
      await dialog.getByRole("button", { name: "Show results" }).click();
      await card.waitFor();
    });
  },
);

test("on a phone, the playground has its chats in a drawer, and tasks with long prompts are not wider than it", async ({
  page,
}) => {
  const overflow = () =>
    page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  await page.goto("/panel/playground");
  await page.getByText("What would you like to try?").waitFor();
  await page.getByRole("button", { name: "Chats" }).click();
  await page.getByRole("dialog").getByText("Your chats are stored in this browser only.").waitFor();
  await goTo(page, "/panel/task");
  await page.getByRole("list", { name: "Tasks" }).getByText("Words about boats").first().waitFor();
  expect(await overflow()).toBe(0);
  await page.getByRole("button", { name: "Menu" }).click();
  await page.getByRole("link", { name: "Midjourney" }).click();
  await page.getByRole("list", { name: "Midjourney" }).getByText("A boat in watercolour").first().waitFor();
  expect(await overflow()).toBe(0);
});
