import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { addChannel, removeChannels, rowOf } from "../support/channel-stock.ts";
import { openSite, type Site } from "../support/site.ts";

let site: Site;
let upstream: ChildProcess;
/** Address of a simulated provider that is not part of the gateway. */
let providerUrl: string;

beforeAll(async () => {
  const main = fileURLToPath(new URL("../../../server/src/demo/main.ts", import.meta.url));
  upstream = spawn(process.execPath, [main, "--port", "0"], { stdio: ["ignore", "pipe", "inherit"] });
  const lines = createInterface({ input: upstream.stdout! });
  const [[line]] = await Promise.all([once(lines, "line"), openSite().then((opened) => (site = opened))]);
  providerUrl = /http:\S+/.exec(String(line))![0];
});
afterAll(async () => {
  upstream.kill();
  await site.close();
});

const add = (values: object) => addChannel(site, values);

// Each test starts with its own channels.
beforeEach(() => removeChannels(site));

async function openNew(page: Page): Promise<Locator> {
  await page.getByRole("button", { name: "Add channel" }).first().click();
  const form = page.getByRole("dialog", { name: "Add channel" });
  await form.getByLabel("Name").waitFor();
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

const save = (form: Locator) => form.getByRole("button", { name: /^(Add channel|Save)$/ }).click();
const closed = (form: Locator) => form.waitFor({ state: "detached" });

describe("the first channel", () => {
  it("is the demo channel after a single click, and is tested immediately", async () => {
    const page = await site.open("/panel/channel");
    await page.getByRole("button", { name: "Add the demo channel" }).click();
    const row = rowOf(page, "Demo").first();
    await row.getByRole("switch", { name: /^Enable/, checked: true }).waitFor();
    await row.getByText(/^\d+ ms$/).waitFor();
  });
});

describe("a new channel", () => {
  it("of an OpenAI-compatible server shows errors, is tested, and is then saved", async () => {
    const page = await site.open("/panel/channel");
    const form = await openNew(page);
    await chooseProvider(page, form, /^OpenAI-compatible/);
    await save(form);
    const summary = form.getByRole("alert").filter({ hasText: "Check these fields:" });
    await summary.getByRole("button", { name: "API address" }).click();
    await form.getByText("API address is required").waitFor();
    await expect
      .poll(() => form.getByLabel("API address").evaluate((field) => field === document.activeElement))
      .toBe(true);

    await form.getByLabel("Name").fill("Cellar");
    await form.getByLabel("API address").fill("ftp://cellar");
    await typeModels(form, "demo-*-chat");
    await form
      .getByText("A wildcard * is only allowed as the last character, after at least one other character")
      .waitFor();
    await form.getByRole("button", { name: "Add mapping" }).click();
    await form.getByLabel("Requested model 1").fill("house-model");
    await form.getByLabel("Forwarded model 1").fill("++");
    await save(form);
    await form.getByText("The address must be an http or https URL").waitFor();
    await form.getByText("The target of a mapping must be a model name").waitFor();

    await form.getByLabel("API address").fill(providerUrl);
    await form.getByLabel("Remove demo-*-chat").click();
    await typeModels(form, "demo-chat", "demo-chat", "tiny*");
    await form.getByText("2 models").waitFor();
    await form.getByLabel("Forwarded model 1").fill("+demo-think");
    await form.getByRole("button", { name: "Add to models" }).click();
    await form.getByText("3 models").waitFor();
    await form.getByRole("button", { name: "Test", exact: true }).click();
    await form.getByText(/demo-chat responded in/).waitFor();
    await page.keyboard.press("Control+Enter");
    await closed(form);

    await rowOf(page, "Cellar").getByRole("button", { name: "3 models" }).click();
    await page.getByRole("dialog").getByText("house-model").waitFor();
    const { data } = await site.api<{ data: object[] }>("GET", "/channel?keyword=Cellar");
    expect(data[0]).toMatchObject({
      base_url: providerUrl,
      models: ["demo-chat", "tiny*", "house-model"],
      model_mapping: { "house-model": "+demo-think" },
    });
  });

  it("of Anthropic requires a key, which is never shown again", async () => {
    const page = await site.open("/panel/channel?edit=new");
    const form = page.getByRole("dialog");
    await chooseProvider(page, form, /^Anthropic/);
    await form.getByLabel("Name").fill("Claude");
    const address = form.getByLabel("API address");
    await expect.poll(() => address.inputValue()).toBe("https://api.anthropic.com");
    await address.fill("");
    await save(form);
    await form.getByText("API key is required").waitFor();
    await form.getByText("API address is required").waitFor();
    await address.fill("https://api.anthropic.com");
    await form.getByLabel("API keys").fill("sk-ant-secret-of-the-house\nsk-ant-another-of-the-house");
    await save(form);
    await closed(form);
    await rowOf(page, "Claude").getByText("Claude", { exact: true }).click();
    await page.getByRole("dialog").getByText("sk-ant-…ouse").first().waitFor();
    await expect.poll(() => page.content()).not.toContain("secret-of-the-house");
  });

  it("uses the provider's own list of models", async () => {
    const page = await site.open("/panel/channel?edit=new");
    const form = page.getByRole("dialog").first();
    await chooseProvider(page, form, /^OpenAI-compatible/);
    await form.getByLabel("Name").fill("Picked");
    await form.getByLabel("API address").fill(providerUrl);
    await typeModels(form, "retired-model", "demo-chat");
    await form.getByRole("button", { name: "Fetch from provider" }).click();
    const picker = page.getByRole("dialog", { name: "Provider's models" });
    await picker.getByText("no longer listed").waitFor();
    await picker.getByLabel("Find a model").fill("think");
    await picker.getByLabel("Select all shown").check();
    await picker.getByLabel("Find a model").fill("");
    await picker.getByRole("checkbox", { name: "retired-model" }).uncheck();
    await picker.getByText("+1 −1").waitFor();
    await picker.getByRole("button", { name: "Use 2 models" }).click();
    await closed(picker);
    await form.getByText("demo-think", { exact: true }).waitFor();
    await expect.poll(() => form.getByText("retired-model").count()).toBe(0);
  });

  it("accepts a pasted list of models without duplicates", async () => {
    const page = await site.open("/panel/channel?edit=new");
    const form = page.getByRole("dialog");
    await form.getByRole("button", { name: "Remove all" }).click();
    await page.evaluate(() => navigator.clipboard.writeText("one, two\nthree\n\ntwo,, one"));
    await form.getByRole("combobox", { name: "Models", exact: true }).focus();
    await page.keyboard.press("Control+V");
    await form.getByText("3 models").waitFor();
  });

  it("is not discarded by mistake", async () => {
    const page = await site.open("/panel/channel");
    const form = await openNew(page);
    await form.getByLabel("Name").fill("Half done");
    await page.keyboard.press("Escape");
    const question = page.getByRole("dialog", { name: "Leave without saving?" });
    await question.getByRole("button", { name: "Cancel" }).click();
    await closed(question);
    await expect.poll(() => form.getByLabel("Name").inputValue()).toBe("Half done");
    await form.getByRole("button", { name: "Cancel" }).click();
    await question.getByRole("button", { name: "Discard changes" }).click();
    await closed(form);
  });
});

describe("a stored channel", () => {
  it("is tested from the list, model by model", async () => {
    await add({
      models: ["demo-chat", "broken"],
      key: "",
      model_mapping: { broken: "demo-chat@status=503" },
    });
    const page = await site.open("/panel/channel");
    await rowOf(page, "Demo").first().getByText("Not tested").click();
    await page.getByRole("button", { name: "Test demo-chat" }).click();
    await page
      .getByRole("button", { name: "Test demo-chat" })
      .getByText(/^\d+ ms$/)
      .waitFor();
    await page.getByLabel("Find a model").fill("bro");
    await page.getByRole("button", { name: "Test broken" }).click();
    await page
      .getByRole("button", { name: "Test broken" })
      .getByText(/HTTP 503/)
      .waitFor();
  });

  it("is changed without entering its key, and its priority is edited in the list", async () => {
    const { id } = await add({ key: "sk-stored-key-of-demo" });
    const page = await site.open("/panel/channel");
    await page.getByRole("textbox", { name: "Weight: Demo" }).fill("0");
    await page.keyboard.press("Enter");
    await page.getByText("Weight cannot be less than 1").waitFor();
    await page.getByRole("textbox", { name: "Weight: Demo" }).fill("7");
    await page.keyboard.press("Enter");
    await expect
      .poll(() => site.api<object>("GET", `/channel/${id}`))
      .toMatchObject({ weight: 7, key_hints: ["sk-stor…demo"] });

    await page.goto(`/panel/channel?edit=${id}`);
    const form = page.getByRole("dialog");
    await form.getByLabel("Name").fill("Renamed");
    await form.getByRole("button", { name: "Prompt, headers and parameters" }).click();
    await form.getByLabel("Extra parameters").fill("{ oops");
    await save(form);
    await form.getByText("Enter valid JSON").waitFor();
    await form.getByLabel("Extra parameters").fill('{"temperature": 0.5}');
    await save(form);
    await closed(form);
    await rowOf(page, "Renamed").waitFor();
    expect(await site.api("GET", `/channel/${id}`)).toMatchObject({
      name: "Renamed",
      weight: 7,
      custom_parameter: { temperature: 0.5 },
      key_hints: ["sk-stor…demo"],
    });
  });

  it("shows a server error at the field", async () => {
    const { id } = await add({});
    const page = await site.open(`/panel/channel?edit=${id}`);
    const form = page.getByRole("dialog");
    await form.getByLabel("API address").fill("https://user:word@example.com");
    await save(form);
    const objection = form.getByText("The address must not contain a username or password.").first();
    await objection.waitFor();
    // The error stays after the validation on blur, and disappears when the field changes.
    await page.waitForTimeout(600);
    expect(await objection.isVisible()).toBe(true);
    await expect.poll(() => form.getByLabel("API address").getAttribute("aria-invalid")).toBe("true");
    await form.getByLabel("API address").fill("https://example.com");
    await objection.waitFor({ state: "detached" });
  });

  it("is copied, disabled, and deleted after a confirmation", async () => {
    await add({});
    const page = await site.open("/panel/channel");
    await page.getByRole("button", { name: "More actions for Demo" }).click();
    await page.getByRole("menuitem", { name: "Duplicate", exact: true }).click();
    const form = page.getByRole("dialog", { name: /^Edit .+ \(#\d+\)$/ });
    await expect.poll(() => form.getByLabel("Name").inputValue()).toBe("Demo_copy");
    await form.getByRole("button", { name: "Cancel" }).click();
    await closed(form);
    const copy = rowOf(page, "Demo_copy");
    await copy.getByText("Disabled").waitFor();
    await copy.getByRole("switch").click({ force: true });
    await copy.getByRole("switch", { name: /^Enable/, checked: true }).waitFor();
    await page.getByRole("button", { name: "More actions for Demo_copy" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("Demo_copy deleted").waitFor();
    await copy.waitFor({ state: "detached" });
  });
});

describe("the list", () => {
  it("tests, disables and deletes many channels, and shows the results", async () => {
    for (const name of ["One", "Two"]) await add({ name });
    await add({ name: "Three", key: "demo-fail-401" });
    const page = await site.open("/panel/channel");
    await rowOf(page, "Three").waitFor();
    await page.getByRole("checkbox", { name: "Select all rows" }).check();
    await page.getByText("3 selected").waitFor();
    await page.getByRole("button", { name: "Test", exact: true }).click();
    const run = page.getByRole("status", { name: "Channels tested" });
    await run.getByText("2 succeeded").waitFor();
    await run.getByRole("button", { name: "1 failed" }).click();
    await page
      .getByRole("dialog")
      .getByText(/HTTP 401/)
      .waitFor();
    await page.keyboard.press("Escape");
    await run.getByRole("button", { name: "Close" }).click();
    await page.getByRole("button", { name: "Disable", exact: true }).click();
    await page
      .getByRole("dialog", { name: "Disable 3 channels?" })
      .getByRole("button", { name: "Disable" })
      .click();
    await page.getByText("3 succeeded").waitFor();
    await expect.poll(() => page.getByRole("row").getByText("Disabled", { exact: true }).count()).toBe(3);
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await page
      .getByRole("dialog", { name: "Delete 3 channels?" })
      .getByRole("button", { name: "Delete" })
      .click();
    await page.getByText("No channels yet").waitFor();
  });

  it("shows cards on a phone, and the editor fills the screen", async () => {
    await add({ name: "Pocket" });
    const page = await site.open("/panel/channel", { phone: true });
    const card = page.getByRole("listitem").filter({ hasText: "Pocket" });
    await card.getByRole("switch", { name: /^Enable/, checked: true }).waitFor();
    await expect.poll(() => page.getByRole("table").count()).toBe(0);
    await expect
      .poll(() => page.evaluate(() => document.documentElement.scrollWidth))
      .toBeLessThanOrEqual(390);
    await page.getByRole("button", { name: "Filters" }).click();
    await page.getByRole("searchbox", { name: "Model", exact: true }).waitFor();
    await card.getByText("Pocket", { exact: true }).click();
    const form = page.getByRole("dialog");
    await form.getByLabel("Name").waitFor();
    await expect.poll(async () => (await form.boundingBox())?.width).toBe(390);
    await expect.poll(() => form.evaluate((node) => node.scrollWidth - node.clientWidth)).toBe(0);
  });
});
