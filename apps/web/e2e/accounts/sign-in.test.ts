import type { Page } from "@playwright/test";
// The identity providers are those of the server's tests; here a browser uses them.
import {
  type OpenIdServer,
  startOpenId,
  startWeChat,
  type WireServer,
} from "../../../server/test/identity-providers.ts";
import { goTo } from "../support/go-to.ts";
import { rootUser } from "../support/installation.ts";
import { hear } from "../support/screens/shown-texts.ts";
import { expect, test, type Site } from "../support/test.ts";

let site: Site;
let openId: OpenIdServer;
let wechat: WireServer;

test.beforeAll(async ({ site: started }) => {
  site = started;
  [wechat, openId] = await Promise.all([startWeChat(), startOpenId(`${site.url}/oauth/oidc`)]);
  await configure({
    ServerAddress: site.url,
    OIDCIssuer: openId.url,
    OIDCClientId: openId.client.id,
    OIDCClientSecret: openId.client.secret,
    WeChatServerAddress: wechat.url,
    WeChatServerToken: wechat.credentials.secret,
  });
  await configure({ OIDCAuthEnabled: true, WeChatAuthEnabled: true });
});
test.afterAll(async () => {
  await Promise.all([openId.close(), wechat.close()]);
});

async function configure(values: Record<string, unknown>): Promise<void> {
  for (const [key, value] of Object.entries(values)) await site.api("PUT", "/option", { key, value });
}

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

test.describe("a guest", () => {
  test.use({ guest: true });

  test("is redirected to the OpenID provider and returns signed in, to the requested screen", async ({
    page,
  }) => {
    openId.visitor = { id: "kim", username: "kim.lee", name: "Kim Lee" };
    await page.goto("/panel/token");
    await page.waitForURL("**/login?next=*");
    await button(page, "OpenID").click();
    await page.waitForURL("**/panel/token");
    expect(await site.api("GET", "/user?keyword=kim.lee")).toMatchObject({ total_count: 1 });

    await goTo(page, "/panel/profile?tab=security");
    await page.getByText("kim.lee · connected").waitFor();
    await button(page, "Disconnect OpenID").click();
    await page.getByRole("dialog").getByRole("button", { name: "Disconnect" }).click();
    await page.getByText("This is the only way you can sign in. Set a password first.").waitFor();
  });

  test("sees the enabled providers only, and signs in with the code of the WeChat account", async ({
    page,
  }) => {
    await page.goto("/login");
    await button(page, "OpenID").waitFor();
    await expect(button(page, "GitHub")).toHaveCount(0);
    await button(page, "WeChat").click();
    const dialog = page.getByRole("dialog");
    // No picture is set, so there is nothing to scan.
    await dialog.getByText("Follow the official account in WeChat", { exact: false }).waitFor();
    await dialog.getByRole("button", { name: "Sign in", exact: true }).click();
    await dialog.getByText("Enter the code").waitFor();
    await dialog.getByLabel("Verification code").fill("1234");
    await dialog.getByRole("button", { name: "Sign in", exact: true }).click();
    await dialog.getByText("did not confirm this sign-in", { exact: false }).waitFor();
    wechat.people.set("567890", { id: "wx-member" });
    await dialog.getByLabel("Verification code").fill("567890");
    await dialog.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.waitForURL("**/panel/dashboard");

    await test.step("a browser without one of our languages shows the console in that of the account", async () => {
      const status = await page.evaluate(async () => {
        const body = JSON.stringify({ language: "ja_JP" });
        const headers = { "content-type": "application/json" };
        return (await fetch("api/user/self", { method: "PUT", headers, body })).status;
      });
      expect(status).toBe(200);
      wechat.people.set("678901", { id: "wx-member" });
      const other = await site.open("/login", { guest: true, locale: "fr-FR" });
      await button(other, "微信").click();
      await other.getByRole("dialog").getByLabel("验证码").fill("678901");
      await other.getByRole("dialog").getByRole("button", { name: "登录", exact: true }).click();
      await other.waitForURL("**/panel/dashboard");
      await expect(other.locator("html")).toHaveAttribute("lang", "ja-JP");
    });
  });

  test(
    "whose sign-in fails after the redirect sees the reason and a link to the sign-in page",
    { tag: "@nightly" },
    async ({ page }) => {
      const output = await hear(page, "main [role=status]");
      const refused = "1 attempt failed. Returning to the sign-in page…";

      await test.step("errors of the server are retried twice, with a count", async () => {
        let requests = 0;
        await page.route("**/api/oauth/oidc?*", (route) => {
          requests += 1;
          return route.fulfill({
            status: 502,
            json: { success: false, message: "", code: "upstream_failed" },
          });
        });
        await page.goto("/oauth/oidc?code=c&state=s");
        await page.waitForURL("**/login");
        await expect
          .poll(() => output)
          .toEqual([
            "Processing…",
            "Sign-in failed. Trying again (2 of 3)…",
            "Sign-in failed. Trying again (3 of 3)…",
            "3 attempts failed. Returning to the sign-in page…",
          ]);
        expect(requests).toBe(3);
        await page.unroute("**/api/oauth/oidc?*");
      });

      await test.step("a rejected sign-in is not repeated", async () => {
        await goTo(page, "/oauth/oidc?code=c&state=made-up");
        await page
          .getByText("This sign-in has expired or was started in another browser", { exact: false })
          .first()
          .waitFor();
        await page.waitForURL("**/login");
        await expect.poll(() => output.slice(4)).toEqual(["Processing…", refused]);
      });

      await test.step("a cancelled sign-in is reported", async () => {
        await goTo(page, "/oauth/github?error=access_denied");
        await page.getByText("The sign-in was cancelled.", { exact: true }).waitFor();
        await page.waitForURL("**/login");
        await expect.poll(() => output.slice(6).at(-1)).toBe(refused);
      });

      await test.step("WeChat, which does not redirect, has no such page", async () => {
        await goTo(page, "/oauth/wechat");
        await page.waitForURL("**/404");
      });
    },
  );
});

test(
  "accounts of identity providers are connected and disconnected in the profile, within the session",
  { tag: "@nightly" },
  async ({ page }) => {
    openId.visitor = { id: "root-elsewhere", username: "the.boss" };
    await configure({ WeChatAccountQRCodeImageURL: "" });
    await page.goto("/panel/profile?tab=security");
    const dialog = page.getByRole("dialog");
    const confirm = async (password: string) => {
      await dialog.getByLabel("Current password").fill(password);
      await dialog.getByRole("button", { name: "Continue" }).click();
    };

    await test.step("OpenID is connected after the current password", async () => {
      await button(page, "Connect OpenID").click();
      await confirm("wrong");
      await page.getByText("The current password is wrong").waitFor();
      await confirm(rootUser.password);
      await page.getByText("the.boss · connected").waitFor();
      await page.getByText("root", { exact: true }).first().waitFor();
    });

    await test.step("WeChat is connected with a code, and disconnected", async () => {
      wechat.people.set("111", { id: "wx-root" });
      await button(page, "Connect WeChat").click();
      await confirm(rootUser.password);
      await dialog.getByLabel("Verification code").fill("111");
      await dialog.getByRole("button", { name: "Connect" }).click();
      await button(page, "Disconnect WeChat").click();
      await dialog.getByRole("button", { name: "Disconnect" }).click();
      await button(page, "Connect WeChat").waitFor();
      expect(await site.api("GET", "/user/self/identities")).toMatchObject([
        { provider: "oidc", label: "the.boss" },
      ]);
    });
  },
);
