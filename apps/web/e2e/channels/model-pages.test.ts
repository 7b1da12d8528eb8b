/** The list of models, the pages of single models, and the status page. */
import type { Page } from "@playwright/test";
import { addChannel } from "../support/channel-stock.ts";
import { faults } from "../support/faults.ts";
import { goTo } from "../support/go-to.ts";
import { expect, test, type Site } from "../support/test.ts";

let site: Site;

test.beforeAll(async ({ site: started }) => {
  site = started;
  const models = ["demo-chat", "gpt-4o", "org/with-slash"];
  await addChannel(site, { name: "Hidden name", models, groups: ["default", "vip"] });
  await addChannel(site, { name: "Inner", models: ["vip-only"], groups: ["vip"] });
  const groups = await site.api<{ data: { id: number; symbol: string }[] }>("GET", "/user_group");
  const vip = groups.data.find((group) => group.symbol === "vip")!;
  const values = { name: "VIP", ratio: 0.5, api_rate: 60, public: true, min: 0, max: 0 };
  await site.api("PUT", "/user_group", { id: vip.id, ...values });
  const token = await site.api<{ key: string }>("POST", "/token", { name: "t", unlimited_quota: true });
  for (const stream of [true, false, true]) {
    const answer = await fetch(`${site.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${token.key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "demo-chat", stream, messages: [{ role: "user", content: "Hello" }] }),
    });
    expect(answer.status, await answer.text()).toBe(200);
  }
});

const heading = (page: Page, name: string) => page.getByRole("heading", { level: 1, name });
const listOf = (page: Page) => page.getByRole("list", { name: "Available models" });

test.describe("a visitor", () => {
  test.use({ guest: true });

  test("finds models and their prices in each group, and on the page of a model health and samples, but no channel", async ({
    page,
  }) => {
    await page.goto("/models?unit=K");
    const list = listOf(page);
    await test.step("the list begins with the most used model", async () => {
      await expect(page).toHaveURL(`${site.url}/price?unit=K`);
      await expect(list.getByRole("listitem").first()).toContainText("demo-chat");
      await expect(list.getByText("vip-only")).toHaveCount(0);
    });

    await test.step("each filter shows the number of its results", async () => {
      await page.getByRole("combobox", { name: "Type" }).click();
      await page.getByRole("option", { name: "Chat (3)" }).click();
      await expect.poll(() => page.url()).toContain("kind=chat");
      await page.getByRole("combobox", { name: "Sort by" }).click();
      await page.getByRole("option", { name: "Name" }).click();
      await expect(list.getByRole("link")).toHaveText(["demo-chat", "gpt-4o", "org/with-slash"]);
    });

    await test.step("models of other groups stay shown after a reload", async () => {
      await page.getByRole("button", { name: "Show 1 model of other groups" }).click();
      await expect(list.getByText("vip-only")).toBeVisible();
      await page.reload();
      await expect(list.getByText("vip-only")).toBeVisible();
    });

    await test.step("a name with a slash has an address", async () => {
      await goTo(page, "/models/org%2Fwith-slash");
      await expect(heading(page, "org/with-slash")).toBeVisible();
      await expect(page.getByText("No calls in the last 24 hours")).toBeVisible();
    });

    await test.step("a used model has its availability, prices and samples", async () => {
      await page.getByRole("link", { name: "All models" }).click();
      await page.getByRole("link", { name: "demo-chat" }).click();
      await expect(heading(page, "demo-chat")).toBeVisible();
      await expect(page).toHaveURL(`${site.url}/models/demo-chat`);
      await expect(page.getByRole("region", { name: "Availability, 24 hours" })).toContainText("100%");
      await expect(page.getByRole("heading", { name: "Price per million tokens" })).toBeVisible();
      await expect(page.getByText("VIP").first()).toBeVisible();
      await page.getByText("Gemini", { exact: true }).click();
      await expect(page.getByText("/v1beta/models/demo-chat:generateContent")).toBeVisible();
      await expect(page.getByText("Hidden name")).toHaveCount(0);
      await expect(page.getByRole("button", { name: "Manage" })).toHaveCount(0);
      await page.goBack();
      await expect(listOf(page)).toBeVisible();
    });

    await test.step("prices are shown in each public group, as cards or as a list, all in the address", async () => {
      await goTo(page, "/price");
      const card = page.getByRole("listitem").filter({ hasText: "gpt-4o" });
      await expect(card.getByText("$2.5 / ￥17.5", { exact: true })).toBeVisible();
      await page.getByRole("button", { name: "VIP" }).click();
      await expect(card.getByText("$1.25 / ￥8.75", { exact: true })).toBeVisible();
      await page.getByText("per thousand", { exact: true }).click();
      await expect(card.getByText("$0.00125 / ￥0.00875", { exact: true })).toBeVisible();
      await page.getByRole("button", { name: "Show as a list" }).click();
      await page.waitForURL(/view=list/);
      await page.reload();
      const row = page.getByRole("row").filter({ has: page.getByText("gpt-4o", { exact: true }) });
      await expect(row.getByText("$0.00125 / ￥0.00875", { exact: true })).toBeVisible();
      await row.click();
      await expect(page.getByRole("heading", { name: "Price per million tokens" })).toBeVisible();
    });
  });

  test(
    "has a status page only while it is enabled, linked from the public pages",
    { tag: "@nightly" },
    async ({ page }) => {
      await site.api("PUT", "/option", { key: "StatusPageEnabled", value: false });
      await page.goto("/status");
      await expect(page.getByText("This site has no status page")).toBeVisible();

      await site.api("PUT", "/option", { key: "StatusPageEnabled", value: true });
      const status = async () => ({
        page: (await fetch(`${site.url}/api/model_status`)).status,
        link: (await (await fetch(`${site.url}/api/status`)).text()).includes('"status_page":true'),
      });
      await expect.poll(status).toEqual({ page: 200, link: true });
      // A window that received the settings just before keeps them for a minute.
      const later = await site.open("/", { guest: true });
      await later.getByRole("link", { name: "Status" }).click();
      await expect(later.getByText(/models? (is|are) operational/)).toBeVisible();
      const row = later.getByRole("listitem").filter({ hasText: "demo-chat" });
      await expect(row.getByText("Operational")).toBeVisible();
      await later.getByText("24 hours", { exact: true }).click();
      await expect(row.getByRole("img", { name: "Availability of demo-chat: 100%" })).toBeVisible();
      await expect(later.getByText("Hidden name")).toHaveCount(0);
      expect(await faults(later)).toEqual([]);
    },
  );
});

test(
  "the page of a model links an operator to the playground, its channels, calls, price and removal",
  { tag: "@nightly" },
  async ({ page }) => {
    const model = "operators-model";
    await addChannel(site, { name: "Server", models: ["demo-chat", model] });
    await page.goto(`/panel/model_price/${model}`);
    await expect(heading(page, model)).toBeVisible();
    const back = async () => {
      await page.goBack();
      await expect(heading(page, model)).toBeVisible();
    };
    const choose = async (name: string, address: string) => {
      await page.getByRole("button", { name: "Manage" }).click();
      await page.getByRole("menuitem", { name }).click();
      await expect.poll(() => page.url()).toContain(address);
    };
    await test.step("the playground has this model", async () => {
      await page.getByRole("link", { name: "Open in playground" }).click();
      await expect(page.getByRole("combobox", { name: "Model", exact: true })).toHaveValue(model);
      await back();
    });

    await test.step("channels, calls and price are those of this model", async () => {
      await choose("Channels that serve it", `/panel/channel?model=${model}`);
      await expect(page.getByText("Server", { exact: true }).first()).toBeVisible();
      await back();
      await choose("Calls of this model", `/panel/log?model_name=${model}`);
      await back();
      await choose("Edit the price", `/panel/pricing?keyword=${model}`);
      await back();
    });

    await test.step("it is removed from its channels after a preview", async () => {
      await choose("Remove from all channels", `/panel/channel?remove=${model}`);
      const form = page.getByRole("dialog", { name: "Remove a model from all channels" });
      await form.getByRole("button", { name: "Preview" }).click();
      await expect(form.getByText("Server")).toBeVisible();
      await expect(form.getByText("Inner")).toHaveCount(0);
      await form.getByRole("button", { name: "Remove from 1 channel" }).click();
      await expect(form).toHaveCount(0);
    });

    await test.step("its page shows that it is no longer available, and the list begins with the own group", async () => {
      // A window keeps the list of models for a minute.
      await page.goto(`/panel/model_price/${model}`);
      await expect(page.getByText("This model is not available")).toBeVisible();
      await page.getByRole("link", { name: "Show all models" }).click();
      await expect(page.getByRole("button", { name: "Default", pressed: true })).toBeVisible();
      await expect(listOf(page)).toBeVisible();
    });
  },
);
