/** Dialogs and fields whose code or content arrives after they are shown. */
import type { Page } from "@playwright/test";
import { goTo } from "../support/go-to.ts";
import { expect, test } from "../support/test.ts";

/** Delays these requests until the returned function is called. */
async function delay(page: Page, address: RegExp): Promise<() => void> {
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route(address, async (route) => {
    await released;
    await route.continue();
  });
  return () => release();
}

test("an account that is completed with Enter sets up email", { tag: "@nightly" }, async ({ page, site }) => {
  await page.goto("/panel/setting?q=SMTPAccount");
  const field = page.getByRole("combobox", { name: "SMTP account", exact: true });
  await field.focus();
  await field.pressSequentially("gw@g");
  await expect(page.getByRole("option", { name: "gw@gmail.com", exact: true })).toBeVisible();
  await page.keyboard.press("Enter");
  await expect(field).toHaveValue("gw@gmail.com");

  const answer = { success: true, message: "", data: { to: "gw@gmail.com" } };
  await page.route("**/api/option/mail/test", (route) => route.fulfill({ json: answer }));
  await page.getByRole("textbox", { name: "SMTP password", exact: true }).fill("a secret");
  await page.keyboard.press("Enter");
  await expect(page.getByText("A test email was sent to gw@gmail.com")).toBeVisible();
  expect(await site.api("GET", "/option")).toMatchObject({
    SMTPServer: "smtp.gmail.com",
    SMTPPort: 465,
    SMTPAccount: "gw@gmail.com",
  });
});

test(
  "the focus is in the body of a dialog until its content is loaded, then in its field",
  { tag: "@nightly" },
  async ({ page }) => {
    await page.goto("/panel/log");
    const dialogs = [
      ["/panel/user_group?prices=1", /\/api\/user_group\?/, "Change"],
      ["/panel/user_group?budget=1", /\/api\/user_group\/1/, "Monthly limit"],
    ] as const;
    for (const [path, content, field] of dialogs)
      await test.step(path, async () => {
        const release = await delay(page, content);
        await goTo(page, path);
        const body = page.getByRole("dialog").locator(".mantine-Modal-body");
        await expect(body).toBeFocused();
        release();
        await expect(page.getByRole("dialog").getByLabel(field, { exact: true })).toBeFocused();
        expect(await body.getAttribute("data-autofocus")).toBeNull();
        await page.keyboard.press("Escape");
        await expect(page.getByRole("dialog")).toHaveCount(0);
      });
  },
);
