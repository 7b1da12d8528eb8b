import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSite, type Site } from "./support/site.ts";

let site: Site;

beforeAll(async () => {
  site = await openSite();
});
afterAll(() => site.close());

const section = (page: Page, name: string) => page.getByRole("form", { name, exact: true });

async function settings(): Promise<Record<string, unknown>> {
  return site.api("GET", "/option");
}

describe("settings", () => {
  it("are saved by section, marked until then, and can be reset to their default", async () => {
    const page = await site.open("/panel/setting");
    const retries = section(page, "Retries");
    const attempts = retries.getByRole("textbox", { name: "Additional attempts" });
    await attempts.fill("7");
    await section(page, "Timeouts").getByRole("textbox", { name: "Connection timeout" }).fill("2.5");
    await retries.getByText("Not saved").waitFor();
    await retries.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved", { exact: true }).waitFor();
    expect(await settings()).toMatchObject({ RetryTimes: 7, ConnectTimeoutMs: 5000 });
    await section(page, "Timeouts").getByRole("button", { name: "Save" }).click();
    await expect.poll(settings).toMatchObject({ ConnectTimeoutMs: 2500 });

    await retries.getByRole("button", { name: "Additional attempts: Reset to default: 3" }).click();
    await expect.poll(() => attempts.inputValue()).toBe("3");
    await retries.getByRole("button", { name: "Save" }).click();
    await expect.poll(settings).toMatchObject({ RetryTimes: 3 });
  });

  it("have discounts as rows, of which only complete ones are saved", async () => {
    const page = await site.open("/panel/setting?q=RechargeDiscount");
    await page.getByRole("button", { name: "Add discount" }).click();
    await page.getByLabel("Amount of discount 1").fill("100");
    await page.getByLabel("Percentage of discount 1").fill("10");
    await page.getByRole("button", { name: "Add discount" }).click();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved", { exact: true }).waitFor();
    await expect.poll(async () => (await settings())["RechargeDiscount"]).toBe('{"100":0.9}');
    await page.reload();
    await expect.poll(() => page.getByLabel("Percentage of discount 1").inputValue()).toBe("10%");
    expect(await page.getByLabel("Amount of discount 2").count()).toBe(0);
  });

  it("show errors before and after sending, and keep the input", async () => {
    const page = await site.open("/panel/setting?tab=system");
    const address = section(page, "Address");
    await address.getByRole("textbox", { name: "Server address" }).fill("nowhere");
    await address.getByText("Enter an address like https://ai.example.com, without ? or #").waitFor();
    await expect.poll(() => address.getByRole("button", { name: "Save" }).isDisabled()).toBe(true);

    const github = section(page, "GitHub");
    await github.getByRole("switch", { name: "Sign-in with GitHub" }).press("Space");
    await github.getByRole("button", { name: "Save" }).click();
    await github
      .getByText("Fill in the required fields of this sign-in method before you turn it on.")
      .waitFor();
    await github.getByLabel("Client ID").fill("our app");
    await github.getByRole("textbox", { name: "Client secret" }).fill("kept to ourselves");
    await github.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved", { exact: true }).waitFor();
    expect(await settings()).toMatchObject({ GitHubOAuthEnabled: true, secrets_set: ["GitHubClientSecret"] });
    await expect.poll(() => github.getByRole("textbox", { name: "Client secret" }).inputValue()).toBe("");
  });

  it("show why a feature in use cannot lose its settings; a stored secret can be removed", async () => {
    await site.api("PUT", "/option/batch", {
      values: { LarkClientId: "our app", LarkClientSecret: "kept to ourselves", LarkAuthEnabled: true },
    });
    const page = await site.open("/panel/setting?tab=system");
    const lark = section(page, "Lark");
    await lark.getByRole("textbox", { name: "App ID" }).fill("");
    await lark.getByRole("button", { name: "Save" }).click();
    const refusal = lark.getByText(
      "Fill in the required fields of this sign-in method before you turn it on.",
    );
    await refusal.waitFor();
    expect(await settings()).toMatchObject({ LarkAuthEnabled: true, LarkClientId: "our app" });
    await lark.getByRole("button", { name: "Discard" }).click();
    await refusal.waitFor({ state: "detached" });

    await lark.getByRole("switch", { name: "Sign-in with Lark" }).press("Space");
    await lark.getByRole("button", { name: "App secret: Remove" }).click();
    await lark.getByPlaceholder("Will be removed when you save").waitFor();
    await lark.getByRole("button", { name: "App secret: Discard" }).click();
    await lark.getByPlaceholder("Stored. Type to replace it.").waitFor();
    await lark.getByRole("button", { name: "App secret: Remove" }).click();
    await lark.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved", { exact: true }).waitFor();
    expect(await settings()).toMatchObject({ LarkAuthEnabled: false });
    expect((await settings())["secrets_set"]).not.toContain("LarkClientSecret");
  });

  it("are found by their labels in every tab", async () => {
    const page = await site.open("/panel/setting");
    await page.getByPlaceholder("Search settings").fill("footer");
    await section(page, "Footer").waitFor();
    await expect.poll(() => section(page, "Retries").count()).toBe(0);
    await page.getByPlaceholder("Search settings").fill("RetryCooldown");
    await section(page, "Retries").waitFor();
    await page.getByPlaceholder("Search settings").fill("no such thing");
    await page.getByText("No matching settings.").waitFor();
  });

  it("ask before unsaved changes are discarded", async () => {
    const page = await site.open("/panel/setting");
    await section(page, "Retries").getByRole("textbox", { name: "Additional attempts" }).fill("9");
    await page.getByRole("link", { name: "Profile" }).first().click();
    await page.getByRole("dialog", { name: "Leave without saving?" }).waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("tab", { name: "System" }).click();
    await page.getByRole("tab", { name: "Operation" }).click();
    const attempts = section(page, "Retries").getByRole("textbox", { name: "Additional attempts" });
    await expect.poll(() => attempts.inputValue()).toBe("9");
  });

  it("block Back until the user confirms, and then leave", async () => {
    const page = await site.open("/panel/profile");
    await page.getByRole("link", { name: "Settings", exact: true }).click();
    const attempts = section(page, "Retries").getByRole("textbox", { name: "Additional attempts" });
    await attempts.fill("9");
    const question = page.getByRole("dialog", { name: "Leave without saving?" });
    await page.evaluate(() => history.back());
    await question.getByRole("button", { name: "Cancel" }).click();
    await question.waitFor({ state: "hidden" });
    await expect.poll(() => page.url()).toContain("/panel/setting");
    await expect.poll(() => attempts.inputValue()).toBe("9");
    await page.evaluate(() => history.back());
    await question.getByRole("button", { name: "Discard changes" }).click();
    await page.waitForURL("**/panel/profile");
    await page.getByRole("heading", { name: "Profile", exact: true }).waitFor();
    await page.evaluate(() => history.forward());
    await page.waitForURL("**/panel/setting");
    await attempts.waitFor();
    await expect.poll(() => attempts.inputValue()).not.toBe("9");
  });

  it("show the chat clients as editable rows", async () => {
    const page = await site.open("/panel/setting");
    const clients = section(page, "Chat clients");
    await clients.getByRole("button", { name: "Add client" }).click();
    await clients.getByRole("textbox", { name: "Name of client 1" }).fill("Ours");
    await clients.getByRole("textbox", { name: "Address of client 1" }).fill("javascript:alert(1)");
    await clients
      .getByText(/must not run code here/)
      .first()
      .waitFor();
    await expect.poll(() => clients.getByRole("button", { name: "Save" }).isDisabled()).toBe(true);
    const good = "https://chat.example.com/?k={key}&s={server}";
    await clients.getByRole("textbox", { name: "Address of client 1" }).fill(good);
    await clients.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved", { exact: true }).waitFor();
    const { ChatLinks } = await settings();
    expect(JSON.parse(String(ChatLinks))).toEqual([{ name: "Ours", url: good, show: true, sort: 1 }]);
  });

  it("preview the operator's texts as visitors see them, without running scripts", async () => {
    const page = await site.open("/panel/setting?tab=other");
    const about = section(page, "About page");
    await about
      .getByRole("textbox", { name: "About page" })
      .fill(
        "# Who we are\n\n<img src=x onerror=\"document.title='run'\">Hello <script>document.title='run'</script>",
      );
    await about.getByRole("heading", { name: "Who we are" }).waitFor();
    await about.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved", { exact: true }).waitFor();
    const identity = section(page, "Identity");
    await identity.getByRole("textbox", { name: "System name" }).fill("Our gateway");
    await identity.getByRole("button", { name: "Save" }).click();
    await page.getByRole("banner").getByText("Our gateway").waitFor();
    await expect.poll(() => page.title()).not.toBe("run");

    const guest = await site.open("/about", { guest: true });
    await guest.getByRole("heading", { name: "Who we are" }).waitFor();
    await expect.poll(() => guest.title()).not.toBe("run");
  });

  it("are complete in every language and fit a phone", async () => {
    for (const [locale, title] of [
      ["zh-CN", "设置"],
      ["zh-HK", "設定"],
      ["ja-JP", "設定"],
    ] as const) {
      const page = await site.open("/panel/setting", { phone: true, dark: true, locale });
      await page.getByRole("heading", { name: title, exact: true }).waitFor();
      for (const tab of await page.getByRole("tab").all()) {
        await tab.click();
        await page.getByRole("form").first().waitFor();
        const wide = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
        expect(wide).toBe(false);
      }
    }
  });
});

describe("the audit log", () => {
  it("shows who changed what, before and after", async () => {
    await site.api("PUT", "/option", { key: "HeartbeatSeconds", value: 33 });
    const page = await site.open("/panel/audit?target_id=HeartbeatSeconds");
    const row = page.getByRole("row").filter({ hasText: "15 → 33" });
    await expect.poll(() => row.textContent()).toContain("Timeouts · Heartbeat interval");
    await row.click();
    const details = page.getByRole("dialog", { name: "Setting changed" });
    await details.getByRole("cell", { name: "33" }).waitFor();
    await details.getByText("root", { exact: true }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("searchbox", { name: "Username" }).fill("nobody");
    await page.getByText("No results").waitFor();
  });
});
