/** Features that involve external services: mail, passkeys, checks of visitors, notifications. */
import type { Page } from "@playwright/test";
import { rootUser } from "./support/installation.ts";
import { type MailBox, openMailBox } from "./support/mail-box.ts";
import { expect, test, type Site } from "./support/test.ts";

let site: Site;
let box: MailBox;

test.beforeAll(async ({ site: started }) => {
  box = await openMailBox();
  site = started;
  await site.api("PUT", "/option/batch", {
    values: {
      SystemName: "Ours",
      SMTPServer: "127.0.0.1",
      SMTPPort: box.port,
      SMTPFrom: "gateway@mail.example",
      SMTPRequireTLS: false,
      ServerAddress: site.url,
      EmailVerificationEnabled: true,
    },
  });
});
test.afterAll(() => box.close());

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const password = (page: Page, name: string) => page.getByRole("textbox", { name, exact: true });

async function signOut(page: Page): Promise<void> {
  await button(page, "Account").click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.waitForURL("**/login");
}

test.describe("a guest", () => {
  test.use({ guest: true });

  test("an email address is verified at sign-up, and receives a password reset link that works once", async ({
    page,
  }) => {
    await test.step("the sign-up names what is missing, and refuses a wrong code", async () => {
      await page.goto("/register");
      await page.getByLabel("Username").fill("mailer");
      await password(page, "Password").fill("long enough");
      await password(page, "Repeat the password").fill("long enough");
      await button(page, "Create account").click();
      await expect(page.getByText("Enter your email address")).toBeVisible();
      await page.getByLabel("Email").fill("mailer@mail.example");
      await button(page, "Send code").click();
      await expect(page.getByText("A code was sent to mailer@mail.example")).toBeVisible();
      await expect(page.getByRole("button", { name: /^Resend in \d+ s$/ })).toBeVisible();
      const code = /^\d{6}$/m.exec(await box.take("mailer@mail.example"))![0];
      await page.getByLabel("Verification code").fill(code === "000000" ? "111111" : "000000");
      await button(page, "Create account").click();
      await expect(page.getByText("The code is wrong or has expired")).toBeVisible();
      await page.getByLabel("Verification code").fill(code);
      await button(page, "Create account").click();
      await page.waitForURL("**/panel/dashboard");
    });
    await signOut(page);
    await page.getByRole("link", { name: "Forgot your password?" }).click();
    await page.waitForURL("**/reset");
    await page.getByLabel("Email", { exact: true }).fill("mailer@mail.example");
    await button(page, "Send the link").click();
    await expect(page.getByText("If an account uses mailer@mail.example")).toBeVisible();
    const link = /http\S+/.exec(await box.take("mailer@mail.example"))![0];
    await test.step("the link does not stay in the address, and sets a password that is typed twice", async () => {
      await page.goto(link);
      await expect(page.getByText("For mailer@mail.example.")).toBeVisible();
      await expect(page).not.toHaveURL(/token/);
      await password(page, "New password").fill("another one");
      await password(page, "Repeat the new password").fill("another on");
      await button(page, "Save password").click();
      await expect(page.getByText("Passwords do not match")).toBeVisible();
      await password(page, "Repeat the new password").fill("another one");
      await button(page, "Save password").click();
      await page.waitForURL("**/login");
    });
    await test.step("the link is refused the second time", async () => {
      await page.goto(link);
      await password(page, "New password").fill("third one!");
      await password(page, "Repeat the new password").fill("third one!");
      await button(page, "Save password").click();
      await expect(page.getByText("This link has expired or was already used.")).toBeVisible();
    });
    await page.goto("/login");
    await page.getByLabel("Username or email").fill("mailer@mail.example");
    await password(page, "Password").fill("another one");
    await button(page, "Sign in").click();
    await page.waitForURL("**/panel/dashboard");
  });

  test("the check of visitors loads Cloudflare's script alone, and blocks sign-in while it runs", async ({
    page,
  }) => {
    const policy = async () => (await page.request.get("/login")).headers()["content-security-policy"] ?? "";
    expect(await policy()).not.toContain("cloudflare");
    const key = { TurnstileSiteKey: "key", TurnstileSecretKey: "secret" };
    await site.api("PUT", "/option/batch", { values: { ...key, TurnstileCheckEnabled: true } });
    try {
      const complaints: string[] = [];
      page.on("console", (message) => {
        if (message.text().includes("Content Security Policy")) complaints.push(message.text());
      });
      // Replaces the widget, and passes on demand.
      await page.route("https://challenges.cloudflare.com/**", (route) =>
        route.fulfill({
          contentType: "text/javascript",
          body: `window.turnstile = {
            ready: (go) => go(), remove: () => {}, reset: () => {}, getResponse: () => undefined,
            render: (_place, options) => { window.passCheck = () => options.callback("token"); return "1"; },
          }; window.onloadTurnstileCallback?.();`,
        }),
      );
      await page.goto("/login");
      await page.waitForFunction(() => "passCheck" in window);
      await page.getByLabel("Username or email").fill("someone");
      await password(page, "Password").fill("another one");
      await button(page, "Sign in").click();
      await expect(
        page.getByText("Turnstile is checking the user environment, try again in a few seconds."),
      ).toBeVisible();
      await page.evaluate(() => (window as unknown as { passCheck(): void }).passCheck());
      await button(page, "Sign in").click();
      // The service cannot be reached from here, so no visitor passes the check.
      await expect(
        page.getByText("The browser check service cannot be reached. Try again in a moment."),
      ).toBeVisible();
      expect(complaints).toEqual([]);
      expect(await policy()).toContain("script-src 'self' https://challenges.cloudflare.com;");
    } finally {
      await site.api("PUT", "/option", { key: "TurnstileCheckEnabled", value: false });
    }
  });
});

test("a passkey is added in the profile, signs in without name and password, and is removed", async ({
  page,
}) => {
  await page.goto("/panel/profile?tab=security");
  const devices = await page.context().newCDPSession(page);
  await devices.send("WebAuthn.enable");
  await devices.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  await button(page, "Add passkey").click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Laptop");
  await dialog.getByRole("textbox", { name: "Current password" }).fill("wrong");
  await dialog.getByRole("button", { name: "Continue" }).click();
  await expect(dialog.getByText("The current password is wrong")).toBeVisible();
  await dialog.getByRole("textbox", { name: "Current password" }).fill(rootUser.password);
  await dialog.getByRole("button", { name: "Continue" }).click();
  await expect(button(page, "Remove Laptop")).toBeVisible();

  // Signing out would end the session of the other tests.
  await page.context().clearCookies();
  const signedIn = Promise.withResolvers<void>();
  await page.route(
    "**/api/user/self",
    async (route) => {
      const response = await route.fetch();
      await signedIn.promise;
      await route.fulfill({ response });
    },
    { times: 1 },
  );
  await page.goto("/login");
  await button(page, "Sign in with a passkey").click();
  await page.waitForURL("**/panel/dashboard");
  await test.step("a late response to a request from before the sign-in does not end the session", async () => {
    const late = page.waitForResponse("**/api/user/self");
    signedIn.resolve();
    expect((await late).status()).toBe(401);
  });

  await button(page, "Account").click();
  await page.getByRole("menuitem", { name: "Settings" }).click();
  await page.getByRole("tab", { name: "Security" }).click();
  await expect(page.getByText("last used")).toBeVisible();
  await button(page, "Remove Laptop").click();
  await dialog.getByRole("button", { name: "Remove" }).click();
  await expect(page.getByText("You have no passkeys. Add one for each device")).toBeVisible();
});

test(
  "settings send test mail and test notifications, and are exported and imported with a preview",
  { tag: "@nightly" },
  async ({ page }) => {
    await page.goto("/panel/setting?section=mail");
    const mail = page.getByRole("form", { name: "Outgoing email", exact: true });
    await mail.getByRole("button", { name: "Send me a test email" }).click();
    await page.getByText("A test email was sent to gateway@mail.example").waitFor();
    expect(await box.take("gateway@mail.example")).toContain("邮件设置可用");
    await mail.getByRole("textbox", { name: "Sender address" }).fill("sender@mail.example");
    await mail.getByRole("button", { name: "Save and test" }).click();
    await page.getByText("A test email was sent to sender@mail.example").waitFor();
    expect(await box.take("sender@mail.example")).toContain("邮件设置可用");

    await page.getByRole("tab", { name: "Notices" }).click();
    await page.getByRole("navigation", { name: "Sections" }).getByRole("link", { name: "Webhook" }).click();
    const hook = page.getByRole("form", { name: "Webhook", exact: true });
    await hook.getByRole("switch", { name: "Enable this destination" }).click();
    await hook.getByLabel("Webhook address").fill("http://127.0.0.1:9/in");
    await hook.getByLabel("A channel recovered").uncheck();
    await hook.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Saved", { exact: true }).waitFor();
    await hook.getByRole("button", { name: "Send a test message" }).click();
    await page.getByText("Only public URLs can be fetched.").waitFor();

    await page.getByRole("button", { name: "More" }).click();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("menuitem", { name: "Export settings" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe("Ours-settings.json");
    const file = {
      values: { SystemName: "Theirs", SMTPServer: "127.0.0.1", SMTPToken: "x", Unheard: 1 },
    };
    await page.getByRole("button", { name: "More" }).click();
    const [chooser] = await Promise.all([
      page.waitForEvent("filechooser"),
      page.getByRole("menuitem", { name: "Import settings" }).click(),
    ]);
    await chooser.setFiles({
      name: "settings.json",
      mimeType: "application/json",
      buffer: Buffer.from(JSON.stringify(file)),
    });
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Theirs").waitFor();
    await dialog.getByRole("row", { name: "Unheard Not imported: unknown setting" }).waitFor();
    await dialog.getByRole("row", { name: /SMTPToken Not imported: secret$/ }).waitFor();
    await dialog.getByRole("button", { name: "Import" }).click();
    await page.getByText("Settings imported").waitFor();
    expect(await site.api("GET", "/option")).toMatchObject({ SystemName: "Theirs" });
  },
);
