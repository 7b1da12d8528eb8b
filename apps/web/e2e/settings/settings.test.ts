import type { Locator, Page } from "@playwright/test";
import { goTo } from "../support/go-to.ts";
import { expect, test, type Site } from "../support/test.ts";

let site: Site;

test.beforeAll(async ({ site: started }) => {
  site = started;
});

const section = (page: Page, name: string) => page.getByRole("form", { name, exact: true });
const attemptsField = (page: Page) =>
  section(page, "Retries").getByRole("textbox", { name: "Additional attempts" });

/** Opens a page of the current tab. */
const openSection = (page: Page, name: string) =>
  page.getByRole("navigation", { name: "Sections" }).getByRole("link", { name, exact: true }).click();

/** Saves a form, and waits until it knows: the server stores the values before. */
async function save(form: Locator): Promise<void> {
  await form.getByRole("button", { name: "Save" }).click();
  await expect(form.getByText("Not saved")).toHaveCount(0);
}

async function settings(): Promise<Record<string, unknown>> {
  return site.api("GET", "/option");
}

test("settings are saved by section and reset to their default, show errors, and are not left unsaved by mistake", async ({
  page,
}) => {
  await site.api("PUT", "/option/batch", {
    values: { LarkClientId: "our app", LarkClientSecret: "a secret", LarkAuthEnabled: true },
  });
  // The anchor of the time before the sections had pages.
  await page.goto("/panel/setting#section-retries");
  const retries = section(page, "Retries");
  const timeouts = section(page, "Timeouts");
  const attempts = attemptsField(page);
  await attempts.fill("7");
  await openSection(page, "Timeouts");
  await expect(retries).toHaveCount(0);
  await timeouts.getByRole("textbox", { name: "Connection timeout" }).fill("2.5");
  await page
    .getByRole("navigation", { name: "Sections" })
    .getByRole("link", { name: "Retries Not saved" })
    .click();
  await expect(retries.getByText("Not saved")).toBeVisible();
  await retries.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("Saved", { exact: true })).toBeVisible();
  expect(await settings()).toMatchObject({ RetryTimes: 7, ConnectTimeoutMs: 5000 });
  await page.getByRole("link", { name: "Timeouts Not saved" }).click();
  await save(timeouts);
  expect(await settings()).toMatchObject({ ConnectTimeoutMs: 2500 });
  await openSection(page, "Retries");
  await retries.getByRole("button", { name: "Additional attempts: Reset to default: 3" }).click();
  await expect(attempts).toHaveValue("3");
  await save(retries);
  expect(await settings()).toMatchObject({ RetryTimes: 3 });

  await test.step("the search finds labels and keys in every tab", async () => {
    const search = page.getByPlaceholder("Search settings");
    await search.fill("footer");
    await expect(section(page, "Footer")).toBeVisible();
    await expect(retries).toHaveCount(0);
    await expect(section(page, "Footer").locator("mark").first()).toHaveText(/footer/i);
    await search.fill("ooter");
    await expect(page.getByText("No matching settings.")).toBeVisible();
    await search.fill("RetryCooldown");
    await expect(retries).toBeVisible();
    await search.fill("no such thing");
    await expect(page.getByText("No matching settings.")).toBeVisible();
  });

  await test.step("the audit log shows who changed a setting, before and after", async () => {
    await site.api("PUT", "/option", { key: "HeartbeatSeconds", value: 33 });
    await goTo(page, "/panel/audit?target_id=HeartbeatSeconds");
    const row = page.getByRole("row").filter({ hasText: "from 15 to 33" });
    await expect(row).toContainText("Timeouts · Heartbeat interval");
    await row.click();
    const details = page.getByRole("dialog", { name: "root changed setting" });
    await expect(details.getByRole("cell", { name: "33" })).toBeVisible();
    await expect(details.getByText("root", { exact: true })).toBeVisible();
    await page.keyboard.press("Escape");
    await page.getByRole("searchbox", { name: "Username" }).fill("nobody");
    await expect(page.getByText("No results")).toBeVisible();
  });

  await expectErrors(page);
  await expectQuestionBeforeLeaving(page);
});

/** Settings show errors before and after sending, and keep the input; a stored secret is replaced or removed. */
async function expectErrors(page: Page): Promise<void> {
  const incomplete = "Fill in the required fields of this sign-in method before you turn it on.";
  await goTo(page, "/panel/setting?tab=system");
  await test.step("an invalid address cannot be sent", async () => {
    const address = section(page, "Address");
    await address.getByRole("textbox", { name: "Server address" }).fill("nowhere");
    await expect(
      address.getByText("Enter an address like https://ai.example.com, without ? or #"),
    ).toBeVisible();
    await expect(address.getByRole("button", { name: "Save" })).toBeDisabled();
    await address.getByRole("button", { name: "Discard" }).click();
  });
  await test.step("an error of the server is shown at its section, and the secret is hidden once saved", async () => {
    await openSection(page, "GitHub");
    const github = section(page, "GitHub");
    const secret = github.getByRole("textbox", { name: "Client secret" });
    await github.getByRole("switch", { name: "Sign-in with GitHub" }).press("Space");
    await github.getByRole("button", { name: "Save" }).click();
    await expect(github.getByText(incomplete)).toBeVisible();
    await github.getByLabel("Client ID").fill("our app");
    await secret.fill("a secret");
    await save(github);
    expect(await settings()).toMatchObject({ GitHubOAuthEnabled: true });
    expect((await settings())["secrets_set"]).toContain("GitHubClientSecret");
    await expect(secret).toHaveValue("");
  });
  await test.step("a feature in use cannot lose its settings", async () => {
    await openSection(page, "Lark");
    const lark = section(page, "Lark");
    await lark.getByRole("textbox", { name: "App ID" }).fill("");
    await lark.getByRole("button", { name: "Save" }).click();
    await expect(lark.getByText(incomplete)).toBeVisible();
    expect(await settings()).toMatchObject({ LarkAuthEnabled: true, LarkClientId: "our app" });
    await lark.getByRole("button", { name: "Discard" }).click();
    await expect(lark.getByText(incomplete)).toHaveCount(0);
    await lark.getByRole("switch", { name: "Sign-in with Lark" }).press("Space");
    await lark.getByRole("button", { name: "App secret: Remove" }).click();
    await expect(lark.getByPlaceholder("Will be removed when you save")).toBeVisible();
    await lark.getByRole("button", { name: "App secret: Discard" }).click();
    await expect(lark.getByPlaceholder("Stored. Type to replace it.")).toBeVisible();
    await lark.getByRole("button", { name: "App secret: Remove" }).click();
    await save(lark);
    expect(await settings()).toMatchObject({ LarkAuthEnabled: false });
    expect((await settings())["secrets_set"]).not.toContain("LarkClientSecret");
  });
}

/** Unsaved settings are kept in other tabs, and block links and Back until the user confirms. */
async function expectQuestionBeforeLeaving(page: Page): Promise<void> {
  const question = page.getByRole("dialog", { name: "Leave without saving?" });
  const attempts = attemptsField(page);
  await goTo(page, "/panel/profile");
  await page.getByRole("link", { name: "Settings", exact: true }).click();
  await openSection(page, "Retries");
  await attempts.fill("9");
  await page.getByRole("link", { name: "Profile" }).first().click();
  await question.getByRole("button", { name: "Cancel" }).click();
  await expect(question).toHaveCount(0);
  await page.getByRole("tab", { name: "System" }).click();
  await page.getByRole("tab", { name: "Operation" }).click();
  await page.getByRole("link", { name: "Retries Not saved" }).click();
  await expect(attempts).toHaveValue("9");

  await page.evaluate(() => history.back());
  await question.getByRole("button", { name: "Cancel" }).click();
  await expect(question).toHaveCount(0);
  expect(page.url()).toContain("/panel/setting");
  await expect(attempts).toHaveValue("9");
  await page.evaluate(() => history.back());
  await question.getByRole("button", { name: "Discard changes" }).click();
  await page.waitForURL("**/panel/profile");
  await expect(page.getByRole("heading", { name: "Profile", exact: true })).toBeVisible();
  await page.evaluate(() => history.forward());
  await page.waitForURL("**/panel/setting*");
  await expect(attempts).toBeVisible();
  await expect(attempts).not.toHaveValue("9");
}

test(
  "settings that are lists are edited as rows, and texts have a preview that runs no scripts",
  { tag: "@nightly" },
  async ({ page }) => {
    await test.step("only complete discounts are saved", async () => {
      await page.goto("/panel/setting?q=RechargeDiscount");
      await page.getByRole("button", { name: "Add discount" }).click();
      await page.getByLabel("Amount of discount 1").fill("100");
      await page.getByLabel("Percentage of discount 1").fill("10");
      await page.getByRole("button", { name: "Add discount" }).click();
      await save(page.getByRole("form"));
      expect(await settings()).toMatchObject({ RechargeDiscount: '{"100":0.9}' });
      await page.goto("/panel/setting?q=RechargeDiscount");
      await expect(page.getByLabel("Percentage of discount 1")).toHaveValue("10%");
      await expect(page.getByLabel("Amount of discount 2")).toHaveCount(0);
    });
    await test.step("the address of a chat client must not run code", async () => {
      await goTo(page, "/panel/setting");
      await openSection(page, "Chat clients");
      const clients = section(page, "Chat clients");
      const address = clients.getByRole("textbox", { name: "Address of client 1" });
      await clients.getByRole("button", { name: "Add client" }).click();
      await clients.getByRole("textbox", { name: "Name of client 1" }).fill("Ours");
      await address.fill("javascript:alert(1)");
      await expect(clients.getByText(/must not run code here/).first()).toBeVisible();
      await expect(clients.getByRole("button", { name: "Save" })).toBeDisabled();
      const url = "https://chat.example.com/?k={key}&s={server}";
      await address.fill(url);
      await save(clients);
      const stored = JSON.stringify([{ name: "Ours", url, show: true, sort: 1 }]);
      expect(await settings()).toMatchObject({ ChatLinks: stored });
    });
    await test.step("the about page is previewed as visitors see it", async () => {
      await goTo(page, "/panel/setting?tab=other");
      await openSection(page, "About page");
      const about = section(page, "About page");
      const script =
        "<img src=x onerror=\"document.title='run'\">Hello <script>document.title='run'</script>";
      await about.getByRole("textbox", { name: "About page" }).fill(`# Who we are\n\n${script}`);
      await expect(about.getByRole("heading", { name: "Who we are" })).toBeVisible();
      await save(about);
      expect(await settings()).toMatchObject({ About: expect.stringContaining("Who we are") });
      expect(await page.title()).not.toBe("run");
      await goTo(page, "/about");
      await expect(page.getByRole("heading", { name: "Who we are" })).toBeVisible();
      expect(await page.title()).not.toBe("run");
    });
  },
);
