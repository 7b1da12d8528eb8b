/** The set-up of a first run, and its wizard: another gateway's data becomes this installation, and root finds the report. */
import { oneHubColumns } from "../../server/src/migration/products/one-hub/columns.ts";
import { type ForeignDatabase, foreignDatabase } from "../../server/test/cli/foreign-database.ts";
import { litellmDatabase, salt, smallLitellm } from "../../server/test/cli/litellm-rows.ts";
import { oneHubPassword, oneHubRows } from "../../server/test/cli/one-hub-rows.ts";
import { faults } from "./support/faults.ts";
import { expect, test, type Site } from "./support/test.ts";

const withoutRoot = { ROOT_USERNAME: "", ROOT_PASSWORD: "" };
test.use({ guest: true, gateway: { env: withoutRoot } });

let source: ForeignDatabase;
test.beforeAll(async () => {
  source = await foreignDatabase("sqlite", oneHubColumns, await oneHubRows());
});
test.afterAll(() => source.remove());

/** The path of the set-up link that the server has printed. */
async function setupLink(site: Site): Promise<string> {
  const link = () => site.printed.map((line) => /\/setup\?token=\S+/.exec(line)?.[0]).find(Boolean);
  await expect.poll(link).toBeDefined();
  return link() ?? "";
}

const startDryRun = { name: "Start the dry run" };

test(
  "a file of One Hub is imported after a dry run, and an account of it finds the report",
  { tag: "@nightly" },
  async ({ page, site }) => {
    const link = await setupLink(site);
    await page.goto(link);
    await test.step("the valid link has the form of the administrator and the wizard", async () => {
      await expect(page.getByLabel("Username")).toBeVisible();
      await page.getByRole("link", { name: "Migrate from another gateway" }).click();
      await expect(page.getByRole("heading", { name: "Migrate from another gateway" })).toBeVisible();
      await page.getByRole("button", startDryRun).click();
      await expect(page.getByText("Choose a product").last()).toBeVisible();
    });

    const product = page.getByRole("combobox", { name: "Other gateway" });
    await test.step("the wrong product is named, and the form keeps what was entered", async () => {
      await product.click();
      await page.getByRole("option", { name: "New API" }).click();
      const [chooser] = await Promise.all([
        page.waitForEvent("filechooser"),
        page.getByLabel("Database file").click(),
      ]);
      await chooser.setFiles(source.from);
      expect(await faults(page)).toEqual([]);
      await page.getByRole("button", startDryRun).click();
      await expect(page.getByText("is a One Hub database, not one of New API")).toBeVisible();
      await page.getByRole("button", { name: "Back" }).click();
      await product.click();
      await page.getByRole("option", { name: "One Hub" }).click();
    });

    await test.step("the dry run succeeds, and the import follows", async () => {
      await page.getByRole("button", startDryRun).click();
      await expect(page.getByText("The dry run succeeded")).toBeVisible();
      await expect(page.getByRole("heading", { name: "Needs your attention" })).toBeVisible();
      await expect(page.getByText("Balances compared: 5. Different: 0.")).toBeVisible();
      expect(await faults(page)).toEqual([]);
      await page.getByRole("button", { name: "Import now" }).click();
      await expect(page.getByText("The import is complete")).toBeVisible();
    });

    await test.step("root of the other gateway signs in, and finds the report", async () => {
      await page.getByRole("link", { name: "Sign in" }).last().click();
      await page.getByLabel("Username").fill("root");
      await page.getByLabel("Password", { exact: true }).fill(oneHubPassword);
      await page.getByRole("button", { name: "Sign in", exact: true }).click();
      await page.waitForURL("**/panel/dashboard");
      await page.getByRole("button", { name: /^Go to…/ }).click();
      await page.getByRole("textbox", { name: "Go to…" }).fill("Migration");
      await page.getByRole("dialog").getByText("Migration", { exact: true }).click();
      await expect(page.getByText("One Hub", { exact: true })).toBeVisible();
      await page.getByRole("button", { name: "Open the report" }).click();
      await expect(page.getByRole("heading", { name: "Import from One Hub" })).toBeVisible();
      await expect(page.getByRole("rowheader", { name: "Анна 1" })).toBeVisible();
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: "Download JSON" }).click(),
      ]);
      expect(download.suggestedFilename()).toMatch(/^import-one-hub-\d{4}-\d\d-\d\d\.json$/);
    });

    await test.step("the link leads others to the sign-in afterwards", async () => {
      const later = await site.open(link.replace("/setup?", "/setup/import?"), { guest: true });
      await expect(later.getByText("You can only import into a new installation")).toBeVisible();
      await expect(later.getByRole("link", { name: "Sign in" }).last()).toBeVisible();
    });
  },
);

test(
  "LiteLLM is imported from its Postgres database, with the salt key and a pasted config.yaml",
  { tag: "@nightly" },
  async ({ startSite }) => {
    const server = await startSite({ env: withoutRoot });
    const database = await litellmDatabase(smallLitellm());
    try {
      const link = (await setupLink(server)).replace("/setup?", "/setup/import?");
      const page = await server.open(link, { guest: true });
      await page.getByRole("combobox", { name: "Other gateway" }).click();
      await page.getByRole("option", { name: "LiteLLM" }).click();
      await expect(page.getByLabel("Salt key", { exact: true })).toBeVisible();
      // It has no file, so only an address can be entered.
      await expect(page.getByText("SQLite file")).toHaveCount(0);
      expect(await faults(page)).toEqual([]);
      await page.getByRole("button", startDryRun).click();
      await expect(page.getByText("Enter the address", { exact: true })).toBeVisible();
      await page.getByLabel("Database address").fill(database.from);
      await page.getByLabel("Starting balance in dollars").fill("50");
      const [chooser] = await Promise.all([
        page.waitForEvent("filechooser"),
        page.getByLabel("Configuration file").click(),
      ]);
      const config =
        "model_list:\n  - model_name: fast\n    litellm_params: { model: openai/gpt-5, api_key: sk-x }\n";
      const buffer = Buffer.from(config);
      await chooser.setFiles({ name: "config.yaml", mimeType: "application/yaml", buffer });
      await expect(page.getByLabel("Content of config.yaml")).toHaveValue(/model_name: fast/);

      // Without the salt key, the refusal says what is missing, and the form keeps what was entered.
      await page.getByRole("button", startDryRun).click();
      await expect(page.getByText("Enter its LITELLM_SALT_KEY")).toBeVisible();
      await page.getByRole("button", { name: "Back" }).click();
      await page.getByLabel("Salt key", { exact: true }).fill(salt);
      await page.getByRole("button", startDryRun).click();
      await expect(page.getByText("The dry run succeeded")).toBeVisible();
      await page.getByRole("button", { name: "Import now" }).click();
      await expect(page.getByText("The import is complete")).toBeVisible();
      expect(server.printed.join("\n")).not.toContain(salt);
    } finally {
      await database.remove();
    }
  },
);
