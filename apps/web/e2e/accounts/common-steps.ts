/** Steps that the tests of several account screens share. */
import type { Locator, Page } from "@playwright/test";
import { openInMenu } from "../support/menu.ts";
import type { Site } from "../support/test.ts";

/** Adds a channel whose provider is the demo upstream, which answers every call. */
export async function addDemoChannel(site: Site, models = ["demo-chat"]): Promise<void> {
  await site.api("POST", "/channel", { type: 900, name: "Demo upstream", models, groups: ["default"] });
}

/** Calls a model with a key. */
export async function callModel(site: Site, key: string, model = "demo-chat") {
  const answer = await fetch(`${site.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "Good morning" }] }),
  });
  await answer.text();
  return { status: answer.status, cache: answer.headers.get("x-gateway-cache") };
}

/** Returns the status of a request to the gateway that costs nothing. */
export async function keyStatus(site: Site, key: string): Promise<number> {
  const answer = await fetch(`${site.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
  await answer.text();
  return answer.status;
}

/** Signs an account in without a browser. Returns its cookie. */
export async function newSession(
  site: Site,
  username: string,
  password: string,
  headers: Record<string, string> = {},
): Promise<string> {
  const answer = await fetch(`${site.url}/api/user/login`, {
    method: "POST",
    headers: {
      ...site.newAddress(),
      ...headers,
      "api-version": "2",
      "content-type": "application/json",
      origin: site.url,
    },
    body: JSON.stringify({ username, password }),
  });
  const [cookie = ""] = (answer.headers.get("set-cookie") ?? "").split(";");
  if (!answer.ok || cookie === "") throw new Error(`${username} cannot sign in: ${await answer.text()}`);
  return cookie;
}

/** Returns the status of a request with the cookie of a session. */
export async function sessionStatus(site: Site, cookie: string): Promise<number> {
  const answer = await fetch(`${site.url}/api/user/self`, {
    headers: { ...site.newAddress(), "api-version": "2", cookie },
  });
  await answer.text();
  return answer.status;
}

/** Signs an account in, in place of root, before the page is loaded. Filling in the form would load another page. */
export async function signInAs(page: Page, site: Site, username: string, password: string): Promise<void> {
  const [name = "", value = ""] = (await newSession(site, username, password)).split("=");
  await page.context().clearCookies();
  await page.context().addCookies([{ name, value, url: site.url, httpOnly: true, sameSite: "Lax" }]);
}

/** Opens a screen with its menu item. */
export async function openScreen(page: Page, name: string): Promise<void> {
  await openInMenu(page, name);
  await page.getByRole("heading", { level: 1, name, exact: true }).waitFor();
}

export function rowOf(page: Page, name: string): Locator {
  return page.getByRole("row").filter({ hasText: name });
}

/** Uses an item of the menu at the end of a row. */
export async function useRowMenu(page: Page, name: string, action: string): Promise<void> {
  await rowOf(page, name).hover();
  await page.getByRole("button", { name: `More actions for ${name}` }).click();
  await page.getByRole("menuitem", { name: action, exact: true }).click();
}
