/** Forms, drawers and dialogs have an address: a link opens them, and Back closes them. */
import type { UserDetail } from "@gateway/shared/accounts/user";
import type { Page } from "@playwright/test";
import { goTo } from "../support/go-to.ts";
import { rootUser } from "../support/installation.ts";
import { openInMenu } from "../support/menu.ts";
import { expect, test, type Site } from "../support/test.ts";

let site: Site;
test.beforeAll(async ({ site: started }) => {
  site = started;
  await site.api("POST", "/channel", { type: 900, name: "Near", models: ["demo-chat"], groups: ["default"] });
});

const dialog = (page: Page) => page.getByRole("dialog");
const nameField = (page: Page) => dialog(page).getByRole("textbox", { name: /^Name/ });
const query = (page: Page) => new URL(page.url()).search;

async function expectClosed(page: Page, path: string): Promise<void> {
  await expect(dialog(page)).toHaveCount(0);
  await expect(page).toHaveURL(`${site.url}${path}`);
}

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

test(
  "/panel opens the dashboard: directly, from a public page and after signing in",
  { tag: "@nightly" },
  async ({ page, site }) => {
    const current = page.getByRole("navigation", { name: "Console" }).locator("[aria-current=page]");
    await page.goto("/panel?view=usage");
    await expect(page).toHaveURL(`${site.url}/panel/dashboard?view=usage`);
    await expect(current).toHaveText("Dashboard");
    await goTo(page, "/about");
    await page.getByRole("link", { name: "Console", exact: true }).click();
    await expect(page).toHaveURL(`${site.url}/panel/dashboard`);
    await expect(current).toHaveText("Dashboard");

    const guest = await site.open("/panel", { guest: true });
    await expect.poll(() => new URL(guest.url()).searchParams.get("next")).toBe("/panel");
    await guest.getByLabel("Username or email").fill(rootUser.username);
    await guest.getByRole("textbox", { name: "Password" }).fill(rootUser.password);
    await guest.getByRole("button", { name: "Sign in", exact: true }).last().click();
    await expect(guest).toHaveURL(`${site.url}/panel/dashboard`);
    await expect(guest.getByRole("navigation", { name: "Console" })).toBeVisible();
  },
);

test(
  "a form beside a list has an address, which Back leaves and a link opens",
  { tag: "@nightly" },
  async ({ page }) => {
    await page.goto("/panel/channel?edit=new");
    await dialog(page).getByRole("button", { name: "Cancel" }).click();
    await expectClosed(page, "/panel/channel");
    for (const [path, button] of forms)
      await test.step(`the form of ${path}`, async () => {
        await goTo(page, path);
        await page.getByRole("button", { name: button }).first().click();
        await expect(dialog(page)).toBeVisible();
        await expect.poll(() => query(page)).toContain("edit=new");
        await page.goBack();
        await expectClosed(page, path);
        await page.goForward();
        await expect(dialog(page)).toBeVisible();
        await dialog(page).getByRole("button", { name: "Cancel" }).click();
        await expectClosed(page, path);
      });
  },
);

test(
  "a link to an entry that does not exist opens a drawer with an error, and returns to the list",
  { tag: "@nightly" },
  async ({ page }) => {
    await page.goto("/panel/channel?edit=999999");
    const links = forms
      // The name of a model without a price opens the price form.
      .filter(([path]) => path !== "/panel/pricing")
      .map(([path]) => `${path}${path.includes("?") ? "&" : "?"}edit=999999`);
    links.push("/panel/user?edit=nonsense", "/panel/user?user=999999", "/panel/user_group?budget=999999");
    for (const link of links)
      await test.step(link, async () => {
        if (link !== links[0]) await goTo(page, link);
        await expect(
          dialog(page)
            .getByText(/This entry does not exist|not found|no longer exists/i)
            .first(),
        ).toBeVisible();
        await dialog(page).getByRole("button", { name: "Show the list" }).click();
        await expectClosed(page, link.replace(/[?&](edit|user|budget)=[^&]*$/, ""));
      });
    await test.step("a group whose prices cannot be changed leads to the other groups", async () => {
      await goTo(page, "/panel/user_group?prices=999999");
      const prices = page.getByRole("dialog", { name: "Change the prices of a group" });
      await prices.getByRole("combobox", { name: "Group" }).click();
      await expect(page.getByRole("option", { name: /VIP/ }).first()).toBeVisible();
    });
  },
);

test("Back asks before it discards typed values, and a saved form leaves no second entry of the list", async ({
  page,
}) => {
  await page.goto("/panel/dashboard");
  await openInMenu(page, "User groups");
  await page.getByRole("button", { name: "New group" }).click();
  await nameField(page).fill("Partners");
  const question = page.getByRole("dialog", { name: "Leave without saving?" });
  await page.goBack();
  await question.getByRole("button", { name: "Cancel" }).click();
  await expect.poll(() => query(page)).toBe("?edit=new");
  await expect(nameField(page)).toHaveValue("Partners");
  await page.goBack();
  await question.getByRole("button", { name: "Discard changes" }).click();
  await expectClosed(page, "/panel/user_group");

  await page.getByRole("button", { name: "New group" }).click();
  await expect(nameField(page)).toHaveValue("");
  await nameField(page).fill("Partners");
  await dialog(page).getByLabel("Identifier").fill("partners");
  await dialog(page).getByRole("button", { name: "Save" }).click();
  await expect(dialog(page)).toHaveCount(0);
  await expect(page.getByRole("row").filter({ hasText: "Partners" })).toBeVisible();
  await page.goBack();
  await page.waitForURL("**/panel/dashboard");
});

test(
  "a link restores filters and drawers, and Back leads from a form to the details it was opened from",
  { tag: "@nightly" },
  async ({ page }) => {
    const password = "hunter2hunter2";
    const linked = await site.api<UserDetail>("POST", "/user", { username: "linked", password });
    const nested = await site.api<UserDetail>("POST", "/user", { username: "nested", password });
    await test.step("the drawer of a row that is not on the page", async () => {
      await page.goto(`/panel/user?keyword=root&edit=${linked.id}`);
      await expect(page.getByRole("dialog", { name: "Edit linked" })).toBeVisible();
      await page.keyboard.press("Escape");
      await expectClosed(page, "/panel/user?keyword=root");
      await expect(page.getByRole("searchbox").first()).toHaveValue("root");
    });
    await test.step("the details of a user, and the form above them", async () => {
      await goTo(page, "/panel/user");
      await page.getByText("nested").first().click();
      const details = page.getByRole("heading", { name: "Signed-in devices" });
      await expect(details).toBeVisible();
      await expect.poll(() => query(page)).toBe(`?user=${nested.id}`);
      await dialog(page).getByRole("button", { name: "Edit" }).click();
      await expect(page.getByRole("dialog", { name: "Edit nested" })).toBeVisible();
      await page.goBack();
      await expect(details).toBeVisible();
      await page.goBack();
      await expect(dialog(page)).toHaveCount(0);
    });
    await test.step("an entry of the audit log", async () => {
      await goTo(page, "/panel/audit");
      await expect(page.getByRole("heading", { name: "Audit log", level: 1 })).toBeVisible();
      await page.locator("tr[data-row]").first().click();
      await expect.poll(() => query(page)).toMatch(/^\?entry=\d+$/);
      const entry = query(page);
      await goTo(page, "/panel/audit?entry=999999999");
      await expect(dialog(page).getByText("This entry does not exist")).toBeVisible();
      await goTo(page, `/panel/audit${entry}`);
      await expect(dialog(page).getByText("Source IP")).toBeVisible();
    });
    await test.step("a model that is not available, and the activity of a channel", async () => {
      await goTo(page, "/panel/model_price?model=no-such-model");
      await expect(page.getByText("This model is not available")).toBeVisible();
      await goTo(page, "/panel/channel?timeline=1");
      await expect(dialog(page).getByText("Near")).toBeVisible();
    });
  },
);
