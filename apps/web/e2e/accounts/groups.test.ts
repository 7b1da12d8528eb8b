import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSite, type Site } from "../support/site.ts";

let site: Site;

beforeAll(async () => {
  site = await openSite();
});
afterAll(() => site.close());

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

describe("user groups", () => {
  it("are created, changed, disabled and deleted; the identifier never changes", async () => {
    const page = await site.open("/panel/user_group");
    await page.getByRole("button", { name: "New group" }).click();
    const form = page.getByRole("dialog");
    await form.getByRole("button", { name: "Save" }).click();
    await form.getByText("The identifier is required").waitFor();
    await form.getByLabel("Identifier").fill("组");
    await form.getByLabel("Name", { exact: false }).fill("Students");
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
    await form.waitFor({ state: "detached" });
    expect(await groupOf("students")).toMatchObject({ ratio: 0.5, api_rate: 30, enable: true });

    const row = rowOf(page, "Students");
    await row.getByRole("switch", { name: "Enable Students" }).press("Space");
    await expect.poll(async () => (await groupOf("students"))?.enable).toBe(false);
    await row.click();
    await expect.poll(() => form.getByLabel("Identifier").isDisabled()).toBe(true);
    await form.getByRole("button", { name: "Cancel" }).click();
    await row.hover();
    await row.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await row.waitFor({ state: "detached" });
    expect(await groupOf("students")).toBeUndefined();
  });

  it("show an error even when its field is not visible", async () => {
    const page = await site.open("/panel/user_group");
    await page.getByRole("button", { name: "New group" }).click();
    const form = page.getByRole("dialog");
    await form.getByLabel("Identifier").fill("hidden");
    await form.getByLabel("Name", { exact: false }).fill("Hidden");
    const promotion = form.getByRole("switch", { name: "Promote accounts to this group" });
    await promotion.press("Space");
    await form.getByLabel("From").fill("");
    await promotion.press("Space");
    await form.getByRole("button", { name: "Save" }).click();
    await page.getByText("A whole number is required").waitFor();
    expect(await groupOf("hidden")).toBeUndefined();
  });

  it("cannot be deleted if default or in use", async () => {
    const page = await site.open("/panel/user_group");
    const standard = rowOf(page, "Default");
    await standard.getByText("Always").waitFor();
    await expect.poll(() => standard.getByRole("button", { name: "Delete" }).count()).toBe(0);
    const channel = { type: 900, name: "Demo", models: ["demo-chat"], groups: ["svip"] };
    await site.api("POST", "/channel", channel);
    await page.reload();
    const used = rowOf(page, "SVIP");
    await used.hover();
    await used.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText(/still belong to this group/).waitFor();
    expect(await groupOf("svip")).toBeDefined();
  });
});

describe("model owners", () => {
  it("have ids above 1000; those of known providers cannot be deleted", async () => {
    const page = await site.open("/panel/model_ownedby");
    await page.getByRole("button", { name: "New owner" }).click();
    const form = page.getByRole("dialog");
    await expect.poll(() => form.getByLabel("ID").inputValue()).toBe("1001");
    await form.getByLabel("ID").fill("999");
    await form.getByLabel("Name").fill("Workshop");
    await form.getByRole("button", { name: "Save" }).click();
    await form.getByText("The id must be a number above 1000").waitFor();
    await form.getByLabel("ID").fill("1200");
    await form.getByLabel("Icon").fill("openai");
    await form.getByRole("button", { name: "Save" }).click();
    await form.waitFor({ state: "detached" });
    const row = rowOf(page, "Workshop");
    await row.getByText("1200").waitFor();
    await expect.poll(() => rowOf(page, "OpenAI").getByRole("button", { name: "Delete" }).count()).toBe(0);
    await row.hover();
    await row.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await row.waitFor({ state: "detached" });
  });
});
