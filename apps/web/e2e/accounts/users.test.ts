import { readFile } from "node:fs/promises";
import { goTo, waitUntilLoaded } from "../support/go-to.ts";
import { expect, test, type Site } from "../support/test.ts";
import {
  addDemoChannel,
  callModel,
  newSession,
  rowOf,
  sessionStatus,
  signInAs,
  useRowMenu,
} from "./common-steps.ts";

let site: Site;
test.beforeAll(async ({ site: started }) => {
  site = started;
});

const password = "long enough";
const makeUser = (username: string, more: object = {}) =>
  site.api<{ id: number }>("POST", "/user", { username, password, ...more });

test("an account is created, gets a balance, is disabled and enabled, and deleted", async ({ page }) => {
  await page.goto("/panel/user");
  const dialog = page.getByRole("dialog");
  let session = "";

  await test.step("the new account can sign in, and its name must be free", async () => {
    await page.getByRole("button", { name: "New user" }).click();
    await dialog.getByLabel("Username").fill("root");
    await dialog.getByRole("button", { name: "Create user" }).click();
    await dialog.getByText("This username is taken.").waitFor();
    await dialog.getByLabel("Username").fill("mei.lin");
    await dialog.getByLabel("Initial balance in dollars").fill("1");
    await dialog.getByText("= 500,000 points").waitFor();
    await dialog.getByRole("button", { name: "Create user" }).click();
    const created = page.getByRole("dialog", { name: "mei.lin created" });
    const message = await created.getByLabel("Message to send").inputValue();
    const given = /^Password: (\S{16})$/m.exec(message)?.[1] ?? "";
    expect(message).not.toContain("API address");
    await created.getByRole("button", { name: "Done" }).click();
    await rowOf(page, "mei.lin").getByText("$1.00").waitFor();
    session = await newSession(site, "mei.lin", given);
  });

  await test.step("a balance changes with a remark, and never falls below zero", async () => {
    await useRowMenu(page, "mei.lin", "Change the balance");
    await dialog.getByText("Deduct").first().click();
    await dialog.getByLabel("Amount in dollars").fill("1.01");
    await dialog.getByRole("button", { name: "Deduct" }).click();
    await dialog.getByText("Cannot deduct an amount exceeding the user's balance").waitFor();
    await dialog.getByText("Add", { exact: true }).first().click();
    await dialog.getByLabel("Amount in dollars").fill("2");
    await dialog.getByLabel("Remark").fill("Thanks for the help");
    await dialog.getByText("New balance: $3.00").waitFor();
    await dialog.getByRole("button", { name: "Add" }).click();
    await rowOf(page, "mei.lin").getByText("$3.00").waitFor();
  });

  await test.step("a disabled account keeps its balance and loses its session", async () => {
    expect(await sessionStatus(site, session)).toBe(200);
    await useRowMenu(page, "mei.lin", "Disable");
    await dialog.getByText("The balance is kept.", { exact: false }).waitFor();
    await dialog.getByRole("button", { name: "Disable" }).click();
    await rowOf(page, "mei.lin").getByText("Disabled").waitFor();
    expect(await sessionStatus(site, session)).toBe(401);
    await useRowMenu(page, "mei.lin", "Enable");
    await rowOf(page, "mei.lin").getByText("Enabled").waitFor();
  });

  await test.step("a deleted account leaves the list", async () => {
    await useRowMenu(page, "mei.lin", "Delete");
    await dialog.getByRole("button", { name: "Delete" }).click();
    await expect(rowOf(page, "mei.lin")).toHaveCount(0);
  });
});

test(
  "a disabled account is led to the sign-in page in the middle of its session",
  { tag: "@nightly" },
  async ({ page }) => {
    const { id } = await makeUser("olga");
    await signInAs(page, site, "olga", password);
    await page.goto("/panel/dashboard");
    const menu = page.getByRole("navigation", { name: "Console" });
    await menu.getByRole("link", { name: "Tokens" }).waitFor();
    await expect(menu.getByRole("link", { name: "Users" })).toHaveCount(0);
    await goTo(page, "/panel/user");
    await page.getByText("You do not have access to this screen").waitFor();
    await site.api("PUT", "/user", { id, status: 2 });
    await menu.getByRole("link", { name: "Tokens" }).click();
    await page.waitForURL("**/login?next=*");
  },
);

test(
  "the list of users is filtered, opened and exported, and loads no pictures of other accounts",
  { tag: "@nightly" },
  async ({ page }) => {
    const group = { symbol: "partner", name: "Partners", ratio: 1, api_rate: 600, min: 0, max: 0 };
    await site.api("POST", "/user_group", group);
    const { id } = await makeUser("anna", { role: 10, group: "partner", display_name: "=1+1" });
    await site.api("PUT", "/user", { id, avatar_url: "https://pictures.example/who-looks.png" });
    await makeUser("ordinary");
    // The test of the profile shows that the owner's browser does load a picture.
    const foreign: string[] = [];
    page.on("request", (request) => {
      const url = request.url();
      if (!url.startsWith(site.url) && !/^(data|blob):/.test(url)) foreign.push(url);
    });

    await test.step("an unknown order in the address is dropped", async () => {
      await page.goto("/panel/user?order=nowhere");
      await rowOf(page, "ordinary").waitFor();
      await page.waitForURL((url) => !url.search.includes("order"));
    });

    await test.step("a filter is part of the address, and the name of a group that is not public is shown", async () => {
      await page.getByRole("combobox", { name: "Role" }).click();
      await page.getByRole("option", { name: "Administrator", exact: true }).click();
      await page.waitForURL("**/panel/user?role=10");
      await expect(rowOf(page, "ordinary")).toHaveCount(0);
      await rowOf(page, "anna").getByText("Partners").waitFor();
    });

    await test.step("the export has the filtered users and no spreadsheet formulas", async () => {
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: "Export as CSV" }).click(),
      ]);
      expect(download.suggestedFilename()).toMatch(/^users-\d{4}-\d\d-\d\d\.csv$/);
      const lines = (await readFile(await download.path(), "utf8")).split("\r\n");
      expect(lines).toHaveLength(2);
      expect(lines[0]).toMatch(/^\uFEFFid,username,display_name,email,group,role,status,balance_points/);
      expect(lines[1]).toMatch(/^\d+,anna,'=1\+1,,partner,10,1,/);
    });

    await test.step("details open next to the list, with links to calls and orders, and have an address", async () => {
      await rowOf(page, "anna").click();
      await page.waitForURL("**user=*");
      const drawer = page.getByRole("dialog");
      await drawer.getByText("Not signed in anywhere").waitFor();
      await expect(drawer.getByRole("link", { name: "Show calls" })).toHaveAttribute("href", /username=anna/);
      await expect(drawer.getByRole("link", { name: "Orders" })).toHaveAttribute(
        "href",
        /payment\?user_id=\d+$/,
      );
      await goTo(page, "/panel/user");
      await expect(drawer).toHaveCount(0);
      await goTo(page, `/panel/user?user=${id}`);
      await drawer.getByRole("heading", { name: "anna" }).waitFor();
    });

    await test.step("no picture was requested, nor on the page of the account", async () => {
      await goTo(page, `/panel/user/${id}`);
      await page.getByRole("main").getByText("anna").first().waitFor();
      await waitUntilLoaded(page);
      expect(foreign).toEqual([]);
    });
  },
);

test(
  "users are disabled together, except those of the same or a higher role, and on all pages of a filter",
  { tag: "@nightly" },
  async ({ page }) => {
    for (const username of ["many-1", "many-2"]) await makeUser(username, { group: "svip" });
    await site.api("PUT", "/user", { id: 1, group: "svip" });
    for (let number = 0; number < 12; number += 1) await makeUser(`crowd-${number}`, { group: "vip" });
    const question = page.getByRole("dialog");
    await page.goto("/panel/user?group=svip");

    await test.step("root is not disabled", async () => {
      await rowOf(page, "many-1").waitFor();
      await page.getByRole("checkbox", { name: "Select all rows" }).check();
      await page.getByRole("button", { name: "Disable" }).click();
      await question.getByText("Disable 2 users?").waitFor();
      await question.getByRole("button", { name: "Disable" }).click();
      await page.getByText("2 succeeded").waitFor();
      await rowOf(page, "many-1").getByText("Disabled").waitFor();
      await rowOf(page, "many-2").getByText("Disabled").waitFor();
      await rowOf(page, "root").getByText("Enabled").waitFor();
    });

    await test.step("all matches are selected, also those of other pages", async () => {
      await goTo(page, "/panel/user?group=vip&keyword=crowd&size=10");
      await rowOf(page, "crowd-11").waitFor();
      await page.getByRole("checkbox", { name: "Select all rows" }).check();
      await page.getByRole("button", { name: "Select all 12 matching" }).click();
      await page.getByText("12 selected").waitFor();
      await page.getByRole("button", { name: "Disable" }).click();
      await question.getByText("Disable 12 users?").waitFor();
      await question.getByRole("button", { name: "Disable" }).click();
      await page.getByText("12 succeeded").waitFor();
      const { total_count } = await site.api<{ total_count: number }>("GET", "/user?keyword=crowd&status=2");
      expect(total_count).toBe(12);
    });
  },
);

test(
  "the overview of an operator without own calls does not suggest a first call above the calls of others",
  { tag: "@nightly" },
  async ({ page }) => {
    await addDemoChannel(site);
    const { id } = await makeUser("caller", { quota: 500_000 });
    await page.goto("/panel/log");
    await page.getByText("No calls yet").waitFor();
    const { key } = await site.api<{ key: string }>("POST", "/token/admin", { user_id: id, name: "key" });
    expect(await callModel(site, key)).toMatchObject({ status: 200 });
    await page.reload();
    await rowOf(page, "demo-chat").waitFor();
    await expect(page.getByText("No calls yet")).toHaveCount(0);
  },
);
