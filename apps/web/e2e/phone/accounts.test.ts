import type { Page } from "@playwright/test";
import { goTo } from "../support/go-to.ts";
import { expect, test } from "../support/test.ts";

const cardOf = (page: Page, text: string) => page.getByRole("listitem").filter({ hasText: text });

/** Expects that the list has cards in place of a table, which fit the screen. */
async function expectCards(page: Page): Promise<void> {
  await expect(page.locator("table")).toHaveCount(0);
  const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  await expect.poll(overflow).toBeLessThanOrEqual(0);
}

test("tokens and users are cards on a phone, with their actions and details", async ({ page, site }) => {
  const limited = { name: "Needle in the hay", unlimited_quota: false, remain_quota: 1_500_000 };
  await site.api("POST", "/token", limited);
  await site.api("POST", "/token", { ...limited, name: "Other", remain_quota: 500_000 });
  await page.goto("/panel/token");

  await test.step("an own token is edited from the menu of its card", async () => {
    await cardOf(page, "Needle in the hay").getByText("Enabled").waitFor();
    await expect(cardOf(page, "Needle in the hay")).toContainText("/ $3.00");
    await expect(cardOf(page, "Other")).toContainText("/ $1.00");
    await expectCards(page);
    await cardOf(page, "Needle in the hay").getByRole("button", { name: "More actions" }).click();
    await page.getByRole("menuitem", { name: "Edit" }).click();
    await page.getByRole("dialog", { name: "Edit “Needle in the hay”" }).waitFor();
  });

  await test.step("the card of a token of all users shows its owner on demand", async () => {
    await goTo(page, "/panel/token?view=all");
    await page.getByText("API keys of all users.").waitFor();
    await expect(cardOf(page, "Needle in the hay")).toContainText("/ $3.00");
    await expect(cardOf(page, "Other")).toContainText("/ $1.00");
    await cardOf(page, "Needle in the hay").getByRole("button", { name: "Details" }).click();
    await cardOf(page, "Needle in the hay").getByText("root").waitFor();
    await expectCards(page);
  });

  await test.step("the card of a user shows the balance, and more on demand", async () => {
    await goTo(page, "/panel/user?keyword=root");
    await cardOf(page, "root").getByText("Balance", { exact: true }).waitFor();
    await cardOf(page, "root").getByRole("button", { name: "Details" }).click();
    await cardOf(page, "root").getByText("Super administrator").waitFor();
    await expectCards(page);
  });
});

test.describe("a visitor", () => {
  test.use({ guest: true, locale: "zh-CN" });

  test("signs up in the language of the browser, with its errors too", async ({ page }) => {
    await page.goto("/register");
    await page.getByRole("heading", { name: "注册" }).waitFor();
    await page.getByRole("button", { name: "创建账号" }).click();
    await page.getByText("用户名至少需要 3 个字符").waitFor();
  });
});
