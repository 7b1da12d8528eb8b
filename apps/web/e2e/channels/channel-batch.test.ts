/** Operations on many channels: selected ones, those of a tag, and all. */
import { readFile } from "node:fs/promises";
import type { Locator, Page } from "@playwright/test";
import { addChannel, removeChannels, rowOf } from "../support/channel-stock.ts";
import { goTo } from "../support/go-to.ts";
import { expect, test, type Site } from "../support/test.ts";

let site: Site;

test.beforeAll(async ({ site: started }) => {
  site = started;
});

const add = (values: object) => addChannel(site, values);

// Each test starts with its own channels.
test.beforeEach(() => removeChannels(site));

const closed = (form: Locator) => form.waitFor({ state: "detached" });

/** Clicks the button of a question. */
const confirm = (page: Page, question: string | RegExp, answer: string) =>
  page.getByRole("dialog", { name: question }).getByRole("button", { name: answer }).click();

test(
  "selected channels are tested, changed after a preview, disabled and deleted, and the results are shown",
  { tag: "@nightly" },
  async ({ page }) => {
    const one = await add({ name: "One", priority: 2 });
    const two = await add({ name: "Two", models: ["demo-chat"] });
    await add({ name: "Three", key: "demo-fail-401" });
    await page.goto("/panel/channel");
    await expect(rowOf(page, "Three")).toBeVisible();
    await page.getByRole("checkbox", { name: "Select all rows" }).check();
    await expect(page.getByText("3 selected")).toBeVisible();

    await test.step("a test shows how many succeeded, and why one failed", async () => {
      await page.getByRole("button", { name: "Test", exact: true }).click();
      const run = page.getByRole("status", { name: "Channels tested" });
      await expect(run.getByText("2 succeeded")).toBeVisible();
      await run.getByRole("button", { name: "1 failed" }).click();
      await expect(page.getByRole("dialog").getByText(/HTTP 401/)).toBeVisible();
      await page.keyboard.press("Escape");
      await run.getByRole("button", { name: "Close" }).click();
    });

    await test.step("a change is previewed, and those it cannot be applied to stay as they are", async () => {
      await page.getByRole("button", { name: "Edit", exact: true }).click();
      const drawer = page.getByRole("dialog", { name: "Edit 3 channels" });
      await drawer.getByRole("radiogroup", { name: "Action for Models" }).getByText("Remove").click();
      await drawer.getByRole("combobox", { name: "Models", exact: true }).fill("demo-chat");
      await page.keyboard.press("Enter");
      await drawer.getByLabel("Priority").fill("7");
      await drawer.getByRole("button", { name: "Preview" }).click();
      await expect(drawer.getByText("1 channel cannot be changed")).toBeVisible();
      await expect(drawer.getByText("At least one model must remain on the channel.")).toBeVisible();
      expect(await site.api("GET", `/channel/${one.id}`)).toMatchObject({ priority: 2 });
      await drawer.getByRole("button", { name: "Apply to 2 channels" }).click();
      await expect(drawer.getByText("1 channel was not changed")).toBeVisible();
      await drawer.getByRole("button", { name: "Close" }).last().click();
      await closed(drawer);
      const changed = { priority: 7, models: ["demo-think"] };
      expect(await site.api("GET", `/channel/${one.id}`)).toMatchObject(changed);
      await page.getByRole("button", { name: "Undo" }).click();
      const restored = { priority: 2, models: ["demo-chat", "demo-think"] };
      await expect.poll(() => site.api("GET", `/channel/${one.id}`)).toMatchObject(restored);
      const unchanged = { priority: 0, models: ["demo-chat"] };
      expect(await site.api("GET", `/channel/${two.id}`)).toMatchObject(unchanged);
    });

    await test.step("they are disabled, and deleted after a confirmation", async () => {
      await page.getByRole("checkbox", { name: "Select all rows" }).check();
      await page.getByRole("button", { name: "Disable", exact: true }).click();
      await expect(page.getByText("3 succeeded")).toBeVisible();
      await expect(page.getByRole("row").getByText("Disabled", { exact: true })).toHaveCount(3);
      await page.getByRole("button", { name: "Delete", exact: true }).click();
      await confirm(page, "Delete 3 channels?", "Delete");
      await expect(page.getByText("No channels yet")).toBeVisible();
    });
  },
);

test(
  "a tag is a row that expands, is edited as a whole, disabled and deleted",
  { tag: "@nightly" },
  async ({ page }) => {
    for (const name of ["One", "Two"]) await add({ name, tag: "lab" });
    await add({ name: "Loose" });
    await page.goto("/panel/channel");
    await page.getByRole("radiogroup", { name: "View" }).getByText("By tag").click();
    await expect.poll(() => new URL(page.url()).searchParams.get("view")).toBe("tags");
    const channels = page.getByRole("button", { name: "Channels of lab", exact: true });
    const line = page.getByRole("row").filter({ has: channels });
    await test.step("it has the channels of the tag", async () => {
      await expect(line.getByText("2 enabled")).toBeVisible();
      await channels.click();
      await expect(page.getByRole("button", { name: "Edit Two" })).toBeVisible();
      await expect(page.getByText("Loose")).toHaveCount(0);
      await line.getByRole("textbox", { name: "Priority: lab" }).fill("-1");
      await page.keyboard.press("Enter");
      await expect(page.getByText("Priority cannot be less than 0")).toBeVisible();
      await page.keyboard.press("Escape");
    });

    await test.step("all its channels are edited at once", async () => {
      await line.hover();
      await line.getByRole("button", { name: "Edit all channels of lab" }).click();
      const drawer = page.getByRole("dialog", { name: "Edit all channels of lab" });
      await drawer.getByRole("combobox", { name: "Models", exact: true }).fill("demo-embed");
      await page.keyboard.press("Enter");
      await drawer.getByRole("button", { name: "Preview" }).click();
      await expect(drawer.getByText("2 channels will be changed")).toBeVisible();
      await drawer.getByRole("button", { name: "Apply to 2 channels" }).click();
      await closed(drawer);
    });

    await test.step("the page of one of them undoes the edit for this one", async () => {
      const models = (name: string) => site.api<{ data: object[] }>("GET", `/channel?keyword=${name}`);
      const { id } = (await site.api<{ data: { id: number }[] }>("GET", "/channel?keyword=One")).data[0]!;
      await goTo(page, `/panel/channel/${id}`);
      const change = page
        .getByRole("main")
        .getByRole("status")
        .filter({ hasText: "Edited with other channels" });
      const undo = change.getByRole("button", { name: "Undo" });
      await page.route(`**/api/channel/${id}`, (route) => route.abort());
      await undo.click();
      await expect(
        page.getByText("Unable to connect to the server properly! Check your connection and try again."),
      ).toBeVisible();
      await page.unroute(`**/api/channel/${id}`);
      // A failed undo is offered again.
      await undo.click();
      await expect(change).toHaveCount(0);
      await expect
        .poll(() => models("One"))
        .toMatchObject({ data: [{ models: ["demo-chat", "demo-think"] }] });
      expect(await models("Two")).toMatchObject({
        data: [{ models: ["demo-chat", "demo-think", "demo-embed"] }],
      });
      await page.goto("/panel/channel?view=tags");
      await channels.click();
    });

    await test.step("all are disabled, one is removed from the tag, and the rest is deleted", async () => {
      await line.getByRole("button", { name: "More actions for lab" }).click();
      await page.getByRole("menuitem", { name: "Disable all" }).click();
      await expect(line.getByText("2 disabled")).toBeVisible();
      await page.getByRole("button", { name: "Remove Two from the tag" }).click();
      await expect(line.getByText("1 disabled")).toBeVisible();
      await line.hover();
      await line.getByRole("button", { name: "More actions for lab" }).click();
      await page.getByRole("menuitem", { name: "Delete with its channels" }).click();
      await confirm(page, /^Delete lab/, "Delete");
      await expect(page.getByText("No tags yet")).toBeVisible();
      const { data } = await site.api<{ data: object[] }>("GET", "/channel?order=name");
      expect(data).toMatchObject([
        { name: "Loose", tag: "" },
        { name: "Two", tag: "", models: ["demo-chat", "demo-think", "demo-embed"] },
      ]);
    });
  },
);

test(
  "all channels are exported without keys, imported, and tested in a run that continues after a reload and can be stopped",
  { tag: "@nightly" },
  async ({ page }) => {
    await add({ name: "Traveller", type: 1, key: "sk-key-that-stays-at-home" });
    await page.goto("/panel/channel");
    const choose = async (name: string) => {
      await page.getByRole("button", { name: "For all channels" }).click();
      await page.getByRole("menuitem", { name }).click();
    };
    let exported = "";
    await test.step("the exported file has no keys", async () => {
      await choose("Export");
      const [file] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("dialog").getByRole("button", { name: "Export" }).click(),
      ]);
      exported = await readFile(await file.path(), "utf8");
      const channels = [{ name: "Traveller", key: "" }];
      expect(JSON.parse(exported)).toMatchObject({ with_keys: false, channels });
    });

    await test.step("an imported channel without its key is disabled", async () => {
      await choose("Import");
      const dialog = page.getByRole("dialog", { name: "Import channels" });
      await dialog.locator("input[type=file]").setInputFiles({
        name: "channels.json",
        mimeType: "application/json",
        buffer: Buffer.from(exported.replaceAll("Traveller", "Returned")),
      });
      await dialog.getByRole("button", { name: "Import" }).click();
      await expect(dialog.getByText("1 channel imported")).toBeVisible();
      await expect(dialog.getByText("1 of them stays disabled until you enter its key.")).toBeVisible();
      await dialog.getByRole("button", { name: "Close" }).last().click();
      await expect(rowOf(page, "Returned").getByText("Disabled")).toBeVisible();
    });

    await test.step("a run of tests continues after a reload, and is stopped", async () => {
      await removeChannels(site);
      const slow = { models: ["slow"], model_mapping: { slow: "demo-chat@delay=10000" } };
      for (const name of ["One", "Two", "Three", "Four", "Five", "Six"]) await add({ name, ...slow });
      await choose("Test all");
      await confirm(page, "Test all channels?", "Test");
      const run = page.getByRole("status", { name: "Testing channels" });
      await expect(run).toBeVisible();
      await page.reload();
      await run.getByRole("button", { name: "Stop" }).click();
      await expect(page.getByRole("status", { name: "Testing was stopped" })).toBeVisible();
    });
  },
);
