/** The editor of a channel, and its tests from the list. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Locator, Page } from "@playwright/test";
import { addChannel, removeChannels, rowOf } from "../support/channel-stock.ts";
import { expect, test, type Site } from "../support/test.ts";

let site: Site;
let upstream: ChildProcess;
/** Address of a simulated provider that is not part of the gateway. */
let providerUrl: string;

test.beforeAll(async ({ site: started }) => {
  site = started;
  const main = fileURLToPath(new URL("../../../../packages/demo/src/main.ts", import.meta.url));
  upstream = spawn(process.execPath, [main, "--port", "0"], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = await once(createInterface({ input: upstream.stdout! }), "line");
  providerUrl = /http:\S+/.exec(String(line))![0];
});
test.afterAll(() => upstream.kill());

const add = (values: object) => addChannel(site, values);

// Each test starts with its own channels.
test.beforeEach(() => removeChannels(site));

async function openNew(page: Page): Promise<Locator> {
  await page.getByRole("button", { name: "Add channel" }).first().click();
  const form = page.getByRole("dialog", { name: "Add channel" });
  await nameIn(form).waitFor();
  return form;
}

async function chooseProvider(page: Page, form: Locator, providerName: RegExp): Promise<void> {
  await form.getByRole("combobox", { name: "Provider" }).click();
  await page.getByRole("option", { name: providerName }).click();
}

async function typeModels(form: Locator, ...models: string[]): Promise<void> {
  const field = form.getByRole("combobox", { name: "Models", exact: true });
  for (const model of models) {
    await field.fill(model);
    await field.press("Enter");
  }
}

/** Opens the editor of a listed channel. */
async function openStored(page: Page, name: string): Promise<Locator> {
  await rowOf(page, name).getByText(name, { exact: true }).click();
  const form = page.getByRole("dialog");
  await nameIn(form).waitFor();
  return form;
}

const nameIn = (form: Locator) => form.getByRole("textbox", { name: "Name", exact: true });
const save = (form: Locator) => form.getByRole("button", { name: /^(Add channel|Save)$/ }).click();
const closed = (form: Locator) => form.waitFor({ state: "detached" });

test(
  "the demo channel is added with one click and tested at once, copied, enabled, and deleted after a confirmation",
  { tag: "@nightly" },
  async ({ page }) => {
    await page.goto("/panel/channel");
    await test.step("one click adds and tests it", async () => {
      await page.getByRole("button", { name: "Add the demo channel" }).click();
      const row = rowOf(page, "Demo").first();
      await expect(row.getByRole("switch", { name: /^Enable/, checked: true })).toBeVisible();
      await expect(row.getByText(/^\d+ ms$/)).toBeVisible();
    });

    const copy = rowOf(page, "Demo_copy");
    await test.step("a copy is disabled until it is enabled", async () => {
      await page.getByRole("button", { name: "More actions for Demo" }).click();
      await page.getByRole("menuitem", { name: "Duplicate", exact: true }).click();
      const form = page.getByRole("dialog", { name: /^Edit .+ \(#\d+\)$/ });
      await expect(nameIn(form)).toHaveValue("Demo_copy");
      await form.getByRole("button", { name: "Cancel" }).click();
      await closed(form);
      await expect(copy.getByText("Disabled")).toBeVisible();
      // A switch is drawn over its input, so the click must be forced.
      await copy.getByRole("switch").click({ force: true });
      await expect(copy.getByRole("switch", { name: /^Enable/, checked: true })).toBeVisible();
    });

    await test.step("it is deleted after a confirmation", async () => {
      await page.getByRole("button", { name: "More actions for Demo_copy" }).click();
      await page.getByRole("menuitem", { name: "Delete" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
      await expect(page.getByText("Demo_copy deleted")).toBeVisible();
      await expect(copy).toHaveCount(0);
    });
  },
);

test("a new channel shows errors, is tested before it is saved, takes pasted and fetched models, and never shows its keys again", async ({
  page,
}) => {
  await page.goto("/panel/channel");
  const form = await openNew(page);
  await test.step("missing and invalid values are shown at their fields", async () => {
    await chooseProvider(page, form, /^OpenAI-compatible/);
    const before = await nameIn(form).boundingBox();
    await save(form);
    const summary = form.getByRole("alert").filter({ hasText: "Check these fields:" });
    await expect(summary).toBeVisible();
    expect(await nameIn(form).boundingBox(), "the list moves no field").toEqual(before);
    await summary.getByRole("button", { name: "API address" }).click();
    await expect(form.getByText("API address is required")).toBeVisible();
    await expect(form.getByLabel("API address")).toBeFocused();
    await nameIn(form).fill("Cellar");
    await form.getByLabel("API address").fill("ftp://cellar");
    await typeModels(form, "demo-*-chat");
    await expect(
      form.getByText(
        "A wildcard * is only allowed as the last character, after at least one other character",
      ),
    ).toBeVisible();
    await expect(summary.getByRole("button", { name: "API address" })).toBeVisible();
    await form.getByRole("button", { name: "Add mapping" }).click();
    await form.getByLabel("Requested model 1").fill("house-model");
    await form.getByLabel("Forwarded model 1").fill("++");
    await save(form);
    await expect(form.getByText("The address must be an http or https URL")).toBeVisible();
    await expect(form.getByText("The target of a mapping must be a model name")).toBeVisible();
  });

  await test.step("the unsaved values are tested", async () => {
    await form.getByLabel("API address").fill(providerUrl);
    await form.getByLabel("Remove demo-*-chat").click();
    await typeModels(form, "demo-chat", "demo-chat", "tiny*");
    await expect(form.getByText("2 models")).toBeVisible();
    await form.getByLabel("Forwarded model 1").fill("+demo-think");
    await form.getByRole("button", { name: "Add to models" }).click();
    await expect(form.getByText("3 models")).toBeVisible();
    await form.getByRole("button", { name: "Test", exact: true }).click();
    await expect(form.getByText(/demo-chat responded in/)).toBeVisible();
  });

  await test.step("Ctrl+Enter saves it, and the list shows its models", async () => {
    await page.keyboard.press("Control+Enter");
    await closed(form);
    await rowOf(page, "Cellar").getByRole("button", { name: "3 models" }).click();
    await expect(page.getByRole("dialog").getByText("house-model")).toBeVisible();
    const { data } = await site.api<{ data: object[] }>("GET", "/channel?keyword=Cellar");
    expect(data[0]).toMatchObject({
      base_url: providerUrl,
      models: ["demo-chat", "tiny*", "house-model"],
      model_mapping: { "house-model": "+demo-think" },
    });
    await page.keyboard.press("Escape");
    await expect(page.getByRole("dialog")).toHaveCount(0);
  });

  await test.step("a pasted list is added without duplicates", async () => {
    await openNew(page);
    await form.getByRole("button", { name: "Remove all" }).click();
    await page.evaluate(() => navigator.clipboard.writeText("one, two\nthree\n\ntwo,, one"));
    await form.getByRole("combobox", { name: "Models", exact: true }).focus();
    await page.keyboard.press("Control+V");
    await expect(form.getByText("3 models")).toBeVisible();
  });

  await test.step("the provider's own list shows what it no longer offers", async () => {
    await form.getByRole("button", { name: "Remove all" }).click();
    await chooseProvider(page, form, /^OpenAI-compatible/);
    await nameIn(form).fill("Picked");
    await form.getByLabel("API address").fill(providerUrl);
    await typeModels(form, "retired-model", "demo-chat");
    await form.getByRole("button", { name: "Fetch from provider" }).click();
    const picker = page.getByRole("dialog", { name: "Provider's models" });
    await expect(picker.getByText("no longer listed")).toBeVisible();
    await picker.getByLabel("Find a model").fill("think");
    await picker.getByLabel("Select all shown").check();
    await picker.getByLabel("Find a model").fill("");
    await picker.getByRole("checkbox", { name: "retired-model" }).uncheck();
    await expect(picker.getByText("+1 −1")).toBeVisible();
    await picker.getByRole("button", { name: "Use 2 models" }).click();
    await closed(picker);
    await expect(form.getByText("demo-think", { exact: true })).toBeVisible();
    await expect(form.getByText("retired-model")).toHaveCount(0);
  });

  await test.step("leaving asks before the input is discarded", async () => {
    await page.keyboard.press("Escape");
    const question = page.getByRole("dialog", { name: "Leave without saving?" });
    await question.getByRole("button", { name: "Cancel" }).click();
    await closed(question);
    await expect(nameIn(form)).toHaveValue("Picked");
    await form.getByRole("button", { name: "Cancel" }).click();
    await question.getByRole("button", { name: "Discard changes" }).click();
    await closed(form);
  });

  await test.step("Anthropic requires a key, of which only a hint is shown afterwards", async () => {
    await openNew(page);
    await chooseProvider(page, form, /^Anthropic/);
    await nameIn(form).fill("Claude");
    const address = form.getByLabel("API address");
    await expect(address).toHaveValue("https://api.anthropic.com");
    await address.fill("");
    await save(form);
    await expect(form.getByText("API key is required")).toBeVisible();
    await expect(form.getByText("API address is required")).toBeVisible();
    await address.fill("https://api.anthropic.com");
    await form.getByLabel("API keys").fill("sk-ant-secret-of-the-house\nsk-ant-another-of-the-house");
    await save(form);
    await closed(form);
    const stored = await openStored(page, "Claude");
    await expect(stored.getByText("sk-ant-…ouse").first()).toBeVisible();
    expect(await page.content()).not.toContain("secret-of-the-house");
  });
});

test(
  "a stored channel is changed in the list and in its editor without entering its key",
  { tag: "@nightly" },
  async ({ page }) => {
    const { id } = await add({ name: "Original", key: "sk-stored-key-of-demo" });
    const stored = () => site.api<object>("GET", `/channel/${id}`);
    await page.goto("/panel/channel");
    await test.step("its weight is edited in the list", async () => {
      const weight = page.getByRole("textbox", { name: "Weight: Original" });
      await weight.fill("0");
      await page.keyboard.press("Enter");
      await expect(page.getByText("Weight cannot be less than 1")).toBeVisible();
      await weight.fill("7");
      await page.keyboard.press("Enter");
      await expect.poll(stored).toMatchObject({ weight: 7, key_hints: ["sk-stor…demo"] });
    });

    await test.step("invalid JSON is refused with its position, and everything else is saved as typed", async () => {
      const form = await openStored(page, "Original");
      await nameIn(form).fill("Renamed");
      await form.getByRole("button", { name: "Prompt, headers and parameters" }).click();
      await form.getByLabel("System prompt").fill("Be kind.");
      await form.getByText("After the caller's system prompt", { exact: true }).click();
      const extra = form.getByLabel("Extra parameters");
      await extra.scrollIntoViewIfNeeded();
      // The editor replaces the text area in which the test would write.
      await form.locator(".cm-content").last().waitFor();
      await extra.fill("{ oops");
      await form.getByRole("button", { name: "Timeouts and limits" }).click();
      await form.getByLabel("First byte timeout").fill("20000");
      await form.getByLabel("Concurrent calls").fill("3");
      await save(form);
      await expect(form.getByText("Must be a valid JSON string")).toBeVisible();
      await extra.fill('{"overwrite": "yes"}');
      await save(form);
      await expect(form.getByText("overwrite: It must be true or false")).toBeVisible();
      await extra.fill('{"overwrite": true, "temperature": 0.5}');
      await save(form);
      await closed(form);
      await expect(rowOf(page, "Renamed")).toBeVisible();
      expect(await stored()).toMatchObject({
        name: "Renamed",
        weight: 7,
        system_prompt: "Be kind.",
        system_prompt_place: "after",
        first_byte_timeout_ms: 20_000,
        max_concurrency: 3,
        custom_parameter: { overwrite: true, temperature: 0.5 },
        key_hints: ["sk-stor…demo"],
      });
    });

    await test.step("an error of the server stays at its field until the field changes", async () => {
      const form = await openStored(page, "Renamed");
      const address = form.getByLabel("API address");
      await address.fill("https://user:word@example.com");
      await save(form);
      const objection = form.getByText("The address must not contain a username or password.").first();
      await expect(objection).toBeVisible();
      await address.focus();
      await nameIn(form).fill("");
      await nameIn(form).blur();
      // The fields are validated after they lose the focus: then the server's error must still be there.
      await expect(form.getByText("Name is required").first()).toBeVisible();
      await expect(objection).toBeVisible();
      await expect(address).toHaveAttribute("aria-invalid", "true");
      await address.fill("https://example.com");
      await expect(objection).toHaveCount(0);
    });
  },
);

test(
  "the tests of a channel are run from the list, model by model, have a history, and show whether a model is genuine",
  { tag: "@nightly" },
  async ({ page }) => {
    const { id } = await add({ name: "Refused", key: "demo-fail-401" });
    await site.api("POST", `/channel/${id}/test`, {});
    const model_mapping = { broken: "demo-chat@status=503" };
    await add({ name: "Known", models: ["demo-chat", "broken"], key: "", model_mapping });
    await page.goto("/panel/channel");
    await test.step("each row shows the result of its last test", async () => {
      await expect(rowOf(page, "Refused").getByText("Failed", { exact: true })).toBeVisible();
      await expect(rowOf(page, "Known").first().getByText("Not tested", { exact: true })).toBeVisible();
    });

    await test.step("one model succeeds and another fails", async () => {
      await rowOf(page, "Known").first().getByText("Not tested").click();
      const testOf = (model: string) => page.getByRole("button", { name: `Test ${model}` });
      await testOf("demo-chat").click();
      await expect(testOf("demo-chat").getByText(/^\d+ ms$/)).toBeVisible();
      await page.getByLabel("Find a model").fill("bro");
      await testOf("broken").click();
      await expect(testOf("broken").getByText(/HTTP 503/)).toBeVisible();
    });

    await test.step("the history has both tests", async () => {
      await page.getByRole("button", { name: "History" }).click();
      const history = page.getByRole("dialog", { name: "Tests of Known" });
      await expect(history.getByText("demo-chat", { exact: true })).toHaveCount(1);
      await expect(history.getByText("broken", { exact: true })).toHaveCount(1);
      await page.keyboard.press("Escape");
      await closed(history);
    });

    await test.step("a model is verified", async () => {
      await page.getByRole("button", { name: "Test Known" }).first().click();
      await page.getByRole("button", { name: "Verify the model" }).click();
      const check = page.getByRole("dialog", { name: "Verify Known" });
      await check.getByRole("button", { name: "Verify", exact: true }).click();
      await expect(check.getByText("Tool call")).toBeVisible();
      await expect(check.getByText("Responds")).toBeVisible();
    });
  },
);
