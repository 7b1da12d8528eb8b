import type { UserDetail } from "@gateway/shared/accounts/user";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSite, type Site } from "./support/site.ts";

let site: Site;
beforeAll(async () => {
  site = await openSite();
  for (const name of ["East", "West"])
    await site.api("POST", "/channel", {
      type: 900,
      name,
      models: ["demo-chat", "demo-think"],
      groups: ["default"],
    });
});
afterAll(() => site.close());

async function type(page: Page, text: string) {
  await page.keyboard.press("Control+k");
  const box = page.getByRole("textbox", { name: "Go to…" });
  await box.fill(text);
  return page.getByRole("dialog").filter({ has: box });
}

describe("the command palette", () => {
  it.each([
    ["add channel", "Add channel", "/panel/channel?edit=new"],
    ["new token", "New token", "/panel/token?edit=new"],
    ["test all", "Test all channels", "/panel/channel?ask=test"],
    ["disable model", "Disable a model everywhere", "/panel/channel?disable=model"],
    ["remove model", "Remove a model from all channels", "/panel/channel?remove=model"],
    ["raise prices for a group by 20 %", "Change the prices of a group", "/panel/user_group?prices=group"],
    ["key for a customer", "New token for a user", "/panel/token?view=all&edit=new"],
    ["budget for a customer", "Limit the spending of a user", "/panel/user?budget=user"],
    ["new customer", "New customer", "/panel/user?customer=new"],
    ["smtp", "Set up email", "/panel/setting?q=SMTPAccount"],
    ["demo-think", "demo-think", "/panel/model_price/demo-think"],
    [
      "0f8fad5b-d9cb-469f-a165-70867728950e",
      "Open the call 0f8fad5b-d9cb-469f-a165-70867728950e",
      "/panel/log/0f8fad5b-d9cb-469f-a165-70867728950e",
    ],
  ])("finds %s and opens %s", async (text, label, address) => {
    const page = await site.open("/panel/profile");
    await page.getByRole("heading", { name: "Profile", exact: true }).waitFor();
    const palette = await type(page, text);
    await palette.getByText(label, { exact: true }).first().click();
    await expect.poll(() => page.url()).toBe(`${site.url}${address}`);
  });

  it("opens a user, and lists what was opened last before any input", async () => {
    const user = await site.api<UserDetail>("POST", "/user", {
      username: "palette",
      password: "hunter2hunter2",
    });
    const page = await site.open("/panel/profile");
    await page.getByRole("heading", { name: "Profile", exact: true }).waitFor();
    await (await type(page, "palette")).getByText("palette", { exact: true }).click();
    await expect.poll(() => page.url()).toBe(`${site.url}/panel/user?user=${user.id}`);
    await page.goto(`${site.url}/panel/profile`);
    await page.getByRole("heading", { name: "Profile", exact: true }).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog").getByText("palette", { exact: true }).click();
    await expect.poll(() => page.url()).toBe(`${site.url}/panel/user?user=${user.id}`);
  });

  it("changes the theme", async () => {
    const page = await site.open("/panel/profile");
    await page.getByRole("heading", { name: "Profile", exact: true }).waitFor();
    await (await type(page, "dark")).getByText("Dark theme", { exact: true }).click();
    await expect.poll(() => page.locator("html").getAttribute("data-mantine-color-scheme")).toBe("dark");
  });
});

describe("shortcuts", () => {
  it("focus the search of a list and are listed, but do not apply while typing", async () => {
    const page = await site.open("/panel/user");
    const search = page.getByRole("searchbox").first();
    await search.waitFor();
    await page.keyboard.press("/");
    await expect.poll(() => search.evaluate((box) => box === document.activeElement)).toBe(true);
    await page.keyboard.type("?/");
    await expect.poll(() => search.inputValue()).toBe("?/");
    await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
    await search.blur();
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).getByText("Save the form").waitFor();
  });
});

describe("a model", () => {
  it("is removed from all channels after a preview", async () => {
    const page = await site.open("/panel/channel?remove=demo-think");
    const drawer = page.getByRole("dialog", { name: "Remove a model from all channels" });
    await drawer.getByRole("button", { name: "Preview" }).click();
    await drawer.getByText("2 channels will be changed").waitFor();
    await drawer.getByRole("button", { name: "Remove from 2 channels" }).click();
    await drawer.waitFor({ state: "hidden" });
    const { data } = await site.api<{ data: { models: string[] }[] }>("GET", "/channel");
    expect(data.map((row) => row.models)).toEqual([["demo-chat"], ["demo-chat"]]);
    await page.goto(`${site.url}/panel/channel?remove=demo-think`);
    await drawer.getByRole("button", { name: "Preview" }).click();
    await drawer.getByText("No channel lists this model").waitFor();
  });
});

describe("the prices of a group", () => {
  it("are raised by 20 % with one click", async () => {
    const { id } = await site.api<{ id: number }>("POST", "/user_group", {
      symbol: "dear",
      name: "Dear",
      ratio: 1.5,
      api_rate: 60,
      min: 0,
      max: 0,
    });
    const page = await site.open(`/panel/user_group?edit=${id}`);
    const form = page.getByRole("dialog", { name: "Group Dear" });
    await form.getByRole("button", { name: "+20%" }).click();
    await form.getByText("costs $1.80 in this group").waitFor();
    await form.getByRole("button", { name: "Save" }).click();
    await form.waitFor({ state: "hidden" });
    expect((await site.api<{ ratio: number }>("GET", `/user_group/${id}`)).ratio).toBe(1.8);

    await page.goto(`${site.url}/panel/user_group?prices=${id}`);
    const dialog = page.getByRole("dialog", { name: "Change the prices of Dear" });
    await dialog.getByText("A call that costs $1.80 now will cost $2.16.").waitFor();
    await dialog.getByRole("button", { name: "−10%" }).click();
    await dialog.getByText("will cost $1.62.").waitFor();
    await dialog.getByRole("button", { name: "Change the prices" }).click();
    await dialog.waitFor({ state: "hidden" });
    expect((await site.api<{ ratio: number }>("GET", `/user_group/${id}`)).ratio).toBe(1.62);
  });
});
