import { createHmac } from "node:crypto";
import type { Page } from "@playwright/test";
import { goTo } from "../support/go-to.ts";
import { expect, test, type Site } from "../support/test.ts";
import { newSession, sessionStatus, signInAs } from "./common-steps.ts";

let site: Site;
const password = "long enough";

test.beforeAll(async ({ site: started }) => {
  site = started;
});

/**
 * Returns the authenticator app's code for this secret, `later` half minutes from now. The server also
 * accepts the codes of the adjacent half minutes, but none older than the last used one.
 */
function codeOf(secret: string, later = 0): string {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  const bits = Array.from(secret, (letter) => alphabet.indexOf(letter).toString(2).padStart(5, "0")).join("");
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + later));
  const mac = createHmac("sha1", key).update(counter).digest();
  const number = mac.readUInt32BE(mac.at(-1)! & 15) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, "0");
}

/** Creates an account and opens a screen as this account. */
async function openAs(page: Page, username: string, path: string): Promise<void> {
  await site.api("POST", "/user", { username, password });
  await signInAs(page, site, username, password);
  await page.goto(path);
}

test(
  "a profile has a name, a picture, and an access token that is shown once",
  { tag: "@nightly" },
  async ({ page }) => {
    const picture = "https://pictures.example/face.png";
    await page.route(picture, (route) => route.fulfill({ status: 404 }));
    await openAs(page, "details", "/panel/profile");
    const save = page.getByRole("button", { name: "Save" });

    await test.step("name and picture are saved and shown at once", async () => {
      await page.getByLabel("Display name").fill("小明");
      await page.getByLabel("Image URL").fill("javascript:alert(1)");
      await save.click();
      await page.getByText("The address must be an http or https URL").waitFor();
      const requested = page.waitForRequest(picture);
      await page.getByLabel("Image URL").fill(picture);
      await save.click();
      await page.getByText("Profile saved").waitFor();
      await requested;
      await expect(save).toBeDisabled();
    });

    await test.step("an access token is created with the password, and revoked after a question", async () => {
      const dialog = page.getByRole("dialog");
      const create = page.getByRole("button", { name: "Create access token" });
      await page.getByRole("tab", { name: "API access" }).click();
      await create.click();
      await dialog.getByLabel("Current password").fill(password);
      await dialog.getByRole("button", { name: "Create access token" }).click();
      const token = (await page.getByTestId("access-token").textContent()) ?? "";
      const status = async () =>
        (await fetch(`${site.url}/api/user/self`, { headers: { authorization: token } })).status;
      expect(await status()).toBe(200);
      await page.getByRole("button", { name: "Done" }).click();
      await expect(dialog).toHaveCount(0);
      await expect(page.getByText(token)).toHaveCount(0);
      await page.getByRole("button", { name: "Revoke" }).click();
      await dialog.getByRole("button", { name: "Revoke" }).click();
      await create.waitFor();
      expect(await status()).toBe(401);
    });
  },
);

test(
  "sessions of other devices end one by one, and with a new password",
  { tag: "@nightly" },
  async ({ page }) => {
    await site.api("POST", "/user", { username: "changer", password });
    const newDevice = (browser: string) =>
      newSession(site, "changer", password, {
        "user-agent": `Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) ${browser}`,
      });
    const chrome = await newDevice("Chrome/140.0.0.0 Safari/537.36");
    const edge = await newDevice("Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0");
    await signInAs(page, site, "changer", password);
    await page.goto("/panel/profile?tab=security");
    const signOut = page.getByRole("button", { name: /^Sign out (Chrome|Edge)/ });

    await test.step("a single session ends", async () => {
      await page.getByText("Current", { exact: true }).waitFor();
      await expect(signOut).toHaveCount(2);
      await page.getByRole("button", { name: /^Sign out Chrome/ }).click();
      await expect(signOut).toHaveCount(1);
      expect(await sessionStatus(site, chrome)).toBe(401);
      expect(await sessionStatus(site, edge)).toBe(200);
    });

    await test.step("a new password requires the current one and ends all other sessions", async () => {
      const change = async (current: string) => {
        await page.getByRole("textbox", { name: "Current password" }).fill(current);
        await page.getByRole("textbox", { name: "New password", exact: true }).fill("a brand new one");
        const repeated = page.getByRole("textbox", { name: "Repeat the new password" });
        await repeated.fill("a brand new one");
        await repeated.press("Enter");
      };
      await change("not this one");
      await page.getByText("The current password is wrong").waitFor();
      await change(password);
      await page.getByText("Password changed").waitFor();
      await expect(signOut).toHaveCount(0);
      expect(await sessionStatus(site, edge)).toBe(401);
    });
  },
);

test("a second factor is set up, required by the sign-in, and removed", async ({ page }) => {
  await openAs(page, "careful", "/panel/profile?tab=security");
  const dialog = page.getByRole("dialog");
  const code = dialog.getByRole("textbox", { name: "Code" });
  let secret = "";
  let recoveryCode = "";

  await test.step("the code of the authenticator app enables it", async () => {
    await page.getByRole("button", { name: "Set up" }).click();
    await dialog.getByRole("textbox", { name: "Current password" }).fill(password);
    await dialog.getByRole("button", { name: "Continue" }).click();
    await dialog.getByRole("img", { name: "QR code for the authenticator app" }).waitFor();
    await dialog.getByRole("button", { name: "Copy Secret" }).click();
    await page.getByText("Secret copied").waitFor();
    secret = await page.evaluate(() => navigator.clipboard.readText());
    await code.fill("abc def");
    await dialog.getByRole("button", { name: "Enable" }).click();
    await dialog.getByText("The code is wrong or was already used").waitFor();
    await code.fill(codeOf(secret));
    await dialog.getByRole("button", { name: "Enable" }).click();
    const codes = dialog.getByTestId("recovery-codes").locator("code");
    await expect(codes).toHaveCount(10);
    [recoveryCode = ""] = await codes.allTextContents();
    await dialog.getByRole("button", { name: "Done" }).click();
  });

  await test.step("the sign-in requires a code, and accepts a recovery code", async () => {
    await page.getByRole("button", { name: "Account", exact: true }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    const signIn = page.getByRole("button", { name: "Sign in", exact: true }).last();
    await page.getByLabel("Username or email").fill("careful");
    await page.getByRole("textbox", { name: "Password" }).fill(password);
    await signIn.click();
    await page.getByRole("heading", { name: "One more step" }).waitFor();
    await page.getByRole("textbox", { name: "Code" }).fill("nonsense");
    await signIn.click();
    await page.getByText("The code is wrong or was already used").waitFor();
    await page.getByRole("textbox", { name: "Code" }).fill(recoveryCode);
    await signIn.click();
    await page.waitForURL("**/panel/**");
  });

  await test.step("password and code remove it", async () => {
    await goTo(page, "/panel/profile?tab=security");
    await page.getByRole("button", { name: "Remove" }).click();
    await dialog.getByRole("textbox", { name: "Current password" }).fill(password);
    await code.fill(codeOf(secret, 1));
    await dialog.getByRole("button", { name: "Remove" }).click();
    await page.getByRole("button", { name: "Set up" }).waitFor();
  });
});
