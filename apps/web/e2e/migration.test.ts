/** The wizard of the first run: another gateway's file becomes this installation, and root finds the report. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { oneHubColumns } from "../../server/src/migration/products/one-hub-columns.ts";
import { type ForeignDatabase, foreignDatabase } from "../../server/test/cli/foreign-database.ts";
import { litellmDatabase, salt, smallLitellm } from "../../server/test/cli/litellm-rows.ts";
import { oneHubPassword, oneHubRows } from "../../server/test/cli/one-hub-rows.ts";
import { faults } from "./support/faults.ts";
import { openSite, type Site } from "./support/site.ts";

let site: Site;
let source: ForeignDatabase;
beforeAll(async () => {
  site = await openSite({ ROOT_USERNAME: "", ROOT_PASSWORD: "" });
  source = await foreignDatabase("sqlite", oneHubColumns, await oneHubRows());
});
afterAll(async () => {
  await site.close();
  await source.remove();
});

/** The path of the set-up link that the server has printed. */
async function setupLink(server = site): Promise<string> {
  const found = () => server.printed.map((line) => /\/setup\?token=\S+/.exec(line)?.[0]).find(Boolean);
  await expect.poll(found).toBeDefined();
  return found() ?? "";
}

it("imports a file after a dry run, then signs in with an account of the other gateway", async () => {
  const page = await site.open(await setupLink(), { guest: true });
  await page.getByRole("link", { name: "Migrate from another gateway" }).click();
  await page.getByRole("heading", { name: "Migrate from another gateway" }).waitFor();

  await page.getByRole("button", { name: "Start the dry run" }).click();
  await page.getByText("Choose a product").last().waitFor();
  await page.getByRole("combobox", { name: "Other gateway" }).click();
  await page.getByRole("option", { name: "New API" }).click();
  const [chooser] = await Promise.all([
    page.waitForEvent("filechooser"),
    page.getByLabel("Database file").click(),
  ]);
  await chooser.setFiles(source.from);
  expect(await faults(page)).toEqual([]);

  // The wrong product is named, and the form keeps what was entered.
  await page.getByRole("button", { name: "Start the dry run" }).click();
  await page.getByText("is a One Hub database, not one of New API").waitFor();
  await page.getByRole("button", { name: "Back" }).click();
  await page.getByRole("combobox", { name: "Other gateway" }).click();
  await page.getByRole("option", { name: "One Hub" }).click();
  await page.getByRole("button", { name: "Start the dry run" }).click();

  await page.getByText("The dry run succeeded").waitFor();
  await page.getByRole("heading", { name: "Needs your attention" }).waitFor();
  await page.getByText("Balances compared: 5. Different: 0.").waitFor();
  expect(await faults(page)).toEqual([]);
  await page.getByRole("button", { name: "Import now" }).click();
  await page.getByText("The import is complete").waitFor();
  await page.getByRole("link", { name: "Sign in" }).last().click();

  await page.getByLabel("Username").fill("root");
  await page.getByLabel("Password", { exact: true }).fill(oneHubPassword);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.waitForURL("**/panel/dashboard");

  await page.goto(`${site.url}/panel/migration`);
  await page.getByText("One Hub", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Open the report" }).click();
  await page.getByRole("heading", { name: "Import from One Hub" }).waitFor();
  await page.getByRole("rowheader", { name: "Анна 1" }).waitFor();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Download JSON" }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/^import-one-hub-\d{4}-\d\d-\d\d\.json$/);
});

it("ends with the set-up: the link leads to the sign-in afterwards", async () => {
  const page = await site.open((await setupLink()).replace("/setup?", "/setup/import?"), { guest: true });
  await page.getByText("You can only import into a new installation").waitFor();
  await page.getByRole("link", { name: "Sign in" }).last().waitFor();
});

it("imports LiteLLM from its Postgres database, with the salt key and a pasted config.yaml", async () => {
  const server = await openSite({ ROOT_USERNAME: "", ROOT_PASSWORD: "" });
  const database = await litellmDatabase(smallLitellm());
  try {
    const page = await server.open((await setupLink(server)).replace("/setup?", "/setup/import?"), {
      guest: true,
    });
    await page.getByRole("combobox", { name: "Other gateway" }).click();
    await page.getByRole("option", { name: "LiteLLM" }).click();
    await page.getByLabel("Salt key", { exact: true }).waitFor();
    // It has no file, so only an address can be entered.
    expect(await page.getByText("SQLite file").count()).toBe(0);
    expect(await faults(page)).toEqual([]);
    await page.getByRole("button", { name: "Start the dry run" }).click();
    await page.getByText("Enter the address", { exact: true }).waitFor();
    await page.getByLabel("Database address").fill(database.from);
    await page.getByLabel("Starting balance in dollars").fill("50");
    const chosen = page.waitForEvent("filechooser");
    await page.getByLabel("Configuration file").click();
    await (
      await chosen
    ).setFiles({
      name: "config.yaml",
      mimeType: "application/yaml",
      buffer: Buffer.from(
        "model_list:\n  - model_name: fast\n    litellm_params: { model: openai/gpt-5, api_key: sk-x }\n",
      ),
    });
    const pasted = page.getByLabel("Content of config.yaml");
    await expect.poll(() => pasted.inputValue()).toContain("model_name: fast");

    // Without the salt key, the refusal says what is missing, and the form keeps what was entered.
    await page.getByRole("button", { name: "Start the dry run" }).click();
    await page.getByText("Enter its LITELLM_SALT_KEY").waitFor();
    await page.getByRole("button", { name: "Back" }).click();
    await page.getByLabel("Salt key", { exact: true }).fill(salt);
    await page.getByRole("button", { name: "Start the dry run" }).click();
    await page.getByText("The dry run succeeded").waitFor();
    await page.getByRole("button", { name: "Import now" }).click();
    await page.getByText("The import is complete").waitFor();
    expect(server.printed.join("\n")).not.toContain(salt);
  } finally {
    await server.close();
    await database.remove();
  }
});
