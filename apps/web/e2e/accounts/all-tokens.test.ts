import type { TokenAdminRow, TokenRow } from "@gateway/shared/accounts/token";
import type { UserDetail } from "@gateway/shared/accounts/user";
/** Administration of the tokens of all users; billing tags; cached responses. */
import type { LogPage } from "@gateway/shared/usage/log";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSite, type Site } from "../support/site.ts";

let site: Site;
beforeAll(async () => {
  site = await openSite();
  await site.api("POST", "/channel", {
    type: 900,
    name: "demo",
    base_url: "",
    key: "",
    models: ["demo-chat"],
    groups: ["default"],
  });
  const root = await site.api<{ id: number }>("GET", "/user/self");
  await site.api("POST", `/user/quota/${root.id}`, { quota: 5_000_000, remark: "for the tests" });
});
afterAll(() => site.close());

type Created = TokenRow & { key: string };
const makeToken = (name: string, more: object = {}) =>
  site.api<Created>("POST", "/token", { name, unlimited_quota: true, ...more });
const rowOf = (page: Page, name: string) => page.getByRole("row").filter({ hasText: name });

async function ask(key: string): Promise<string | null> {
  const answer = await fetch(`${site.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "demo-chat", max_tokens: 40, messages: [{ role: "user", content: "Hi" }] }),
  });
  expect(answer.status).toBe(200);
  await answer.text();
  return answer.headers.get("x-gateway-cache");
}

describe("the list of all tokens", () => {
  it("is searched by owner, and a token gets another owner and a new key", async () => {
    const { id, key } = await makeToken("For the shop");
    const heir = await site.api<UserDetail>("POST", "/user", {
      username: "the-heir",
      password: "long enough",
    });
    const page = await site.open("/panel/token");
    await page.getByText("All users'", { exact: true }).click();
    await page.waitForURL("**/token?view=all");
    await page.getByPlaceholder("Search by name or owner").fill("shop");
    await rowOf(page, "For the shop").getByRole("link", { name: "root" }).waitFor();
    await expect.poll(() => page.getByRole("button", { name: "Copy Key" }).count()).toBe(0);
    await rowOf(page, "For the shop").click();
    const drawer = page.getByRole("dialog", { name: "Edit “For the shop”" });
    const owner = drawer.getByRole("combobox", { name: "User" });
    // The first field has the focus, and its list does not cover the form.
    await expect.poll(() => owner.evaluate((field) => field === document.activeElement)).toBe(true);
    expect(await owner.getAttribute("aria-expanded")).toBe("false");
    await owner.fill("the-h");
    await page.getByRole("option", { name: "the-heir" }).click();
    await drawer.getByText("The old key stops working immediately").waitFor();
    await drawer.getByRole("button", { name: "Save and transfer" }).click();
    await page.getByText("Token transferred").waitFor();
    await rowOf(page, "For the shop").getByRole("link", { name: "the-heir" }).waitFor();
    const found = await site.api<{ data: TokenAdminRow[] }>("GET", `/token/admin/search?token_id=${id}`);
    expect(found.data[0]?.user_id).toBe(heir.id);
    const refused = await fetch(`${site.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
    expect(refused.status).toBe(401);
  });

  it("asks for confirmation before a chosen owner is discarded", async () => {
    await makeToken("Undecided");
    await site.api("POST", "/user", { username: "another", password: "long enough" });
    const page = await site.open("/panel/token?view=all&keyword=Undecided");
    await rowOf(page, "Undecided").click();
    const drawer = page.getByRole("dialog", { name: "Edit “Undecided”" });
    await drawer.getByRole("combobox", { name: "User" }).fill("another");
    await page.getByRole("option", { name: "another" }).click();
    await drawer.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("dialog", { name: "Leave without saving?" }).waitFor();
  });

  it("lets an administrator disable a token", async () => {
    const { key } = await makeToken("Runaway");
    const page = await site.open("/panel/token?view=all&keyword=Runaway");
    await rowOf(page, "Runaway").hover();
    await page.getByRole("button", { name: "More actions for Runaway" }).click();
    await page.getByRole("menuitem", { name: "Disable" }).click();
    await rowOf(page, "Runaway").getByText("Disabled").waitFor();
    const refused = await fetch(`${site.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
    expect(refused.status).toBe(401);
  });

  it("shows cards on a phone, no wider than the screen", async () => {
    const page = await site.open("/panel/token?view=all", { phone: true });
    await page.getByRole("listitem").filter({ hasText: "Runaway" }).waitFor();
    await expect
      .poll(() => page.evaluate(() => document.documentElement.scrollWidth))
      .toBeLessThanOrEqual(390);
  });
});

describe("further options of a token", () => {
  it("include a billing tag that filters the log, and cached responses", async () => {
    const { key } = await makeToken("Nightly");
    const page = await site.open("/panel/token");
    await rowOf(page, "Nightly").click();
    const drawer = page.getByRole("dialog", { name: "Edit “Nightly”" });
    await drawer.getByLabel("Billing tag").fill("research");
    await drawer.getByRole("switch", { name: "Cache responses" }).click();
    await drawer.getByRole("switch", { name: "Also cache streams with tools" }).waitFor();
    await drawer.getByRole("button", { name: "Save" }).click();
    await page.getByText("Token saved").waitFor();
    await rowOf(page, "Nightly").getByText("research").waitFor();
    await rowOf(page, "Nightly").getByRole("img", { name: "Caches responses" }).waitFor();
    expect([await ask(key), await ask(key)]).toEqual(["miss", "hit"]);
    const log = await site.api<LogPage>("GET", "/log?billing_tag=research");
    expect(log.data.map((row) => row.cache_hit)).toEqual([true, false]);

    await page.goto("/panel/log?billing_tag=research");
    const hit = page.getByRole("row").filter({ has: page.getByRole("img", { name: "From the cache" }) });
    await hit.getByText("Free").waitFor();
    await expect.poll(() => page.locator("tbody tr").count()).toBe(2);
    await hit.click();
    await page.getByText("Served from the cache. No channel was called.").first().waitFor();
    await page.getByText("research").first().waitFor();
  });

  it("allow searching the list by tag", async () => {
    const page = await site.open("/panel/token");
    await page.getByPlaceholder("Billing tag").fill("research");
    await page.waitForURL("**/token?billing_tag=research");
    await expect.poll(() => page.locator("tbody tr").count()).toBe(1);
    await rowOf(page, "Nightly").waitFor();
  });
});
