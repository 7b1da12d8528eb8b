import type { UserDetail } from "@gateway/shared/accounts/user";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSite, type Site } from "./support/site.ts";

let site: Site;
beforeAll(async () => {
  site = await openSite();
  await site.api("POST", "/channel", { type: 900, name: "Near", models: ["demo-chat"], groups: ["default"] });
});
afterAll(() => site.close());

const dialog = (page: Page) => page.getByRole("dialog");
const nameField = (page: Page) => dialog(page).getByRole("textbox", { name: /^Name/ });
const query = (page: Page) => new URL(page.url()).search;

/** Screens with a form, and the button that opens it. */
const forms = [
  ["/panel/channel", "Add channel"],
  ["/panel/token", "New token"],
  ["/panel/user", "New user"],
  ["/panel/user_group", "New group"],
  ["/panel/pricing", "New price"],
  ["/panel/model_info", "Add description"],
  ["/panel/model_ownedby", "New owner"],
  ["/panel/telegram", "New command"],
  ["/panel/redemption", "New codes"],
  ["/panel/payment?tab=gateways", "New payment gateway"],
] as const;

describe("a form beside a list", () => {
  it.each(forms)("has an address on %s: Back closes it, a link opens it", async (path, button) => {
    const page = await site.open(path);
    await page.getByRole("button", { name: button }).first().click();
    await dialog(page).waitFor();
    await expect.poll(() => query(page)).toContain("edit=new");
    await page.goBack();
    await dialog(page).waitFor({ state: "hidden" });
    expect(page.url()).toBe(`${site.url}${path}`);
    await page.goForward();
    await dialog(page).waitFor();
    await page.reload();
    await dialog(page).getByRole("button", { name: "Cancel" }).click();
    await dialog(page).waitFor({ state: "hidden" });
    expect(page.url()).toBe(`${site.url}${path}`);
    // The name of a model without a price opens the price form.
    if (path === "/panel/pricing") return;
    const id = path === "/panel/user" ? "nonsense" : "999999";
    await page.goto(`${site.url}${path}${path.includes("?") ? "&" : "?"}edit=${id}`);
    await dialog(page).getByText("This entry does not exist").waitFor();
    await dialog(page).getByRole("button", { name: "Show the list" }).click();
    await dialog(page).waitFor({ state: "hidden" });
    expect(page.url()).toBe(`${site.url}${path}`);
  });

  it("asks for confirmation before Back discards typed values", async () => {
    const page = await site.open("/panel/user_group");
    await page.getByRole("button", { name: "New group" }).click();
    await nameField(page).fill("Typed");
    const question = page.getByRole("dialog", { name: "Leave without saving?" });
    await page.goBack();
    await question.getByRole("button", { name: "Cancel" }).click();
    await expect.poll(() => query(page)).toBe("?edit=new");
    await expect.poll(() => nameField(page).inputValue()).toBe("Typed");
    await page.goBack();
    await question.getByRole("button", { name: "Discard changes" }).click();
    await dialog(page).waitFor({ state: "hidden" });
    await expect.poll(() => query(page)).toBe("");
  });

  it("saves without a question and leaves no second history entry of the list", async () => {
    const page = await site.open("/panel/dashboard");
    await page.getByRole("link", { name: "User groups" }).click();
    await page.getByRole("button", { name: "New group" }).click();
    await nameField(page).fill("Partners");
    await dialog(page).getByLabel("Identifier").fill("partners");
    await dialog(page).getByRole("button", { name: "Save" }).click();
    await dialog(page).waitFor({ state: "hidden" });
    await page.getByRole("row").filter({ hasText: "Partners" }).waitFor();
    await page.goBack();
    await page.waitForURL("**/panel/dashboard");
  });
});

describe("a link", () => {
  it("restores filters and the drawer of a row that is not on the page", async () => {
    const user = await site.api<UserDetail>("POST", "/user", {
      username: "linked",
      password: "hunter2hunter2",
    });
    const page = await site.open(`/panel/user?keyword=root&edit=${user.id}`);
    await page.getByRole("dialog", { name: "Edit linked" }).waitFor();
    await page.keyboard.press("Escape");
    await dialog(page).waitFor({ state: "hidden" });
    expect(query(page)).toBe("?keyword=root");
    await expect.poll(() => page.getByRole("searchbox").first().inputValue()).toBe("root");
  });

  it("opens the details of a user and then the form, and Back returns the same way", async () => {
    const user = await site.api<UserDetail>("POST", "/user", {
      username: "nested",
      password: "hunter2hunter2",
    });
    const page = await site.open("/panel/user");
    await page.getByText("nested").first().click();
    await page.getByRole("heading", { name: "Signed-in devices" }).waitFor();
    expect(query(page)).toBe(`?user=${user.id}`);
    await dialog(page).getByRole("button", { name: "Edit" }).click();
    await page.getByRole("dialog", { name: "Edit nested" }).waitFor();
    await page.goBack();
    await page.getByRole("heading", { name: "Signed-in devices" }).waitFor();
    await page.goBack();
    await dialog(page).waitFor({ state: "hidden" });
    await page.goto(`${site.url}/panel/user?user=999999`);
    await dialog(page).getByText("This entry does not exist").waitFor();
  });

  it("opens an entry of the audit log, a model and the activity of a channel", async () => {
    const page = await site.open("/panel/audit");
    await page.getByRole("row").nth(1).click();
    await expect.poll(() => query(page)).toMatch(/^\?entry=\d+$/);
    const address = page.url();
    await page.goto(`${site.url}/panel/audit?entry=999999999`);
    await dialog(page).getByText("This entry does not exist").waitFor();
    await page.goto(address);
    await dialog(page).getByText("Source IP").waitFor();
    await page.goto(`${site.url}/panel/model_price?model=no-such-model`);
    await page.getByText("This model is not available").waitFor();
    await page.goto(`${site.url}/panel/channel?timeline=1`);
    await dialog(page).getByText("Near").waitFor();
  });
});
