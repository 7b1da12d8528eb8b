import { readFile } from "node:fs/promises";
import type { Locator } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { addChannel, removeChannels, rowOf } from "../support/channel-stock.ts";
import { openSite, type Site } from "../support/site.ts";

/** Operations on many channels: selected ones, those of a tag, and all. */
let site: Site;

beforeAll(async () => {
  site = await openSite();
});
afterAll(() => site.close());

const add = (values: object) => addChannel(site, values);

// Each test starts with its own channels.
beforeEach(() => removeChannels(site));

const closed = (form: Locator) => form.waitFor({ state: "detached" });

describe("selected channels", () => {
  it("are changed after a preview", async () => {
    const one = await add({ name: "One", priority: 2 });
    const two = await add({ name: "Two", models: ["demo-chat"] });
    const page = await site.open("/panel/channel");
    await rowOf(page, "Two").waitFor();
    await page.getByRole("checkbox", { name: "Select all rows" }).check();
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    const drawer = page.getByRole("dialog", { name: "Edit 2 channels" });
    // The close button has a name, as in every drawer and dialog.
    await drawer.getByRole("button", { name: "Close", exact: true }).waitFor();
    await drawer.getByRole("radiogroup", { name: "Action for Models" }).getByText("Remove").click();
    await drawer.getByRole("combobox", { name: "Models", exact: true }).fill("demo-chat");
    await page.keyboard.press("Enter");
    await drawer.getByLabel("Priority").fill("7");
    await drawer.getByRole("button", { name: "Preview" }).click();
    await drawer.getByText("1 channel cannot be changed").waitFor();
    await drawer.getByText("At least one model must remain on the channel.").waitFor();
    expect(await site.api("GET", `/channel/${one.id}`)).toMatchObject({ priority: 2 });
    await drawer.getByRole("button", { name: "Apply to 1 channel" }).click();
    await drawer.getByText("1 channel was not changed").waitFor();
    await drawer.getByRole("button", { name: "Close" }).last().click();
    await closed(drawer);
    expect(await site.api("GET", `/channel/${one.id}`)).toMatchObject({
      priority: 7,
      models: ["demo-think"],
    });
    expect(await site.api("GET", `/channel/${two.id}`)).toMatchObject({ priority: 0, models: ["demo-chat"] });
  });

  it("are exported without keys, and imported as disabled where a key is missing", async () => {
    await add({ name: "Traveller", type: 1, key: "sk-key-that-stays-at-home" });
    const page = await site.open("/panel/channel");
    await page.getByRole("button", { name: "For all channels" }).click();
    await page.getByRole("menuitem", { name: "Export" }).click();
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("dialog").getByRole("button", { name: "Export" }).click(),
    ]);
    const text = await readFile(await file.path(), "utf8");
    expect(JSON.parse(text)).toMatchObject({ with_keys: false, channels: [{ name: "Traveller", key: "" }] });
    await page.getByRole("button", { name: "For all channels" }).click();
    await page.getByRole("menuitem", { name: "Import" }).click();
    const dialog = page.getByRole("dialog", { name: "Import channels" });
    await dialog.locator("input[type=file]").setInputFiles({
      name: "channels.json",
      mimeType: "application/json",
      buffer: Buffer.from(text.replaceAll("Traveller", "Returned")),
    });
    await dialog.getByRole("button", { name: "Import" }).click();
    await dialog.getByText("1 channel imported").waitFor();
    await dialog.getByText("1 of them stays disabled until you enter its key.").waitFor();
    await dialog.getByRole("button", { name: "Close" }).last().click();
    await rowOf(page, "Returned").getByText("Disabled").waitFor();
  });
});

describe("a tag", () => {
  it("is a row that expands, is edited as a whole, disabled and deleted", async () => {
    for (const name of ["One", "Two"]) await add({ name, tag: "lab" });
    await add({ name: "Loose" });
    const page = await site.open("/panel/channel");
    await page.getByRole("radiogroup", { name: "View" }).getByText("By tag").click();
    await expect.poll(() => new URL(page.url()).searchParams.get("view")).toBe("tags");
    const line = page
      .getByRole("row")
      .filter({ has: page.getByRole("button", { name: "Channels of lab", exact: true }) });
    await line.getByText("2 enabled").waitFor();
    await line.getByRole("button", { name: "Channels of lab", exact: true }).click();
    await page.getByRole("button", { name: "Edit Two" }).waitFor();
    await expect.poll(() => page.getByText("Loose").count()).toBe(0);

    await line.getByRole("textbox", { name: "Priority: lab" }).fill("-1");
    await page.keyboard.press("Enter");
    await page.getByText("Priority cannot be less than 0").waitFor();
    await page.keyboard.press("Escape");
    await line.hover();
    await line.getByRole("button", { name: "Edit all channels of lab" }).click();
    const drawer = page.getByRole("dialog", { name: "Edit all channels of lab" });
    await drawer.getByRole("combobox", { name: "Models", exact: true }).fill("demo-embed");
    await page.keyboard.press("Enter");
    await drawer.getByRole("button", { name: "Preview" }).click();
    await drawer.getByText("2 channels will be changed").waitFor();
    await drawer.getByRole("button", { name: "Apply to 2 channels" }).click();
    await closed(drawer);

    await line.getByRole("button", { name: "More actions for lab" }).click();
    await page.getByRole("menuitem", { name: "Disable all" }).click();
    await page
      .getByRole("dialog", { name: "Disable all 2 channels of lab?" })
      .getByRole("button", { name: "Disable" })
      .click();
    await line.getByText("2 disabled").waitFor();
    await page.getByRole("button", { name: "Remove Two from the tag" }).click();
    await line.getByText("1 disabled").waitFor();

    await line.hover();
    await line.getByRole("button", { name: "More actions for lab" }).click();
    await page.getByRole("menuitem", { name: "Delete with its channels" }).click();
    await page
      .getByRole("dialog", { name: /^Delete lab/ })
      .getByRole("button", { name: "Delete" })
      .click();
    await page.getByText("No tags yet").waitFor();
    const { data } = await site.api<{ data: object[] }>("GET", "/channel?order=name");
    expect(data).toMatchObject([
      { name: "Loose", tag: "" },
      { name: "Two", tag: "", models: ["demo-chat", "demo-think", "demo-embed"] },
    ]);
  });

  it("is a card on a phone with its channels inside", async () => {
    await add({ name: "Pocket", tag: "lab" });
    const page = await site.open("/panel/channel?view=tags", { phone: true });
    await page.getByRole("button", { name: "Channels of lab", exact: true }).click();
    await page.getByRole("button", { name: "Edit Pocket" }).waitFor();
    await expect
      .poll(() => page.evaluate(() => document.documentElement.scrollWidth))
      .toBeLessThanOrEqual(390);
  });
});

describe("a run of tests", () => {
  it("continues after a reload, and can be stopped", async () => {
    const slow = { models: ["slow"], model_mapping: { slow: "demo-chat@delay=10000" } };
    for (const name of ["One", "Two", "Three", "Four", "Five", "Six"]) await add({ name, ...slow });
    const page = await site.open("/panel/channel");
    await page.getByRole("button", { name: "For all channels" }).click();
    await page.getByRole("menuitem", { name: "Test all" }).click();
    await page
      .getByRole("dialog", { name: "Test all channels?" })
      .getByRole("button", { name: "Test" })
      .click();
    await page.getByRole("status", { name: "Testing channels" }).waitFor();
    await page.reload();
    const run = page.getByRole("status", { name: "Testing channels" });
    await run.getByRole("button", { name: "Stop" }).click();
    await page.getByRole("status", { name: "Testing was stopped" }).waitFor();
  });

  it("has a history, and checks whether a model is genuine", async () => {
    const { id } = await add({ name: "Known" });
    for (let round = 0; round < 3; round += 1) await site.api("POST", `/channel/${id}/test`, {});
    const page = await site.open("/panel/channel");
    await page.getByRole("button", { name: "Test Known" }).first().click();
    await page.getByRole("button", { name: "History" }).click();
    const history = page.getByRole("dialog", { name: "Tests of Known" });
    await expect.poll(() => history.getByText("demo-chat", { exact: true }).count()).toBe(3);
    await page.keyboard.press("Escape");
    await closed(history);
    await page.getByRole("button", { name: "Test Known" }).first().click();
    await page.getByRole("button", { name: "Verify the model" }).click();
    const check = page.getByRole("dialog", { name: "Verify Known" });
    await check.getByRole("button", { name: "Verify", exact: true }).click();
    await check.getByText("Tool call").waitFor();
    await check.getByText("Responds").waitFor();
  });
});
