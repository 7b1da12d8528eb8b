/** The command palette and the other shortcuts of the keyboard. */
import type { UserDetail } from "@gateway/shared/accounts/user";
import type { Page } from "@playwright/test";
import { goTo } from "../support/go-to.ts";
import { expect, test, type Site } from "../support/test.ts";

let site: Site;
test.beforeAll(async ({ site: started }) => {
  site = started;
  for (const name of ["East", "West"])
    await site.api("POST", "/channel", {
      type: 900,
      name,
      models: ["demo-chat", "demo-think"],
      groups: ["default"],
    });
});

const box = (page: Page) => page.getByRole("textbox", { name: "Go to…" });
const palette = (page: Page) => page.getByRole("dialog").filter({ has: box(page) });

async function type(page: Page, text: string): Promise<void> {
  await page.keyboard.press("Control+k");
  await box(page).fill(text);
}

async function openProfile(page: Page): Promise<void> {
  await page.goto("/panel/profile");
  await page.getByRole("heading", { name: "Profile", exact: true }).waitFor();
}

const call = "0f8fad5b-d9cb-469f-a165-70867728950e";
const actions = [
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
  [call, `Open the call ${call}`, `/panel/log/${call}`],
] as const;

test(
  "the command palette finds actions, models and calls by words for them",
  { tag: "@nightly" },
  async ({ page }) => {
    await openProfile(page);
    for (const [text, label, address] of actions)
      await test.step(`“${text}” opens ${address}`, async () => {
        await type(page, text);
        await palette(page).getByText(label, { exact: true }).first().click();
        await expect(page).toHaveURL(`${site.url}${address}`);
        await expect(palette(page)).toHaveCount(0);
        await goTo(page, "/panel/profile");
        await expect(page.getByRole("dialog")).toHaveCount(0);
      });
  },
);

test("the command palette opens screens, channels and users, and changes the theme", async ({ page }) => {
  const user = await site.api<UserDetail>("POST", "/user", {
    username: "palette",
    password: "hunter2hunter2",
  });
  await openProfile(page);
  await test.step("a user is found, and listed as opened last before any input", async () => {
    await type(page, "palette");
    await palette(page).getByText("palette", { exact: true }).click();
    await expect(page).toHaveURL(`${site.url}/panel/user?user=${user.id}`);
    await goTo(page, "/panel/profile");
    await expect(page.getByRole("dialog")).toHaveCount(0);
    await page.keyboard.press("Control+k");
    await palette(page).getByText("palette", { exact: true }).click();
    await expect(page).toHaveURL(`${site.url}/panel/user?user=${user.id}`);
  });
  await test.step("Enter opens a screen, and a channel is found from within a search box", async () => {
    await goTo(page, "/panel/token");
    await expect(page.getByRole("dialog")).toHaveCount(0);
    await type(page, "prof");
    await expect(palette(page).getByText("Profile", { exact: true })).toBeVisible();
    await page.keyboard.press("Enter");
    await page.waitForURL("**/panel/profile");
    await goTo(page, "/panel/channel");
    await page.getByRole("searchbox", { name: "Name, tag or ID" }).focus();
    await type(page, "eas");
    // Actions with such letters in their keywords come first.
    await palette(page).getByText("East", { exact: true }).click();
    await page.waitForURL("**/panel/channel?edit=*");
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    await expect(page.getByRole("dialog")).toHaveCount(0);
  });
  await test.step("the key of a channel is rotated", async () => {
    await type(page, "rotate eas");
    await palette(page).getByText("Rotate the key of East", { exact: true }).click();
    const form = page.getByRole("dialog", { name: "Rotate the key of East" });
    await form.getByLabel("New API keys").fill("another-key");
    await page.keyboard.press("Control+Enter");
    await expect(form).toHaveCount(0);
    const { data } = await site.api<{ data: { id: number }[] }>("GET", "/channel?keyword=East");
    expect(await site.api<unknown[]>("GET", `/channel/${data[0]?.id}/keys`)).toHaveLength(1);
  });
  await type(page, "dark");
  await palette(page).getByText("Dark theme", { exact: true }).click();
  await expect(page.locator("html")).toHaveAttribute("data-mantine-color-scheme", "dark");
  await expect(palette(page)).toHaveCount(0);
  await test.step("other shortcuts are listed, and do not apply while typing", async () => {
    const search = page.getByRole("searchbox").first();
    await page.keyboard.press("/");
    await expect(search).toBeFocused();
    await page.keyboard.type("?/");
    await expect(search).toHaveValue("?/");
    await expect(page.getByRole("dialog")).toHaveCount(0);
    await search.blur();
    await page.keyboard.press("?");
    const list = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    await expect(list.getByText("Save the form")).toBeVisible();
  });
});

test(
  "a model is removed from all channels after a preview, and the prices of a group are changed by a percentage",
  { tag: "@nightly" },
  async ({ page }) => {
    await page.goto("/panel/channel?remove=demo-think");
    const drawer = page.getByRole("dialog", { name: "Remove a model from all channels" });
    await drawer.getByRole("button", { name: "Preview" }).click();
    await expect(drawer.getByText("2 channels will be changed")).toBeVisible();
    await drawer.getByRole("button", { name: "Remove from 2 channels" }).click();
    await expect(drawer).toHaveCount(0);
    const { data } = await site.api<{ data: { models: string[] }[] }>("GET", "/channel");
    expect(data.map((row) => row.models)).toEqual([["demo-chat"], ["demo-chat"]]);
    await goTo(page, "/panel/channel?remove=demo-think");
    await drawer.getByRole("button", { name: "Preview" }).click();
    await expect(drawer.getByText("No channel lists this model")).toBeVisible();

    const group = { symbol: "dear", name: "Dear", ratio: 1.5, api_rate: 60, min: 0, max: 0 };
    const { id } = await site.api<{ id: number }>("POST", "/user_group", group);
    const ratio = async () => (await site.api<{ ratio: number }>("GET", `/user_group/${id}`)).ratio;
    await goTo(page, `/panel/user_group?edit=${id}`);
    const form = page.getByRole("dialog", { name: "Group Dear" });
    await form.getByRole("button", { name: "+20%" }).click();
    await expect(form.getByText("costs $1.80 in this group")).toBeVisible();
    await form.getByRole("button", { name: "Save" }).click();
    await expect(form).toHaveCount(0);
    expect(await ratio()).toBe(1.8);

    await goTo(page, `/panel/user_group?prices=${id}`);
    const dialog = page.getByRole("dialog", { name: "Change the prices of Dear" });
    await expect(dialog.getByText("A call that costs $1.80 now will cost $2.16.")).toBeVisible();
    await dialog.getByRole("button", { name: "−10%" }).click();
    await expect(dialog.getByText("will cost $1.62.")).toBeVisible();
    await dialog.getByRole("button", { name: "Change the prices" }).click();
    await expect(dialog).toHaveCount(0);
    expect(await ratio()).toBe(1.62);
  },
);
