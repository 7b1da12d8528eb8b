import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSite, type Site } from "../support/site.ts";

let site: Site;
beforeAll(async () => {
  site = await openSite();
});
afterAll(() => site.close());

const rowOf = (page: Page, name: string) => page.getByRole("row").filter({ hasText: name });

async function choose(page: Page, name: string, action: string): Promise<void> {
  await page.getByRole("button", { name: `More actions for ${name}` }).click();
  await page.getByRole("menuitem", { name: action }).click();
}

describe("the users screen", () => {
  it("creates an account that can sign in, and shows errors of the name", async () => {
    const page = await site.open("/panel/user");
    await page.getByRole("button", { name: "New user" }).click();
    const form = page.getByRole("dialog");
    await form.getByLabel("Username").fill("root");
    await form.getByRole("button", { name: "Create user" }).click();
    await form.getByText("This username is taken.").waitFor();
    await form.getByLabel("Username").fill("mei.lin");
    await form.getByLabel("Initial balance in dollars").fill("12.5");
    await form.getByText("= 6,250,000 points").waitFor();
    await form.getByRole("button", { name: "Create user" }).click();
    const made = page.getByRole("dialog", { name: "mei.lin created" });
    const message = await made.getByLabel("Message to send").inputValue();
    const password = /^Password: (\S{16})$/m.exec(message)?.[1] ?? "";
    expect(message).not.toContain("API address");
    await made.getByRole("button", { name: "Done" }).click();
    await rowOf(page, "mei.lin").getByText("$12.50").waitFor();

    const guest = await site.open("/login", { guest: true });
    await guest.getByLabel("Username or email").fill("mei.lin");
    await guest.getByRole("textbox", { name: "Password" }).fill(password);
    await guest.getByRole("button", { name: "Sign in", exact: true }).last().click();
    await guest.waitForURL("**/panel/dashboard");
    // Administrator screens are neither shown nor accessible.
    await expect.poll(() => guest.getByRole("link", { name: "Users" }).count()).toBe(0);
    await guest.goto("/panel/user");
    await guest.getByText("You do not have access to this screen").waitFor();
  });

  it("loads no pictures from the servers of other accounts", async () => {
    const picture = "https://pictures.example/who-looks.png";
    const account = { username: "painter", password: "long enough" };
    const { id } = await site.api<{ id: number }>("POST", "/user", account);
    await site.api("PUT", "/user", { id, avatar_url: picture });
    const requested = async (page: Page, paths: string[], look: (page: Page) => Promise<void>) => {
      const addresses: string[] = [];
      page.on("request", (request) => addresses.push(request.url()));
      for (const path of paths) {
        await page.goto(`${site.url}${path}`, { waitUntil: "networkidle" });
        await look(page);
      }
      return addresses.filter((address) => !address.startsWith(site.url) && !address.startsWith("data:"));
    };
    const root = await site.open("about:blank");
    const seen = await requested(root, ["/panel/user?keyword=painter", `/panel/user/${id}`], (page) =>
      page.getByText("painter").first().waitFor(),
    );
    expect(seen).toEqual([]);
    // The owner's own browser loads it, so that a request would have been noticed.
    const owner = await site.open("/login", { guest: true });
    await owner.getByLabel("Username or email").fill("painter");
    await owner.getByRole("textbox", { name: "Password" }).fill("long enough");
    await owner.getByRole("button", { name: "Sign in", exact: true }).last().click();
    await owner.waitForURL("**/panel/dashboard");
    expect(await requested(owner, ["/panel/profile"], async () => {})).toContain(picture);
  });

  it("changes a balance with a remark, and never below zero", async () => {
    await site.api("POST", "/user", { username: "kenji", password: "long enough", quota: 500_000 });
    const page = await site.open("/panel/user?keyword=kenji");
    await choose(page, "kenji", "Change the balance");
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Deduct").first().click();
    await dialog.getByLabel("Amount in dollars").fill("1.01");
    await dialog.getByRole("button", { name: "Deduct" }).click();
    await dialog.getByText("The amount exceeds the user's balance").waitFor();
    await dialog.getByText("Add", { exact: true }).first().click();
    await dialog.getByLabel("Amount in dollars").fill("2");
    await dialog.getByLabel("Remark").fill("Thanks for the help");
    await dialog.getByText("New balance: $3.00").waitFor();
    await dialog.getByRole("button", { name: "Add" }).click();
    await rowOf(page, "kenji").getByText("$3.00").waitFor();
  });

  it("signs out a disabled account in the middle of its session", async () => {
    await site.api("POST", "/user", { username: "olga", password: "long enough" });
    const window = await site.open("/login", { guest: true });
    await window.getByLabel("Username or email").fill("olga");
    await window.getByRole("textbox", { name: "Password" }).fill("long enough");
    await window.getByRole("button", { name: "Sign in", exact: true }).last().click();
    await window.waitForURL("**/panel/dashboard");

    const page = await site.open("/panel/user?keyword=olga");
    await choose(page, "olga", "Disable");
    await page.getByRole("dialog").getByText("The balance is kept.", { exact: false }).waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Disable" }).click();
    await rowOf(page, "olga").getByText("Disabled").waitFor();
    await window.goto("/panel/token");
    await window.waitForURL("**/login?next=*");

    await choose(page, "olga", "Enable");
    await rowOf(page, "olga").getByText("Enabled").waitFor();
    await choose(page, "olga", "Delete");
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("No users match these filters").waitFor();
  });

  it("keeps filters in the address and opens details next to the list", async () => {
    await site.api("POST", "/user", { username: "anna", password: "long enough", role: 10, group: "vip" });
    const page = await site.open("/panel/user");
    await rowOf(page, "root").waitFor();
    await page.getByRole("combobox", { name: "Role" }).click();
    await page.getByRole("option", { name: "Administrator", exact: true }).click();
    await page.waitForURL("**/panel/user?role=10");
    await rowOf(page, "root").waitFor({ state: "detached" });
    await rowOf(page, "anna").click();
    await page.waitForURL("**user=*");
    const drawer = page.getByRole("dialog");
    await drawer.getByText("Not signed in anywhere").waitFor();
    const calls = drawer.getByRole("link", { name: "Show calls" });
    await expect.poll(() => calls.getAttribute("href")).toContain("username=anna");
    const orders = drawer.getByRole("link", { name: "Orders" });
    await expect.poll(() => orders.getAttribute("href")).toMatch(/payment\?user_id=\d+$/);
    await page.reload();
    await page.getByRole("dialog").getByRole("heading", { name: "anna" }).waitFor();
  });

  it("disables several at once, but none of the same or a higher role", async () => {
    for (const username of ["many-1", "many-2"])
      await site.api("POST", "/user", { username, password: "long enough", group: "svip" });
    await site.api("PUT", "/user", { id: 1, group: "svip" });
    const page = await site.open("/panel/user?group=svip");
    await rowOf(page, "many-1").waitFor();
    await page.getByRole("checkbox", { name: "Select all rows" }).check();
    await page.getByRole("button", { name: "Disable" }).click();
    const question = page.getByRole("dialog");
    await question.getByText("Disable 2 users?").waitFor();
    await question.getByRole("button", { name: "Disable" }).click();
    await rowOf(page, "many-1").getByText("Disabled").waitFor();
    await rowOf(page, "many-2").getByText("Disabled").waitFor();
    await rowOf(page, "root").getByText("Enabled").waitFor();
  });

  it("disables all users of a filter, also those of other pages", async () => {
    for (let number = 0; number < 12; number += 1)
      await site.api("POST", "/user", { username: `crowd-${number}`, password: "long enough", group: "vip" });
    const page = await site.open("/panel/user?group=vip&keyword=crowd&size=10");
    await rowOf(page, "crowd-11").waitFor();
    await page.getByRole("checkbox", { name: "Select all rows" }).check();
    await page.getByRole("button", { name: "Select all 12 matching" }).click();
    await page.getByText("12 selected").waitFor();
    await page.getByRole("button", { name: "Disable" }).click();
    await page.getByRole("dialog").getByText("Disable 12 users?").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Disable" }).click();
    await page.getByText("12 succeeded").waitFor();
    const { total_count } = await site.api<{ total_count: number }>("GET", "/user?keyword=crowd&status=2");
    expect(total_count).toBe(12);
  });

  it("keeps a long name next to the close button, on a phone too", async () => {
    const username = "w".repeat(64);
    const { id } = await site.api<{ id: number }>("POST", "/user", { username, password: "long enough" });
    const page = await site.open(`/panel/user?user=${id}`, { phone: true });
    const head = page.getByRole("dialog").locator("header").filter({ hasText: username });
    // Measures both at the same time, because the drawer slides in.
    const apart = () =>
      head.evaluate((header) => {
        const [name, cross] = ["h2 span", "button"].map((part) => header.querySelector(part));
        if (!name || !cross) throw new Error("The drawer has no head.");
        const edge = cross.getBoundingClientRect();
        return name.getBoundingClientRect().right <= edge.left && edge.right <= window.innerWidth;
      });
    await head.waitFor();
    await expect.poll(apart).toBe(true);
  });

  it("falls back to the default order when the address contains an unknown one", async () => {
    const page = await site.open("/panel/user?keyword=root&order=nowhere");
    await rowOf(page, "root").first().waitFor();
    await page.waitForURL((url) => !url.search.includes("order"));
  });

  it("shows the name of a group that is not public", async () => {
    const group = { symbol: "partner", name: "Partners", ratio: 1, api_rate: 600, min: 0, max: 0 };
    await site.api("POST", "/user_group", group);
    await site.api("POST", "/user", { username: "a.partner", password: "a long password", group: "partner" });
    const page = await site.open("/panel/user?keyword=a.partner");
    await rowOf(page, "a.partner").getByText("Partners").waitFor();
  });

  it("has switches with a visible track on the dark page", async () => {
    const page = await site.open("/panel/inbox", { dark: true });
    const track = page.locator(".mantine-SegmentedControl-root");
    await track.waitFor();
    const colors = await track.evaluate((each) =>
      [each, document.body].map((one) => getComputedStyle(one).backgroundColor),
    );
    expect(colors[0]).not.toBe(colors[1]);
  });

  it("shows cards on a phone", async () => {
    const page = await site.open("/panel/user?keyword=root", { phone: true, dark: true });
    const card = page.getByRole("listitem").filter({ hasText: "root" });
    await card.getByText("Balance", { exact: true }).waitFor();
    await card.getByRole("button", { name: "Details" }).click();
    await card.getByText("Super administrator").waitFor();
    await expect.poll(() => page.getByRole("table").count()).toBe(0);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(wide).toBeLessThanOrEqual(0);
  });

  it("exports the filtered users as a file without spreadsheet formulas", async () => {
    const account = { password: "a long password", display_name: "=1+1" };
    await site.api("POST", "/user", { ...account, username: "formula" });
    await site.api("POST", "/user", { ...account, username: "left-out" });
    const page = await site.open("/panel/user?keyword=formula");
    await page.getByText("formula").first().waitFor();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Export as CSV" }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/^users-\d{4}-\d\d-\d\d\.csv$/);
    const lines = (await readFile(await download.path(), "utf8")).split("\r\n");
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(/^\uFEFFid,username,display_name,email,group,role,status,balance_points/);
    expect(lines[1]).toMatch(/^\d+,formula,'=1\+1,,default,1,1,/);
  });

  it("does not ask for a first call below the calls of others", async () => {
    await site.api("POST", "/channel", {
      type: 900,
      name: "demo",
      groups: ["default"],
      models: ["demo-chat"],
    });
    const caller = { username: "caller", password: "long enough", quota: 500_000 };
    const { id } = await site.api<{ id: number }>("POST", "/user", caller);
    const page = await site.open("/panel/log");
    await page.getByText("No calls yet").waitFor();
    const token = { user_id: id, name: "key" };
    const { key } = await site.api<{ key: string }>("POST", "/token/admin", token);
    const answer = await fetch(`${site.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "demo-chat", messages: [{ role: "user", content: "Hello" }] }),
    });
    await answer.text();
    await page.reload();
    await page.getByRole("row").filter({ hasText: "demo-chat" }).waitFor();
    expect(await page.getByText("No calls yet").count()).toBe(0);
  });
});
