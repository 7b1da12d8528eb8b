import type { Page } from "@playwright/test";
import { expect, test, type Site } from "../support/test.ts";

test.use({ guest: true });

let site: Site;
test.beforeAll(async ({ site: started }) => {
  site = started;
});

interface Row {
  username: string;
  quota: number;
  aff_count: number;
  aff_code: string;
}
const find = async (name: string) =>
  (await site.api<{ data: Row[] }>("GET", `/user?keyword=${name}`)).data.find((row) => row.username === name);
const set = (key: string, value: unknown) => site.api("PUT", "/option", { key, value });

async function fill(page: Page, username: string, password: string, repeat = password): Promise<void> {
  await page.getByLabel("Username").fill(username);
  await page.getByRole("textbox", { name: "Password", exact: true }).fill(password);
  await page.getByRole("textbox", { name: "Repeat the password" }).fill(repeat);
  await page.getByRole("button", { name: "Create account" }).click();
}

test("a sign-up keeps the invite code, credits the gifts and signs in", async ({ page }) => {
  await set("QuotaForNewUser", 500_000);
  await set("QuotaForInvitee", 250_000);
  await set("QuotaForInviter", 100_000);
  const root = (await find("root"))!;
  await page.goto(`/register?aff=${root.aff_code}`);
  await page.getByRole("link", { name: "Sign in" }).last().click();
  await page.getByRole("link", { name: "Sign up" }).click();
  await page.waitForURL(/\/register$/);
  await fill(page, "newcomer", "long enough", "something else");
  await page.getByText("Passwords do not match").waitFor();
  await fill(page, "ab", "short");
  await page.getByText("The username needs at least 3 characters").waitFor();
  await page.getByText("The password needs at least 8 characters").waitFor();
  await fill(page, "Root", "long enough");
  await page.getByText("This username is taken.").waitFor();
  await fill(page, "newcomer", "long enough");
  await page.waitForURL("**/panel/dashboard");
  expect(await find("newcomer")).toMatchObject({ quota: 750_000 });
  expect(await find("root")).toMatchObject({ aff_count: 1, quota: root.quota + 100_000 });
});

test("sign-up is neither offered nor possible while it is disabled", async ({ page }) => {
  await set("RegisterEnabled", false);
  await page.goto("/register");
  await page.getByText("Sign-up is closed").waitFor();
  await page.getByRole("main").getByRole("link", { name: "Sign in" }).click();
  await page.getByLabel("Username or email").waitFor();
  await expect(page.getByRole("link", { name: "Sign up" })).toHaveCount(0);
  await set("RegisterEnabled", true);
});
