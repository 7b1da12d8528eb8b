/** Filters of the list of channels, and the state of its rows. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { addChannel, removeChannels, rowOf } from "../support/channel-stock.ts";
import { openSite, type Site } from "../support/site.ts";

let site: Site;
beforeAll(async () => {
  site = await openSite();
});
afterAll(() => site.close());

const add = (values: object) => addChannel(site, values);

// Each test starts with its own channels.
beforeEach(() => removeChannels(site));

describe("the list of channels", () => {
  it("keeps its filters in the address", async () => {
    await add({ name: "Blue", tag: "lab" });
    await add({ name: "Green", models: ["other-model"] });
    const page = await site.open("/panel/channel");
    await rowOf(page, "Blue").waitFor();
    await page
      .getByRole("textbox", { name: "Status" })
      .or(page.getByRole("combobox", { name: "Status" }))
      .click();
    await page.getByRole("option", { name: "Enabled", exact: true }).click();
    await page.getByRole("searchbox", { name: "Model", exact: true }).fill("other");
    await rowOf(page, "Blue").waitFor({ state: "detached" });
    await expect.poll(() => new URL(page.url()).search).toBe("?status=1&model=other");
    await page.reload();
    await rowOf(page, "Green").waitFor();
    await expect.poll(() => rowOf(page, "Blue").count()).toBe(0);
    await expect
      .poll(() => page.getByRole("searchbox", { name: "Model", exact: true }).inputValue())
      .toBe("other");
    await page.getByRole("searchbox", { name: "Model", exact: true }).fill("nobody-has-this");
    await page.getByText("No channel matches").waitFor();
    await page.getByRole("button", { name: "Clear filters" }).first().click();
    await rowOf(page, "Blue").waitFor();
  });

  it("has further filters, and shows how many of them are active", async () => {
    await add({ name: "Tagged", tag: "lab", test_model: "gpt-4o", models: ["gpt-4o", "demo-chat"] });
    await add({ name: "Dated", type: 3, base_url: "https://azure.example", key: "k", other: "2025-01-01" });
    const page = await site.open("/panel/channel");
    await rowOf(page, "Tagged").waitFor();
    await page.getByRole("button", { name: "More filters" }).click();
    await page.getByRole("searchbox", { name: "Version, region or plugin begins with" }).fill("2025");
    await rowOf(page, "Tagged").waitFor({ state: "detached" });
    await page.getByRole("searchbox", { name: "Version, region or plugin begins with" }).fill("");
    await page.getByRole("searchbox", { name: "Test model begins with" }).fill("gpt");
    await rowOf(page, "Dated").waitFor({ state: "detached" });
    await page.getByRole("combobox", { name: "With or without a tag" }).click();
    await page.getByRole("option", { name: "With a tag", exact: true }).click();
    await expect
      .poll(() => new URL(page.url()).search.slice(1).split("&").sort())
      .toEqual(["filter_tag=2", "test_model=gpt"]);
    await rowOf(page, "Tagged").waitFor();
    await page.reload();
    await rowOf(page, "Tagged").waitFor();
    await expect.poll(() => rowOf(page, "Dated").count()).toBe(0);
    await page.getByText("2", { exact: true }).first().waitFor();
    await page.getByRole("button", { name: "Clear filters" }).first().click();
    await rowOf(page, "Dated").waitFor();
    await expect.poll(() => new URL(page.url()).search).toBe("");
  });

  it("shows that a channel's last test failed, also after a reload", async () => {
    const { id } = await add({ name: "Refused", key: "demo-fail-401" });
    await add({ name: "Untested" });
    await site.api("POST", `/channel/${id}/test`, {});
    const page = await site.open("/panel/channel");
    await rowOf(page, "Refused").getByText("Failed", { exact: true }).waitFor();
    await rowOf(page, "Untested").getByText("Not tested", { exact: true }).waitFor();
  });
});

describe("the edges of the table", () => {
  it("stick only while the table is wider than its frame", async () => {
    await add({ name: "Main" });
    const page = await site.open("/panel/channel");
    const frame = page.getByRole("region", { name: "Channels", exact: true });
    await frame.locator("tbody tr[data-row]").first().waitFor();
    const edges = () =>
      frame.evaluate((region) => ({
        wider: region.scrollWidth > region.clientWidth,
        sticks: ["td:first-child", "td:last-child"].map(
          (cell) => getComputedStyle(region.querySelector(`tbody ${cell}`) ?? region).position,
        ),
      }));
    await expect.poll(edges).toEqual({ wider: false, sticks: ["static", "static"] });
    const resize = (width: string) => frame.evaluate((region, px) => (region.style.width = px), width);
    await resize("300px");
    await expect.poll(edges).toEqual({ wider: true, sticks: ["sticky", "sticky"] });
    await resize("auto");
    await expect.poll(edges).toEqual({ wider: false, sticks: ["static", "static"] });
  });
});

describe("the selection", () => {
  it("extends from the page to all rows that match the filter", async () => {
    for (let index = 0; index < 12; index += 1)
      await add({ name: `Row ${index}`, tag: index < 11 ? "many" : "" });
    const page = await site.open("/panel/channel?size=10&tag=many");
    await page.getByText("Row 10", { exact: true }).waitFor();
    await page.getByRole("checkbox", { name: "Select all rows" }).click();
    await page.getByText("10 selected").waitFor();
    await page.getByRole("button", { name: "Select all 11 matching" }).click();
    await page.getByText("11 selected").waitFor();
    await page.getByRole("button", { name: "Edit", exact: true }).first().click();
    await page.getByRole("dialog", { name: "Edit 11 channels" }).waitFor();
    await expect.poll(() => new URL(page.url()).search).toContain("bulk=selected");
    await page.goBack();
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    await page.getByText("11 selected").waitFor();
  });
});
