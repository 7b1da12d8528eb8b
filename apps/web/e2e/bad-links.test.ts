/** Links to what does not exist, is incomplete or belongs to someone else: each explains itself and offers a way forward. */
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSite, type Site } from "./support/site.ts";

let site: Site;
let theirs: { id: number };
const password = "a long password";

beforeAll(async () => {
  site = await openSite();
  await site.api("POST", "/channel", { type: 900, name: "Main", models: ["demo-chat"], groups: ["default"] });
  const { id } = await site.api<{ id: number }>("POST", "/user", { username: "owner", password });
  await site.api("POST", "/user", { username: "other", password });
  theirs = await site.api("POST", "/token/admin", { user_id: id, name: "of the owner" });
});
afterAll(() => site.close());

const main = (page: Page) => page.locator("main");

/** Opens a window of the account `other`. */
async function openAsOther(path: string): Promise<Page> {
  const page = await site.open("/login", { guest: true });
  await page.getByLabel("Username").fill("other");
  await page.getByRole("textbox", { name: "Password" }).fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.waitForURL("**/panel/**");
  await page.goto(path);
  return page;
}

describe("the page of an object that does not exist", () => {
  it.each([
    ["/panel/channel/99", "This channel was not found", "Show all channels"],
    ["/panel/user/99", "This account was not found", "Show all users"],
    ["/panel/user/abc", "This account was not found", "Show all users"],
    ["/panel/token/99", "This token was not found", "Show all tokens"],
    ["/panel/log/no-such-call", "This call was not found", "Show the newest calls"],
  ])("%s shows “%s” and a link to the list", async (path, title, link) => {
    const page = await site.open(path);
    await main(page).getByText(title).waitFor();
    await main(page).getByRole("link", { name: link }).click();
    await expect.poll(() => new URL(page.url()).pathname).toBe(path.slice(0, path.lastIndexOf("/")));
    await page.locator("table, [data-list]").first().waitFor();
  });

  it("also explains a form, a drawer and a dialog, and returns to the list", async () => {
    for (const path of ["channel?edit=99", "user?user=99", "user?edit=no", "user_group?budget=99"]) {
      const page = await site.open(`/panel/${path}`);
      const dialog = page.getByRole("dialog");
      await dialog
        .getByText(/This entry does not exist|not found|no longer exists/i)
        .first()
        .waitFor();
      await dialog.getByRole("button", { name: "Show the list" }).click();
      await dialog.waitFor({ state: "hidden" });
      await page.locator("tbody tr").first().waitFor();
    }
  });

  it("explains a group whose prices cannot be changed, and offers the others", async () => {
    const page = await site.open("/panel/user_group?prices=99");
    const dialog = page.getByRole("dialog", { name: "Change the prices of a group" });
    await dialog.getByRole("combobox", { name: "Group" }).click();
    await page.getByRole("option", { name: /VIP/ }).first().waitFor();
  });
});

describe("what belongs to someone else", () => {
  it("is not found, with a link to the own list", async () => {
    const page = await openAsOther(`/panel/token/${theirs.id}`);
    await main(page).getByText("This token was not found").waitFor();
    expect(await page.content()).not.toContain("of the owner");
    await page.goto(`${site.url}/panel/token?edit=${theirs.id}`);
    await page.getByRole("dialog").getByText("This entry does not exist").waitFor();
  });

  it("is refused as a screen, with a way back", async () => {
    const page = await openAsOther("/panel/user/1");
    await main(page)
      .getByText(/You do not have access/)
      .first()
      .waitFor();
    await main(page).getByRole("link").first().waitFor();
  });
});

describe("a list with filters that it does not know", () => {
  it.each([
    ["/panel/user?role=president&size=20", "role=president"],
    ["/panel/user?size=1000", "size=1000"],
    ["/panel/channel?status=blue", "status=blue"],
    ["/panel/redemption?status=x&page=-1", "status=x"],
    ["/panel/token?size=abc", "size=abc"],
  ])("%s names them and shows the rest", async (path, dropped) => {
    const page = await site.open(path);
    const alert = page.getByRole("alert").filter({ hasText: "Some filters of this link were not applied" });
    await alert.getByText(dropped).waitFor();
    await page.locator("[data-list]").waitFor();
    await alert.getByRole("button", { name: "Remove them from the link" }).click();
    await alert.waitFor({ state: "hidden" });
    expect(page.url()).not.toContain(dropped);
  });
});
