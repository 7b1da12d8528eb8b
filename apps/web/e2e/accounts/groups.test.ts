import type { Page } from "@playwright/test";
import { goTo } from "../support/go-to.ts";
import { expect, test, type Site } from "../support/test.ts";

let site: Site;

test.beforeAll(async ({ site: started }) => {
  site = started;
});

interface Group {
  id: number;
  symbol: string;
  ratio: number;
  api_rate: number;
  enable: boolean;
}

async function groupOf(symbol: string): Promise<Group | undefined> {
  const { data } = await site.api<{ data: Group[] }>("GET", "/user_group?size=100");
  return data.find((group) => group.symbol === symbol);
}

const rowOf = (page: Page, name: string) =>
  page.getByRole("row").filter({ has: page.getByText(name, { exact: true }) });

async function deleteRow(page: Page, name: string): Promise<void> {
  await rowOf(page, name).hover();
  await rowOf(page, name).getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
}

test(
  "a user group is created, changed, disabled and deleted; its identifier never changes",
  { tag: "@nightly" },
  async ({ page }) => {
    const channel = { type: 900, name: "Demo", models: ["demo-chat"], groups: ["svip"] };
    await site.api("POST", "/channel", channel);
    // Loads the choices of groups, which a new group must change.
    await page.goto("/panel/user");
    await page.getByLabel("Group", { exact: true }).first().waitFor();
    await goTo(page, "/panel/user_group");
    const form = page.getByRole("dialog");

    await test.step("an error is shown even when its field is hidden", async () => {
      await page.getByRole("button", { name: "New group" }).click();
      await form.getByLabel("Name", { exact: false }).fill("Students");
      const promotion = form.getByRole("switch", { name: "Promote accounts to this group" });
      await promotion.press("Space");
      await form.getByLabel("From").fill("");
      await promotion.press("Space");
      await form.getByLabel("Identifier").fill("hidden");
      await form.getByRole("button", { name: "Save" }).click();
      await page.getByText("A whole number is required").waitFor();
      expect(await groupOf("hidden")).toBeUndefined();
      await promotion.press("Space");
      await form.getByLabel("From").fill("0");
      await promotion.press("Space");
    });

    await test.step("the form rejects an identifier, and explains ratio and limit", async () => {
      await form.getByLabel("Identifier").fill("");
      await form.getByRole("button", { name: "Save" }).click();
      await form.getByText("The identifier is required").waitFor();
      await form.getByLabel("Identifier").fill("组");
      await form.getByRole("button", { name: "Save" }).click();
      await form
        .getByText("The identifier may contain English letters, digits, hyphens and underscores")
        .waitFor();
      await form.getByLabel("Identifier").fill("students");
      await form.getByLabel("Ratio").fill("0.5");
      await form.getByText("A call that costs $1 at ratio 1 costs $0.50 in this group.").waitFor();
      await form.getByText(/a token bucket/).waitFor();
      await form.getByLabel("Requests per minute").fill("30");
      await form.getByText(/counted per minute/).waitFor();
      await form.getByRole("button", { name: "Save" }).click();
      await expect(form).toHaveCount(0);
      expect(await groupOf("students")).toMatchObject({ ratio: 0.5, api_rate: 30, enable: true });
    });

    await test.step("the group is a choice of the other screens at once", async () => {
      await goTo(page, "/panel/user");
      await page.getByLabel("Group", { exact: true }).first().click();
      await page.getByRole("option", { name: "Students" }).waitFor();
      await page.keyboard.press("Escape");
      await goTo(page, "/panel/user_group");
    });

    await test.step("the group is disabled in its row, and its identifier cannot be edited", async () => {
      await rowOf(page, "Students").getByRole("switch", { name: "Enable Students" }).press("Space");
      await expect.poll(async () => (await groupOf("students"))?.enable).toBe(false);
      await rowOf(page, "Students").click();
      await expect(form.getByLabel("Identifier")).toBeDisabled();
      await form.getByRole("button", { name: "Cancel" }).click();
      await expect(form).toHaveCount(0);
    });

    await test.step("it is deleted, but not the default group or one that is in use", async () => {
      await deleteRow(page, "Students");
      await expect(rowOf(page, "Students")).toHaveCount(0);
      expect(await groupOf("students")).toBeUndefined();
      await rowOf(page, "Default").getByText("Always").waitFor();
      await expect(rowOf(page, "Default").getByRole("button", { name: "Delete" })).toHaveCount(0);
      await deleteRow(page, "SVIP");
      await page.getByText(/still belong to this group/).waitFor();
      expect(await groupOf("svip")).toBeDefined();
    });
  },
);

test(
  "a model owner has an id above 1000; those of known providers cannot be deleted",
  { tag: "@nightly" },
  async ({ page }) => {
    await page.goto("/panel/model_ownedby");
    await page.getByRole("button", { name: "New owner" }).click();
    const form = page.getByRole("dialog");
    await expect(form.getByLabel("ID")).toHaveValue("1001");
    await form.getByLabel("ID").fill("999");
    await form.getByLabel("Name").fill("Workshop");
    await form.getByRole("button", { name: "Save" }).click();
    await form.getByText("The id must be a number above 1000").waitFor();
    await form.getByLabel("ID").fill("1200");
    await form.getByLabel("Icon").fill("openai");
    await form.getByRole("button", { name: "Save" }).click();
    await expect(form).toHaveCount(0);
    await rowOf(page, "Workshop").getByText("1200").waitFor();
    await expect(rowOf(page, "OpenAI").getByRole("button", { name: "Delete" })).toHaveCount(0);
    await deleteRow(page, "Workshop");
    await expect(rowOf(page, "Workshop")).toHaveCount(0);
  },
);
