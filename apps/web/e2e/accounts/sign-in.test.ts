import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
// The identity providers are those of the server's tests; here a browser uses them.
import {
  type OpenIdServer,
  startOpenId,
  startWeChat,
  type WireServer,
} from "../../../server/test/identity-providers.ts";
import { rootUser } from "../support/installation.ts";
import { hear } from "../support/shown-texts.ts";
import { openSite, type Site } from "../support/site.ts";

let site: Site;
let openId: OpenIdServer;
let wechat: WireServer;

beforeAll(async () => {
  [site, wechat] = await Promise.all([openSite(), startWeChat()]);
  openId = await startOpenId(`${site.url}/oauth/oidc`);
  await configure({
    ServerAddress: site.url,
    OIDCIssuer: openId.url,
    OIDCClientId: openId.client.id,
    OIDCClientSecret: openId.client.secret,
    WeChatServerAddress: wechat.url,
    WeChatServerToken: wechat.credentials.secret,
    GitHubClientId: "client-of-github",
    GitHubClientSecret: "secret",
    LarkClientId: "app-of-lark",
    LarkClientSecret: "secret",
  });
  await configure({ OIDCAuthEnabled: true, WeChatAuthEnabled: true });
});
afterAll(async () => {
  await Promise.all([site.close(), openId.close(), wechat.close()]);
});

async function configure(values: Record<string, unknown>): Promise<void> {
  for (const [key, value] of Object.entries(values)) await site.api("PUT", "/option", { key, value });
}

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

describe("signing in with an identity provider", () => {
  it("redirects to the OpenID provider and returns signed in, to the requested screen", async () => {
    openId.visitor = { id: "kim", username: "kim.lee", name: "Kim Lee" };
    const page = await site.open("/panel/token", { guest: true });
    await page.waitForURL("**/login?next=*");
    await button(page, "OpenID").click();
    await page.waitForURL("**/panel/token");
    expect(await site.api("GET", "/user?keyword=kim.lee")).toMatchObject({ total_count: 1 });

    await page.goto("/panel/profile?tab=security");
    await page.getByText("kim.lee · connected").waitFor();
    await button(page, "Disconnect OpenID").click();
    await page.getByRole("dialog").getByRole("button", { name: "Disconnect" }).click();
    await page.getByText("This is the only way you can sign in. Set a password first.").waitFor();
  });

  it("accepts the code of the WeChat account, and shows when it is wrong", async () => {
    const page = await site.open("/login", { guest: true });
    await button(page, "WeChat").click();
    const dialog = page.getByRole("dialog");
    // No picture is set, so there is nothing to scan.
    await dialog.getByText("Follow the official account in WeChat", { exact: false }).waitFor();
    await dialog.getByRole("button", { name: "Sign in", exact: true }).click();
    await dialog.getByText("Enter the code").waitFor();
    await dialog.getByLabel("Verification code").fill("1234");
    await dialog.getByRole("button", { name: "Sign in", exact: true }).click();
    await dialog.getByText("did not confirm this sign-in", { exact: false }).waitFor();
    wechat.people.set("567890", { id: "wx-somebody" });
    await dialog.getByLabel("Verification code").fill("567890");
    await dialog.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.waitForURL("**/panel/dashboard");
  });

  it("offers enabled providers only, and sends GitHub and Lark the parameters that they require", async () => {
    const page = await site.open("/login", { guest: true });
    await button(page, "OpenID").waitFor();
    await expect.poll(() => button(page, "GitHub").count()).toBe(0);
    await configure({ GitHubOAuthEnabled: true, LarkAuthEnabled: true });
    await page.reload();
    // Requests to other machines are answered here.
    await page.route(/^https:\/\/(github\.com|open\.feishu\.cn)\//, (route) =>
      route.fulfill({ contentType: "text/html", body: "<title>Elsewhere</title>" }),
    );
    await button(page, "GitHub").click();
    await page.waitForURL("https://github.com/**");
    const github = new URL(page.url());
    expect(github.pathname).toBe("/login/oauth/authorize");
    expect(Object.fromEntries(github.searchParams)).toEqual({
      client_id: "client-of-github",
      scope: "user:email",
      state: expect.stringMatching(/^\w{43}$/) as string,
    });
    await page.goto(`${site.url}/login`);
    await button(page, "Lark").click();
    await page.waitForURL("https://open.feishu.cn/**");
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
      app_id: "app-of-lark",
      redirect_uri: `${site.url}/oauth/lark`,
      state: expect.stringMatching(/^\w{43}$/) as string,
    });
    await configure({ GitHubOAuthEnabled: false, LarkAuthEnabled: false });
  });
});

/** Locates the status on the page that the provider redirects to. */
const state = "main [role=status]";

describe("the page after the redirect", () => {
  it("tries three times while the server has errors, shows the count, then goes to the login page", async () => {
    const page = await site.open("/login", { guest: true });
    const output = await hear(page, state);
    let requested = 0;
    await page.route("**/api/oauth/oidc?*", (route) => {
      requested += 1;
      return route.fulfill({ status: 502, json: { success: false, message: "", code: "upstream_failed" } });
    });
    await page.goto("/oauth/oidc?code=c&state=s");
    await page.waitForURL("**/login");
    await expect
      .poll(() => output)
      .toEqual([
        "Processing…",
        "Sign-in failed. Trying again (2 of 3)…",
        "Sign-in failed. Trying again (3 of 3)…",
        "Attempt 3 of 3 failed. Returning to the sign-in page…",
      ]);
    expect(requested).toBe(3);
  });

  it("does not repeat a rejected sign-in, and shows the reason", async () => {
    const page = await site.open("/login", { guest: true });
    const output = await hear(page, state);
    const refused = "Returning to the sign-in page…";
    await page.goto("/oauth/oidc?code=c&state=made-up");
    await page
      .getByText("This sign-in has expired or was started in another browser", { exact: false })
      .first()
      .waitFor();
    await page.waitForURL("**/login");
    await expect.poll(() => output).toEqual(["Processing…", refused]);
    await page.goto("/oauth/github?error=access_denied");
    await page.getByText("The sign-in was cancelled.", { exact: true }).waitFor();
    await page.waitForURL("**/login");
    await expect.poll(() => output.slice(2).at(-1)).toBe(refused);
    await page.goto("/oauth/wechat");
    await page.waitForURL("**/404");
  });
});

describe("connected accounts in the profile", () => {
  it("are connected and disconnected within the session", async () => {
    openId.visitor = { id: "root-elsewhere", username: "the.boss" };
    await configure({ WeChatAccountQRCodeImageURL: "" });
    const page = await site.open("/panel/profile?tab=security");
    const confirm = async () => {
      await page.getByRole("dialog").getByLabel("Current password").fill(rootUser.password);
      await page.getByRole("dialog").getByRole("button", { name: "Continue" }).click();
    };
    await button(page, "Connect OpenID").click();
    await page.getByRole("dialog").getByLabel("Current password").fill("wrong");
    await page.getByRole("dialog").getByRole("button", { name: "Continue" }).click();
    await page.getByText("The current password is wrong").waitFor();
    await confirm();
    await page.getByText("the.boss · connected").waitFor();
    await page.getByText("root", { exact: true }).first().waitFor();
    wechat.people.set("111", { id: "wx-root" });
    await button(page, "Connect WeChat").click();
    await confirm();
    await page.getByRole("dialog").getByLabel("Verification code").fill("111");
    await page.getByRole("dialog").getByRole("button", { name: "Connect" }).click();
    await button(page, "Disconnect WeChat").click();
    await page.getByRole("dialog").getByRole("button", { name: "Disconnect" }).click();
    await button(page, "Connect WeChat").waitFor();
    expect(await site.api("GET", "/user/self/identities")).toMatchObject([
      { provider: "oidc", label: "the.boss" },
    ]);
  });
});
