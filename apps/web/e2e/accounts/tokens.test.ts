import type { Page } from "@playwright/test";
import { expect, test, type Site } from "../support/test.ts";
import { addDemoChannel, callModel, keyStatus, rowOf, useRowMenu } from "./common-steps.ts";

let site: Site;

test.beforeAll(async ({ site: started }) => {
  site = started;
  await addDemoChannel(site, ["demo-chat", "demo-chat-mini"]);
});

function makeToken(name: string, more: object = {}) {
  return site.api<{ id: number; key: string }>("POST", "/token", { name, ...more });
}

function clipboard(page: Page): Promise<string> {
  return page.evaluate(() => navigator.clipboard.readText());
}

test("a token is created from the empty list with errors at the fields, and is disabled, enabled and deleted in its row", async ({
  page,
}) => {
  const drawer = page.getByRole("dialog", { name: "New token" });
  await page.goto("/panel/token");
  await page.getByText("No tokens yet").waitFor();

  await test.step("errors are shown at the fields, and changes are not lost without a question", async () => {
    await page.getByRole("button", { name: "New token" }).last().click();
    await drawer.getByText("On a date", { exact: true }).click();
    await drawer.getByLabel("Expiry time").fill("2020-01-01T10:00");
    await drawer.getByRole("switch", { name: "Only certain models" }).click();
    await drawer.getByRole("switch", { name: "Only certain IP addresses" }).click();
    const addresses = drawer.getByRole("textbox", { name: "Addresses" });
    await addresses.fill("10.0.0.0/8\nmy office\n10.0.0.0/99");
    await addresses.blur();
    const lines = drawer.getByText("neither an IP address nor a range");
    await expect(lines).toBeVisible();
    await drawer.getByRole("button", { name: "Create token" }).click();
    await expect(drawer.getByText("Name is required")).toBeVisible();
    await expect(drawer.getByText("Enter a time in the future")).toBeVisible();
    await expect(drawer.getByText("Choose at least one model, or turn off the restriction")).toBeVisible();
    await expect(lines).toHaveText([/^my office ·/, /^10\.0\.0\.0\/99 ·/]);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog", { name: "Leave without saving?" }).waitFor();
    await page.getByRole("button", { name: "Discard changes" }).click();
    await expect(drawer).toBeHidden();
  });

  await test.step("the new key is copied, works, and is part of the sample code", async () => {
    await page.getByRole("button", { name: "New token" }).last().click();
    await drawer.getByText("Can call 2 models: demo-chat, demo-chat-mini").waitFor();
    await drawer.getByLabel("Name").fill("First key");
    await drawer.getByRole("button", { name: "Create token" }).click();
    const ready = page.getByRole("dialog", { name: "“First key” is ready" });
    await ready.getByRole("button", { name: "Copy the key" }).click();
    await page.getByText("Key copied").waitFor();
    const key = await clipboard(page);
    expect(key).toMatch(/^sk-\w{40,}$/);
    expect(await callModel(site, key)).toMatchObject({ status: 200 });
    await ready.getByText("Anthropic", { exact: true }).click();
    await ready.getByText("Python", { exact: true }).click();
    for (const part of ["from anthropic import Anthropic", `base_url="${site.url}"`, key])
      await expect(ready.locator("pre")).toContainText(part);
    await ready.getByRole("button", { name: "Done" }).click();
    await expect(rowOf(page, "First key").getByText("Enabled")).toBeVisible();
  });

  await test.step("a limit in dollars is shown in points, and the shortcut saves", async () => {
    await page.getByRole("button", { name: "New token" }).first().click();
    await drawer.getByLabel("Name").fill("Two dollars");
    await drawer.getByText("Limited", { exact: true }).click();
    await drawer.getByLabel("Remaining (USD)").fill("2.5");
    await drawer.getByText("= 1,250,000 points").waitFor();
    await page.keyboard.press("Control+Enter");
    await page.getByRole("dialog", { name: "“Two dollars” is ready" }).waitFor();
    await page.keyboard.press("Escape");
    await expect(rowOf(page, "Two dollars").getByText("$2.50")).toBeVisible();
  });

  const switched = await makeToken("Switched");
  const doomed = await makeToken("Doomed");
  const empty = await makeToken("Empty", { unlimited_quota: false, remain_quota: 0 });
  await site.api("PATCH", `/token/${empty.id}`, { status: 2 });
  await makeToken("Three dollars", { unlimited_quota: false, remain_quota: 1_500_000 });
  await page.goto("/panel/token");

  await test.step("each row shows what its own token has left", async () => {
    await expect(rowOf(page, "Three dollars")).toContainText("/ $3.00");
    await expect(rowOf(page, "Empty")).toContainText("/ $0.00");
    await expect(rowOf(page, "Switched")).toContainText("/ No limit");
  });

  await test.step("a disabled token is refused until it is enabled", async () => {
    await useRowMenu(page, "Switched", "Disable");
    await expect(rowOf(page, "Switched").getByText("Disabled")).toBeVisible();
    expect(await keyStatus(site, switched.key)).toBe(401);
    await useRowMenu(page, "Switched", "Enable");
    await expect(rowOf(page, "Switched").getByText("Enabled")).toBeVisible();
    expect(await keyStatus(site, switched.key)).toBe(200);
  });

  await test.step("an exhausted token stays disabled, and the reason is shown", async () => {
    await useRowMenu(page, "Empty", "Enable");
    await page.getByText(/quota of the token is used up/).waitFor();
    await expect(rowOf(page, "Empty").getByText("Disabled")).toBeVisible();
  });

  await test.step("a token is deleted only after a confirmation", async () => {
    await useRowMenu(page, "Doomed", "Delete");
    const question = page.getByRole("dialog", { name: "Delete “Doomed”?" });
    await question.getByRole("button", { name: "Cancel" }).click();
    await expect(question).toBeHidden();
    expect(await keyStatus(site, doomed.key)).toBe(200);
    await useRowMenu(page, "Doomed", "Delete");
    await question.getByRole("button", { name: "Delete" }).click();
    await expect(rowOf(page, "Doomed")).toHaveCount(0);
    expect(await keyStatus(site, doomed.key)).toBe(401);
  });
});

test(
  "a changed token is restricted to models, and what was spent meanwhile stays spent",
  { tag: "@nightly" },
  async ({ page }) => {
    const limit = 500_000;
    const restricted = await makeToken("Restricted");
    const busy = await makeToken("Busy", { unlimited_quota: false, remain_quota: limit });
    await page.goto("/panel/token");

    await test.step("the gateway applies a wildcard of models", async () => {
      await rowOf(page, "Restricted").click();
      const drawer = page.getByRole("dialog", { name: "Edit “Restricted”" });
      await drawer.getByRole("switch", { name: "Only certain models" }).click();
      await drawer.getByRole("combobox", { name: "Models" }).fill("demo-chat-*");
      await page.keyboard.press("Enter");
      await drawer.getByRole("button", { name: "Save" }).click();
      await page.getByText("Token saved").waitFor();
      await rowOf(page, "Restricted").getByRole("img", { name: "Only certain models" }).waitFor();
      expect(await callModel(site, restricted.key, "demo-chat-mini")).toMatchObject({ status: 200 });
      expect(await callModel(site, restricted.key, "demo-chat")).toMatchObject({ status: 403 });
    });

    await test.step("saving another field does not restore the balance at which the form was opened", async () => {
      await rowOf(page, "Busy").click();
      const drawer = page.getByRole("dialog", { name: "Edit “Busy”" });
      await drawer.getByLabel("Name").fill("Busy and renamed");
      expect(await callModel(site, busy.key)).toMatchObject({ status: 200 });
      await drawer.getByRole("button", { name: "Save" }).click();
      await rowOf(page, "Busy and renamed").waitFor();
      const after = await site.api<{ remain_quota: number; used_quota: number }>("GET", `/token/${busy.id}`);
      expect(after.used_quota).toBeGreaterThan(0);
      expect(after.remain_quota).toBe(limit - after.used_quota);
    });
  },
);

test("a token is limited to MCP bundles and tools", { tag: "@nightly" }, async ({ page }) => {
  const { id } = await makeToken("With tools");
  const server = await site.api<{ id: number }>("POST", "/mcp_server", {
    name: "github",
    url: "https://mcp.example.com/mcp",
  });
  await site.api("POST", "/mcp_bundle", { name: "work", servers: [server.id] });
  await page.goto("/panel/token");
  await rowOf(page, "With tools").click();
  const drawer = page.getByRole("dialog", { name: "Edit “With tools”" });
  await drawer.getByRole("combobox", { name: "Bundles" }).click();
  await page.getByRole("option", { name: "work" }).click();
  const denied = drawer.getByRole("combobox", { name: "Denied tools" });
  await denied.fill("delete issue!");
  await page.keyboard.press("Enter");
  await denied.fill("github__delete_*");
  await page.keyboard.press("Enter");
  await drawer.getByRole("button", { name: "Save" }).click();
  await expect(denied).toHaveAccessibleDescription(/characters|letters/);
  await drawer.getByRole("button", { name: "Save" }).waitFor();
  await denied.fill("");
  for (let removed = 0; removed < 3; removed += 1) await page.keyboard.press("Backspace");
  await denied.fill("github__delete_*");
  await page.keyboard.press("Enter");
  await drawer.getByRole("button", { name: "Save" }).click();
  await page.getByText("Token saved").waitFor();
  const { setting } = await site.api<{ setting: { mcp?: object } }>("GET", `/token/${id}`);
  expect(setting.mcp).toEqual({ bundles: ["work"], allow: [], deny: ["github__delete_*"] });

  await test.step("an administrator limits a new token of a user, and changes the limits later", async () => {
    const user = await site.api<{ id: number }>("POST", "/user", {
      username: "mcp-user",
      password: "a long password",
    });
    await page.goto(`/panel/token?view=all&user_id=${user.id}`);
    await page.getByRole("button", { name: "New token" }).click();
    const created = page.getByRole("dialog", { name: "New token for a user" });
    await created.getByRole("combobox", { name: "Bundles" }).click();
    await page.getByRole("option", { name: "work" }).click();
    await created.getByRole("button", { name: "Create and copy the key" }).click();
    await page.getByTestId("new-key").waitFor();
    await page.getByRole("button", { name: "Done" }).click();
    await rowOf(page, "API key").click();
    const edited = page.getByRole("dialog", { name: "Edit “API key”" });
    await expect(edited.getByText("work", { exact: true })).toBeVisible();
    await edited.getByRole("combobox", { name: "Allowed tools" }).fill("github__list_*");
    await page.keyboard.press("Enter");
    // The list of suggestions is above the button.
    await page.keyboard.press("Tab");
    await edited.getByRole("button", { name: "Save" }).click();
    await page.getByText("Token saved").waitFor();
    const { data } = await site.api<{ data: { setting: { mcp?: object } }[] }>(
      "GET",
      `/token/admin/search?user_id=${user.id}`,
    );
    expect(data[0]?.setting.mcp).toEqual({ bundles: ["work"], allow: ["github__list_*"], deny: [] });
  });
});

test(
  "the list of tokens is searched, and its keys are copied and opened in chat clients",
  { tag: "@nightly" },
  async ({ page }) => {
    const copied = await makeToken("Copied");
    await makeToken("Needle in the hay");
    await page.goto("/panel/token?keyword=needle");

    await test.step("the search is part of the address, and is reset when nothing matches", async () => {
      await rowOf(page, "Needle in the hay").waitFor();
      await expect(page.locator("tbody tr")).toHaveCount(1);
      await page.getByPlaceholder("Search by name").fill("nothing like this");
      await page.getByText("No token matches").waitFor();
      await expect(page).toHaveURL(/keyword=nothing/);
      await page.getByRole("button", { name: "Clear filters" }).click();
      await rowOf(page, "Copied").waitFor();
      expect(await page.content()).not.toContain(copied.key);
    });

    await test.step("a chat client is opened with the key through a plain link", async () => {
      await rowOf(page, "Copied").hover();
      await rowOf(page, "Copied").getByRole("button", { name: "Chat", exact: true }).click();
      const item = page.getByRole("menuitem", { name: "ChatGPT Next" });
      await item.and(page.locator("[href]")).waitFor();
      const href = (await item.getAttribute("href")) ?? "";
      expect(href).toContain(`"key":"${copied.key}"`);
      expect(href).toContain(encodeURIComponent(site.url));
      await expect(item).toHaveAttribute("target", "_blank");
      await page.keyboard.press("Escape");
    });

    await test.step("a key is copied, or shown when the browser does not allow that", async () => {
      await rowOf(page, "Copied").getByRole("button", { name: "Copy Key" }).click();
      await page.getByText("Key copied").waitFor();
      expect(await clipboard(page)).toBe(copied.key);
      await page.evaluate(() => {
        navigator.clipboard.writeText = () => Promise.reject(new Error("no"));
        document.execCommand = () => false;
      });
      await rowOf(page, "Copied").getByRole("button", { name: "Copy Key" }).click();
      await page.getByText("Key could not be copied. Copy it manually.").waitFor();
      await page.getByText(copied.key).waitFor();
    });
  },
);
