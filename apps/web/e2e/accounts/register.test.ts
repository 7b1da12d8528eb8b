import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSite, type Site } from "../support/site.ts";

let site: Site;
beforeAll(async () => {
  site = await openSite();
});
afterAll(() => site.close());

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

describe("signing up", () => {
  it("keeps the invite code, credits the gifts and signs in", async () => {
    await set("QuotaForNewUser", 500_000);
    await set("QuotaForInvitee", 250_000);
    await set("QuotaForInviter", 100_000);
    const root = (await find("root"))!;
    const page = await site.open(`/register?aff=${root.aff_code}`, { guest: true });
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

  it("is neither shown nor possible while it is disabled", async () => {
    await set("RegisterEnabled", false);
    const page = await site.open("/login", { guest: true });
    await page.getByLabel("Username or email").waitFor();
    await expect.poll(() => page.getByRole("link", { name: "Sign up" }).count()).toBe(0);
    await page.goto("/register");
    await page.getByText("Sign-up is closed").waitFor();
    await set("RegisterEnabled", true);
  });

  it("uses the visitor's language", async () => {
    const page = await site.open("/register", { guest: true, locale: "zh-CN", phone: true });
    await page.getByRole("heading", { name: "注册" }).waitFor();
    await page.getByRole("button", { name: "创建账号" }).click();
    await page.getByText("用户名至少需要 3 个字符").waitFor();
  });
});
