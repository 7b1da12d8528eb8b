import { expect, test, type Site } from "../support/test.ts";

let site: Site;

test.beforeAll(async ({ site: started }) => {
  site = started;
});

test(
  "an MCP server and a bundle are added from the channels, changed and deleted",
  { tag: "@nightly" },
  async ({ page }) => {
    const form = page.getByRole("dialog");
    await page.goto("/panel/channel");
    await page.getByRole("button", { name: "For all channels" }).click();
    await page.getByRole("menuitem", { name: "MCP servers" }).click();
    await expect(page).toHaveURL(/\/panel\/mcp/);
    await expect(page.getByText("No bundles yet")).toBeVisible();

    await test.step("a server is added, and its credential is never shown again", async () => {
      await page.getByText("Servers", { exact: true }).click();
      await page.getByRole("button", { name: "Add server" }).click();
      await form.getByLabel("Name").fill("git__hub");
      await form.getByRole("textbox", { name: "Address" }).fill("https://mcp.example.com/mcp");
      await form.getByRole("button", { name: "Save" }).click();
      await expect(form.getByText("Use small letters, digits and single hyphens")).toBeVisible();
      await form.getByLabel("Name").fill("github");
      await form.getByLabel("Value").fill("Bearer secret-of-operator");
      await form.getByLabel("Price per call").fill("0.01");
      await form.getByRole("button", { name: "Add price of a tool" }).click();
      await form.getByRole("textbox", { name: "Tool" }).fill("search_code");
      await form.getByRole("button", { name: "Save" }).click();
      await expect(form).toHaveCount(0);
      await expect(page.getByRole("row").filter({ hasText: "github" })).toContainText("Stored");
      await page.getByRole("row").filter({ hasText: "github" }).getByText("github").click();
      await expect(form.getByPlaceholder("Leave empty to keep the stored value")).toHaveValue("");
      await page.keyboard.press("Escape");
    });

    await test.step("a bundle shows its address", async () => {
      await page.getByText("Bundles", { exact: true }).click();
      await page.getByRole("button", { name: "Add bundle" }).click();
      await form.getByLabel("Name").fill("work");
      await form.getByRole("combobox", { name: "Servers" }).click();
      await page.getByRole("option", { name: "github" }).click();
      await form.getByLabel("Name").click();
      await form.getByRole("button", { name: "Save" }).click();
      await expect(form).toHaveCount(0);
      await expect(page.getByRole("row").filter({ hasText: "/mcp/work" })).toContainText("github");
      expect(await site.api("GET", "/mcp_bundle")).toMatchObject([{ name: "work", servers: [1] }]);
    });

    await test.step("a bundle is deleted", async () => {
      const row = page.getByRole("row").filter({ hasText: "/mcp/work" });
      await row.hover();
      await row.getByRole("button", { name: "Delete" }).click();
      await form.getByRole("button", { name: "Delete" }).click();
      await expect(page.getByText("No bundles yet")).toBeVisible();
    });
  },
);
