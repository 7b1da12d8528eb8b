import { createHmac } from "node:crypto";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSite, type Site } from "../support/site.ts";

let site: Site;
beforeAll(async () => {
  site = await openSite();
});
afterAll(() => site.close());

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

/** Creates an account, and opens a window in which it is signed in. */
async function openAs(username: string, path: string): Promise<Page> {
  await site.api("POST", "/user", { username, password: "long enough" });
  const page = await site.open(`/login?next=${encodeURIComponent(path)}`, { guest: true });
  await signIn(page, username, "long enough");
  await page.waitForURL(`**${path}`);
  return page;
}

async function signIn(page: Page, username: string, password: string): Promise<void> {
  await page.getByLabel("Username or email").fill(username);
  await page.getByRole("textbox", { name: "Password" }).fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).last().click();
}

describe("the profile", () => {
  it("changes the display name and shows it immediately", async () => {
    const page = await openAs("details", "/panel/profile");
    await page.getByLabel("Display name").fill("小明");
    await page.getByLabel("Image URL").fill("javascript:alert(1)");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("The address must be an http or https URL").waitFor();
    await page.getByLabel("Image URL").fill("");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Profile saved").waitFor();
    await expect.poll(() => page.getByRole("button", { name: "Save" }).isDisabled()).toBe(true);
  });

  it("requires the current password and signs out the other devices", async () => {
    const page = await openAs("changer", "/panel/profile?tab=security");
    const other = await site.open("/login", { guest: true });
    await signIn(other, "changer", "long enough");
    await other.waitForURL("**/panel/dashboard");
    await page.reload();
    await page.getByText("Current", { exact: true }).waitFor();
    await expect.poll(() => page.getByRole("button", { name: /^Sign out Chrome/ }).count()).toBe(1);

    const change = async (current: string) => {
      await page.getByRole("textbox", { name: "Current password" }).fill(current);
      await page.getByRole("textbox", { name: "New password", exact: true }).fill("a brand new one");
      const repeated = page.getByRole("textbox", { name: "Repeat the new password" });
      await repeated.fill("a brand new one");
      await repeated.press("Enter");
    };
    await change("not this one");
    await page.getByText("The current password is wrong").waitFor();
    await change("long enough");
    await page.getByText("Password changed").waitFor();
    await page.getByRole("button", { name: /^Sign out Chrome/ }).waitFor({ state: "detached" });
    await other.goto("/panel/token");
    await other.waitForURL("**/login?next=*");
  });

  it("ends the session of another device", async () => {
    const page = await openAs("sessions", "/panel/profile?tab=security");
    const other = await site.open("/login", { guest: true });
    await signIn(other, "sessions", "long enough");
    await other.waitForURL("**/panel/dashboard");
    await page.reload();
    await page.getByRole("button", { name: /^Sign out Chrome/ }).click();
    await page.getByRole("button", { name: /^Sign out Chrome/ }).waitFor({ state: "detached" });
    await other.goto("/panel/token");
    await other.waitForURL("**/login?next=*");
  });

  it("shows an access token once, and asks before it replaces or revokes it", async () => {
    const page = await openAs("scripts", "/panel/profile?tab=access");
    await page.getByRole("button", { name: "Create access token" }).click();
    await page.getByRole("dialog").getByLabel("Current password").fill("long enough");
    await page.getByRole("dialog").getByRole("button", { name: "Create access token" }).click();
    const token = (await page.getByTestId("access-token").textContent()) ?? "";
    const asks = async () =>
      (await fetch(`${site.url}/api/user/self`, { headers: { authorization: token } })).status;
    expect(await asks()).toBe(200);
    await page.getByRole("button", { name: "Done" }).click();
    await page.reload();
    await page.getByRole("button", { name: "Revoke" }).click();
    await expect.poll(() => page.getByText(token).count()).toBe(0);
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
    await page.getByRole("button", { name: "Create access token" }).waitFor();
    expect(await asks()).toBe(401);
  });

  it("sets up a second factor that sign-in then requires", async () => {
    const page = await openAs("careful", "/panel/profile?tab=security");
    await page.getByRole("button", { name: "Set up" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("textbox", { name: "Current password" }).fill("long enough");
    await dialog.getByRole("button", { name: "Continue" }).click();
    await dialog.getByRole("img", { name: "QR code for the authenticator app" }).waitFor();
    await dialog.getByRole("button", { name: "Copy Secret" }).click();
    await page.getByText("Secret copied").waitFor();
    const secret = await page.evaluate(() => navigator.clipboard.readText());
    await dialog.getByRole("textbox", { name: "Code" }).fill("abc def");
    await dialog.getByRole("button", { name: "Enable" }).click();
    await dialog.getByText("The code is wrong or was already used").waitFor();
    await dialog.getByRole("textbox", { name: "Code" }).fill(codeOf(secret));
    await dialog.getByRole("button", { name: "Enable" }).click();
    const shown = dialog.getByTestId("recovery-codes").locator("code");
    await expect.poll(() => shown.count()).toBe(10);
    const [code = ""] = await shown.allTextContents();
    await dialog.getByRole("button", { name: "Done" }).click();

    const window = await site.open("/login", { guest: true });
    await signIn(window, "careful", "long enough");
    await window.getByRole("heading", { name: "One more step" }).waitFor();
    await window.getByRole("textbox", { name: "Code" }).fill("nonsense");
    await window.getByRole("button", { name: "Sign in", exact: true }).last().click();
    await window.getByText("The code is wrong or was already used").waitFor();
    await window.getByRole("textbox", { name: "Code" }).fill(code);
    await window.getByRole("button", { name: "Sign in", exact: true }).last().click();
    await window.waitForURL("**/panel/dashboard");

    await page.getByRole("button", { name: "Remove" }).click();
    await dialog.getByRole("textbox", { name: "Current password" }).fill("long enough");
    await dialog.getByRole("textbox", { name: "Code" }).fill(codeOf(secret, 1));
    await dialog.getByRole("button", { name: "Remove" }).click();
    await page.getByRole("button", { name: "Set up" }).waitFor();
  });
});
