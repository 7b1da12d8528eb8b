/** Administrators with limited permissions: granting them, and what the console then shows. */
import { adminAreas } from "@gateway/shared/accounts/roles";
import type { UserDetail } from "@gateway/shared/accounts/user";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSite, type Site } from "../support/site.ts";

let site: Site;
const password = "a long password";
beforeAll(async () => {
  site = await openSite();
});
afterAll(() => site.close());

async function makeAdmin(username: string, permissions?: UserDetail["permissions"]): Promise<UserDetail> {
  const made = await site.api<UserDetail>("POST", "/user", { username, password, role: 10 });
  if (permissions !== undefined) await site.api("PUT", "/user", { id: made.id, permissions });
  return made;
}

async function openAs(username: string, path: string, options: { phone?: boolean } = {}): Promise<Page> {
  const page = await site.open("/login", { guest: true, ...options });
  await page.getByLabel("Username").fill(username);
  await page.getByRole("textbox", { name: "Password" }).fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.waitForURL("**/panel/**");
  await page.goto(path);
  return page;
}

/** Returns whether the middle of an element can be clicked where it is. */
function isInView(element: Element): boolean {
  const { left, top, width, height } = element.getBoundingClientRect();
  return element.contains(document.elementFromPoint(left + width / 2, top + height / 2));
}

const rights = (page: Page) =>
  page.locator("section", { has: page.getByRole("heading", { name: "Permissions" }) });

describe("the permissions of an administrator", () => {
  it("send no request to a denied area on any allowed screen", async () => {
    await makeAdmin("counts", { analytics: "view", logs: "view" });
    const page = await openAs("counts", "/panel/dashboard");
    const refused: string[] = [];
    page.on("response", (answer) => {
      if (answer.status() >= 400) refused.push(`${answer.status()} ${new URL(answer.url()).pathname}`);
    });
    for (const screen of ["dashboard", "analytics", "log", "token"])
      await page.goto(`/panel/${screen}`, { waitUntil: "networkidle" });
    expect(refused).toEqual([]);
  });

  it("are limited in the drawer of the user, and restored", async () => {
    const { id } = await makeAdmin("narrowed");
    const page = await site.open(`/panel/user?user=${id}`);
    const part = rights(page);
    await part.getByText("All permissions of administrators.").waitFor();
    await part.getByRole("button", { name: "Change permissions" }).click();
    await part.getByText("Selected areas").click();
    const level = (area: string, name: string) =>
      part.getByRole("radiogroup", { name: area, exact: true }).getByText(name, { exact: true }).click();
    await level("Channels", "Can view");
    await level("Balances of users", "No access");
    await expect
      .poll(() =>
        part
          .getByRole("radiogroup", { name: "Audit log" })
          .getByRole("radio", { name: "Can edit" })
          .isDisabled(),
      )
      .toBe(true);
    await part.getByRole("button", { name: "Save" }).click();
    await page.getByText("Permissions saved").waitFor();
    await part.getByText("Can view").waitFor();
    const stored = await site.api<UserDetail>("GET", `/user/${id}`);
    expect(stored.permissions).toMatchObject({ channels: "view", users: "edit", audit: "view" });
    expect(stored.permissions).not.toHaveProperty("balances");

    await part.getByRole("button", { name: "Change permissions" }).click();
    await part.getByText("Everything").click();
    await part.getByRole("button", { name: "Save" }).click();
    await part.getByText("All permissions of administrators.").waitFor();
  });

  it("are chosen when root makes a user an administrator", async () => {
    const { id } = await site.api<UserDetail>("POST", "/user", { username: "rising", password });
    const page = await site.open("/panel/user?keyword=rising");
    await page.getByRole("button", { name: "More actions for rising" }).click();
    await page.getByRole("menuitem", { name: "Make an administrator" }).click();
    const question = page.getByRole("dialog", { name: "Make rising an administrator?" });
    await question.getByRole("button", { name: "Customer support" }).click();
    await question.getByRole("radiogroup", { name: "Logs" }).getByText("No access", { exact: true }).click();
    const button = question.getByRole("button", { name: "Make an administrator" });
    // The dialog is higher than the window.
    await page.setViewportSize({ width: 1440, height: 500 });
    await question.getByRole("button", { name: "Customer support" }).scrollIntoViewIfNeeded();
    expect(await button.evaluate(isInView)).toBe(true);
    await page.setViewportSize({ width: 1440, height: 900 });
    await button.click();
    await page.getByText("rising is an administrator now").waitFor();
    await question.waitFor({ state: "detached" });
    expect(await site.api<UserDetail>("GET", `/user/${id}`)).toMatchObject({
      role: 10,
      permissions: { users: "edit", balances: "edit", tokens: "edit", payments: "view" },
    });
  });

  it("are not shown for other roles, and only root can change them", async () => {
    const { id } = await site.api<UserDetail>("POST", "/user", { username: "ordinary", password });
    const page = await site.open(`/panel/user?user=${id}`);
    await page.getByRole("heading", { name: "Signed-in devices" }).waitFor();
    await expect.poll(() => rights(page).count()).toBe(0);
  });
});

describe("an administrator with limited permissions", () => {
  it("sees allowed screens in the menu, and a message at the address of others", async () => {
    await makeAdmin("channels-only", { channels: "view", users: "view" });
    const page = await openAs("channels-only", "/panel/dashboard");
    const menu = page.getByRole("navigation", { name: "Console" });
    await menu.getByRole("link", { name: "Channels" }).waitFor();
    for (const name of ["Analytics", "Audit log", "Settings"])
      await expect.poll(() => menu.getByRole("link", { name }).count(), { message: name }).toBe(0);
    // The remaining screens of the money and system groups belong to this account itself.
    await menu.getByText("Billing", { exact: true }).waitFor();
    await expect.poll(() => menu.getByText("Money", { exact: true }).count()).toBe(0);
    await page.goto("/panel/pricing");
    await page.getByText("You do not have access to this screen").waitFor();
    await page.goto("/panel/user");
    await page.getByText("You can view this screen but not make changes.").waitFor();
    await expect.poll(() => page.getByRole("button", { name: "New user" }).count()).toBe(0);
  });

  it("sees the same on a phone, without horizontal scrolling", async () => {
    await makeAdmin("on-the-phone", { users: "view" });
    const page = await openAs("on-the-phone", "/panel/user", { phone: true });
    await page.getByText("You can view this screen but not make changes.").waitFor();
    await expect
      .poll(() => page.evaluate(() => document.documentElement.scrollWidth))
      .toBeLessThanOrEqual(390);
  });
});

/** Labels of controls that change something. A user with read-only access must not see an enabled one. */
const changing =
  /^(new|add|edit|delete|update|import|describe|reload|enable|disable|test|refresh the balance|set a price|give one|check now|close order|ask the gateway|remove|take|save|make|change)\b/i;

const screens = [
  { path: "channel", opens: "Looked at" },
  { path: "channel?view=tags" },
  { path: "user", opens: "ordinary" },
  { path: "pricing", opens: "gpt-4o-mini" },
  { path: "user_group", opens: "default" },
  { path: "model_info?keyword=seen-model", opens: "seen-model" },
  { path: "model_ownedby", opens: "OpenAI" },
  { path: "telegram", opens: "/rules" },
  { path: "redemption", opens: "Seen gift" },
  { path: "payment" },
  { path: "payment?tab=gateways", opens: "Seen gateway" },
  { path: "analytics" },
];

type Role = Parameters<Page["getByRole"]>[0];

/** Returns the names of the enabled controls. */
async function pressable(place: Locator, roles: Role[]): Promise<string[]> {
  const names: string[] = [];
  for (const role of roles) {
    // In one step, because a list that is still loading replaces its rows meanwhile.
    const found = await place
      .getByRole(role, { disabled: false })
      .evaluateAll((controls) =>
        controls.map((control) => control.getAttribute("aria-label") ?? (control.textContent ?? "").trim()),
      );
    names.push(...found);
  }
  return names;
}

describe("an administrator with read-only access", () => {
  let page: Page;
  beforeAll(async () => {
    const channel = { type: 1, name: "Looked at", key: "sk-seen", models: ["gpt-4o"], groups: ["default"] };
    await site.api("POST", "/channel", { ...channel, tag: "Seen" });
    await site.api("POST", "/model_info", { model: "seen-model", name: "Seen" });
    await site.api("POST", "/option/telegram", {
      command: "rules",
      description: "Rules",
      parse_mode: "HTML",
      reply_message: "Be kind.",
    });
    await site.api("POST", "/redemption", { name: "Seen gift", quota: 1_000, count: 1 });
    await site.api("POST", "/payment", {
      type: "epay",
      name: "Seen gateway",
      icon: "card",
      currency: "CNY",
      config: { pay_domain: "https://pay.example", partner_id: "1", key: "k" },
    });
    await makeAdmin("looks", Object.fromEntries(adminAreas.map((area) => [area, "view"])));
    page = await openAs("looks", "/panel/dashboard");
  });

  it.each(screens)(
    "sees no control for changes at $path, and can open the details of a row",
    async ({ path, opens }) => {
      const refused: string[] = [];
      page.on("response", (answer) => {
        if (answer.status() === 403) refused.push(answer.url());
      });
      await page.goto(`/panel/${path}`);
      await page.getByText("You can view this screen but not make changes.").waitFor();
      await page.waitForLoadState("networkidle");
      const main = page.getByRole("main");
      const open = await pressable(main, ["button", "link", "switch", "spinbutton"]);
      expect(open.filter((name) => changing.test(name))).toEqual([]);
      if (opens !== undefined) {
        await main.getByText(opens, { exact: true }).first().click();
        const drawer = page.getByRole("dialog");
        await drawer.waitFor();
        await page.waitForLoadState("networkidle");
        const inside = await pressable(drawer, ["button", "textbox", "switch", "checkbox", "spinbutton"]);
        expect(inside.filter((name) => name !== "Close")).toEqual([]);
      }
      expect(refused).toEqual([]);
      page.removeAllListeners("response");
    },
  );
});
