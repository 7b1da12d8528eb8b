/** Administrators with limited permissions: granting them, and what the console then shows. */
import { adminAreas } from "@gateway/shared/accounts/roles";
import type { UserDetail } from "@gateway/shared/accounts/user";
import type { Locator, Page } from "@playwright/test";
import { goTo, waitUntilLoaded } from "../support/go-to.ts";
import { expect, test, type Site } from "../support/test.ts";
import { rowOf, signInAs, useRowMenu } from "./common-steps.ts";

let site: Site;
const password = "a long password";
test.beforeAll(async ({ site: started }) => {
  site = started;
});

/** @param permissions by default all */
async function makeAdmin(username: string, permissions?: UserDetail["permissions"]): Promise<UserDetail> {
  const made = await site.api<UserDetail>("POST", "/user", { username, password, role: 10 });
  if (permissions !== undefined) await site.api("PUT", "/user", { id: made.id, permissions });
  return made;
}

/** Collects the paths of API requests that the server refuses from now on. */
function refusals(page: Page): string[] {
  const refused: string[] = [];
  page.on("response", (answer) => {
    if (answer.status() >= 400) refused.push(`${answer.status()} ${new URL(answer.url()).pathname}`);
  });
  return refused;
}

test("root limits the permissions of an administrator, restores them, and chooses those of a new one", async ({
  page,
}) => {
  const narrowed = await makeAdmin("narrowed");
  const rising = await site.api<UserDetail>("POST", "/user", { username: "rising", password });
  const drawer = page.getByRole("dialog");
  const part = page.locator("section", { has: page.getByRole("heading", { name: "Permissions" }) });
  await page.goto("/panel/user");

  await test.step("the drawer of another role has no permissions", async () => {
    await rowOf(page, "rising").click();
    await drawer.getByRole("heading", { name: "Signed-in devices" }).waitFor();
    await expect(part).toHaveCount(0);
    await drawer.getByRole("button", { name: "Close" }).click();
    await expect(drawer).toHaveCount(0);
  });

  await test.step("areas are limited; the audit log can only be viewed", async () => {
    await rowOf(page, "narrowed").click();
    await part.getByText("All permissions of administrators.").waitFor();
    await part.getByRole("button", { name: "Change permissions" }).click();
    await part.getByText("Selected areas").click();
    const area = (name: string) => part.getByRole("radiogroup", { name, exact: true });
    await area("Channels").getByText("Can view", { exact: true }).click();
    await area("Balances of users").getByText("No access", { exact: true }).click();
    await expect(area("Audit log").getByRole("radio", { name: "Can edit" })).toBeDisabled();
    await part.getByRole("button", { name: "Save" }).click();
    await page.getByText("Permissions saved").waitFor();
    await part.getByText("Can view").waitFor();
    const { permissions } = await site.api<UserDetail>("GET", `/user/${narrowed.id}`);
    expect(permissions).toMatchObject({ channels: "view", users: "edit", audit: "view" });
    expect(permissions).not.toHaveProperty("balances");
  });

  await test.step("all permissions are restored", async () => {
    await part.getByRole("button", { name: "Change permissions" }).click();
    await part.getByText("Everything").click();
    await part.getByRole("button", { name: "Save" }).click();
    await part.getByText("All permissions of administrators.").waitFor();
    await drawer.getByRole("button", { name: "Close" }).click();
    await expect(drawer).toHaveCount(0);
  });

  await test.step("a promoted user gets the chosen permissions", async () => {
    await useRowMenu(page, "rising", "Make an administrator");
    const question = page.getByRole("dialog", { name: "Make rising an administrator?" });
    await question.getByRole("button", { name: "Customer support" }).click();
    await question.getByRole("radiogroup", { name: "Logs" }).getByText("No access", { exact: true }).click();
    await question.getByRole("button", { name: "Make an administrator" }).click();
    await page.getByText("rising is an administrator now").waitFor();
    const { role, permissions } = await site.api<UserDetail>("GET", `/user/${rising.id}`);
    expect(role).toBe(10);
    expect(permissions).toMatchObject({ users: "edit", balances: "edit", tokens: "edit", payments: "view" });
    expect(permissions).not.toHaveProperty("logs");
  });
});

test("an administrator with limited permissions sees only allowed screens, and they request nothing else", async ({
  page,
}) => {
  await makeAdmin("limited", { channels: "view", users: "view", analytics: "view", logs: "view" });
  await signInAs(page, site, "limited", password);
  const refused = refusals(page);
  await page.goto("/panel/dashboard");
  const menu = page.getByRole("navigation", { name: "Console" });
  await menu.getByRole("link", { name: "Channels" }).waitFor();
  for (const name of ["Audit log", "Settings", "Redemption codes"])
    await expect(menu.getByRole("link", { name }), name).toHaveCount(0);
  await menu.getByText("Billing", { exact: true }).waitFor();
  for (const name of ["Operation", "Payment settings"])
    await expect(menu.getByRole("button", { name }), name).toHaveCount(0);
  for (const screen of ["Analytics", "Logs", "Tokens"]) {
    await menu.getByRole("link", { name: screen, exact: true }).click();
    await page.getByRole("heading", { level: 1, name: screen }).waitFor();
    await waitUntilLoaded(page);
  }
  await goTo(page, "/panel/user");
  await page.getByText("You can view this screen but not make changes.").waitFor();
  await expect(page.getByRole("button", { name: "New user" })).toHaveCount(0);
  await goTo(page, "/panel/pricing");
  await page.getByText("You do not have access to this screen").waitFor();
  expect(refused).toEqual([]);
});

/** Labels of controls that change something. A user with read-only access must not see an enabled one. */
const changing =
  /^(new|add|edit|delete|update|import|describe|reload|enable|disable|test|refresh the balance|set a price|give one|check now|close order|ask the gateway|remove|take|save|make|change)\b/i;

/** @property opens text of a row whose details can be opened */
const screens = [
  { title: "Channels", path: "channel", opens: "Looked at" },
  { title: "Channels", path: "channel?view=tags" },
  { title: "Users", path: "user", opens: "ordinary" },
  { title: "Prices", path: "pricing?size=50", opens: "gpt-4o-mini" },
  { title: "User groups", path: "user_group", opens: "default" },
  { title: "Model catalog", path: "model_info?keyword=seen-model", opens: "seen-model" },
  { title: "Model owners", path: "model_ownedby", opens: "OpenAI" },
  { title: "Telegram bot", path: "telegram", opens: "/rules" },
  { title: "Redemption codes", path: "redemption", opens: "Seen gift" },
  { title: "Payments", path: "payment" },
  { title: "Payments", path: "payment?tab=gateways", opens: "Seen gateway" },
  { title: "Analytics", path: "analytics" },
];

type Role = Parameters<Page["getByRole"]>[0];

/** Returns the names of the enabled controls. */
async function pressable(place: Locator, roles: Role[]): Promise<string[]> {
  const names: string[] = [];
  for (const role of roles) {
    // In one step, because a list that is still loading replaces its rows meanwhile.
    const ofRole = await place
      .getByRole(role, { disabled: false })
      .evaluateAll((controls) =>
        controls.map((control) => control.getAttribute("aria-label") ?? (control.textContent ?? "").trim()),
      );
    names.push(...ofRole);
  }
  return names;
}

/** Adds something to every list. */
async function fillLists(): Promise<void> {
  const channel = { type: 1, name: "Looked at", key: "sk-seen", models: ["gpt-4o"], groups: ["default"] };
  await site.api("POST", "/channel", { ...channel, tag: "Seen" });
  await site.api("POST", "/user", { username: "ordinary", password });
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
}

test(
  "an administrator with read-only access sees no control for changes, and can open the details of a row",
  { tag: "@nightly" },
  async ({ page }) => {
    await fillLists();
    await makeAdmin("looks", Object.fromEntries(adminAreas.map((area) => [area, "view"])));
    await signInAs(page, site, "looks", password);
    const refused = refusals(page);
    const main = page.getByRole("main");
    const drawer = page.getByRole("dialog");
    await page.goto("/panel/dashboard");
    for (const { title, path, opens } of screens)
      await test.step(path, async () => {
        await goTo(page, `/panel/${path}`);
        await expect(drawer).toHaveCount(0);
        await page.getByRole("heading", { level: 1, name: title, exact: true }).waitFor();
        await page.getByText("You can view this screen but not make changes.").waitFor();
        await waitUntilLoaded(page);
        if (opens !== undefined) await main.getByText(opens, { exact: true }).first().waitFor();
        const enabled = await pressable(main, ["button", "link", "switch", "spinbutton"]);
        expect(enabled.filter((name) => changing.test(name))).toEqual([]);
        if (opens === undefined) return;
        await main.getByText(opens, { exact: true }).first().click();
        await drawer.waitFor();
        await waitUntilLoaded(page);
        const inside = await pressable(drawer, ["button", "textbox", "switch", "checkbox", "spinbutton"]);
        expect(inside.filter((name) => name !== "Close")).toEqual([]);
      });
    expect(refused).toEqual([]);
  },
);
