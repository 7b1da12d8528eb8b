/** Filters of the list of channels, and its selection. */
import { addChannel, removeChannels, rowOf } from "../support/channel-stock.ts";
import { expect, test, type Site } from "../support/test.ts";

let site: Site;
test.beforeAll(async ({ site: started }) => {
  site = started;
});

const add = (values: object) => addChannel(site, values);

// Each test starts with its own channels.
test.beforeEach(() => removeChannels(site));

test("filters of the list are kept in the address, and are removed when nothing matches", async ({
  page,
}) => {
  await add({ name: "Blue", tag: "lab", test_model: "gpt-4o", models: ["gpt-4o", "demo-chat"] });
  await add({ name: "Green", models: ["other-model"] });
  await add({ name: "Dated", type: 3, base_url: "https://azure.example", key: "k", other: "2025-01-01" });
  const query = () => new URL(page.url()).search.slice(1).split("&").sort();
  await page.goto("/panel/channel");
  await expect(rowOf(page, "Blue")).toBeVisible();
  await test.step("status and model", async () => {
    await page
      .getByRole("textbox", { name: "Status" })
      .or(page.getByRole("combobox", { name: "Status" }))
      .click();
    await page.getByRole("option", { name: "Enabled", exact: true }).click();
    const model = page.getByRole("searchbox", { name: "Model", exact: true });
    await model.fill("other");
    await expect(rowOf(page, "Blue")).toHaveCount(0);
    await expect(rowOf(page, "Green")).toBeVisible();
    await expect.poll(query).toEqual(["model=other", "status=1"]);
    await model.fill("nobody-has-this");
    await expect(page.getByText("No channel matches")).toBeVisible();
    await page.getByRole("button", { name: "Clear filters" }).first().click();
    await expect(rowOf(page, "Blue")).toBeVisible();
    await expect.poll(query).toEqual([""]);
  });

  await test.step("further filters", async () => {
    await page.getByRole("button", { name: "More filters" }).click();
    const version = page.getByRole("searchbox", { name: "Version, region or plugin begins with" });
    await version.fill("2025");
    await expect(rowOf(page, "Blue")).toHaveCount(0);
    await expect(rowOf(page, "Dated")).toBeVisible();
    await version.fill("");
    await page.getByRole("searchbox", { name: "Test model begins with" }).fill("gpt");
    await expect(rowOf(page, "Dated")).toHaveCount(0);
    await page.getByRole("combobox", { name: "With or without a tag" }).click();
    await page.getByRole("option", { name: "With a tag", exact: true }).click();
    await expect.poll(query).toEqual(["filter_tag=2", "test_model=gpt"]);
    await expect(rowOf(page, "Blue")).toBeVisible();
  });
});

test(
  "the filters of an opened address apply, and the selection extends to all rows that match them",
  { tag: "@nightly" },
  async ({ page }) => {
    for (let index = 0; index < 11; index += 1)
      await add({ name: `Row ${index}`, tag: "many", test_model: "demo-chat" });
    await add({ name: "Loose" });
    await page.goto("/panel/channel?size=10&model=demo-ch&filter_tag=2&test_model=demo");
    await test.step("the fields and the number of active filters are shown", async () => {
      await expect(page.getByText("Row 10", { exact: true })).toBeVisible();
      await expect(rowOf(page, "Loose")).toHaveCount(0);
      await expect(page.getByRole("searchbox", { name: "Model", exact: true })).toHaveValue("demo-ch");
      await expect(page.getByText("2", { exact: true }).first()).toBeVisible();
    });

    await test.step("the selection extends from the page to all matching rows, and outlasts the form", async () => {
      await page.getByRole("checkbox", { name: "Select all rows" }).click();
      await expect(page.getByText("10 selected")).toBeVisible();
      await page.getByRole("button", { name: "Select all 11 matching" }).click();
      await expect(page.getByText("11 selected")).toBeVisible();
      await page.getByRole("button", { name: "Edit", exact: true }).first().click();
      await expect(page.getByRole("dialog", { name: "Edit 11 channels" })).toBeVisible();
      await expect.poll(() => new URL(page.url()).search).toContain("bulk=selected");
      await page.goBack();
      await expect(page.getByRole("dialog")).toHaveCount(0);
      await expect(page.getByText("11 selected")).toBeVisible();
    });

    await test.step("the first and last column stick while the table is wider than its frame", async () => {
      const frame = page.getByRole("region", { name: "Channels", exact: true });
      const edges = () =>
        frame.evaluate((region) => ({
          wider: region.scrollWidth > region.clientWidth,
          sticks: ["td:first-child", "td:last-child"].map(
            (cell) => getComputedStyle(region.querySelector(`tbody ${cell}`) ?? region).position,
          ),
        }));
      await expect.poll(edges).toEqual({ wider: false, sticks: ["static", "static"] });
      await frame.evaluate((region) => (region.style.width = "300px"));
      await expect.poll(edges).toEqual({ wider: true, sticks: ["sticky", "sticky"] });
    });
  },
);
