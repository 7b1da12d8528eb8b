/** What all lists share: row height, rows per page, saved views, and filters on phones. */
import type { Page } from "@playwright/test";
import { addChannel } from "../support/channel-stock.ts";
import { goTo } from "../support/go-to.ts";
import { expect, test } from "../support/test.ts";

const rows = (page: Page) => page.locator("tbody tr[data-row]");
const rowHeight = async (page: Page) => (await rows(page).first().boundingBox())?.height ?? 0;

test("rows can be compact in all lists, and pages have as many rows as fit until a size is chosen", async ({
  page,
  site,
}) => {
  await page.setViewportSize({ width: 1440, height: 1000 });
  for (let number = 1; number <= 21; number += 1) await addChannel(site, { name: `Line ${number}` });
  const requests: string[] = [];
  page.on("request", (request) => {
    const { pathname, search } = new URL(request.url());
    if (pathname.endsWith("/api/channel")) requests.push(search);
  });
  const size = page.getByRole("combobox", { name: "Rows per page" }).or(page.getByLabel("Rows per page"));
  const openDisplay = () => page.getByRole("button", { name: "Display" }).click();

  await test.step("the window decides how many rows a page has, in one request", async () => {
    await page.goto("/panel/channel");
    await expect(rows(page)).toHaveCount(12);
    await expect(size.first()).toHaveValue("Automatic (12)");
    await page.waitForLoadState("networkidle");
    expect(requests.filter((search) => /[?&]size=/.test(search) && !search.includes("size=1&"))).toHaveLength(
      1,
    );
  });
  await test.step("the second page names its size, so that a link shows the same rows elsewhere", async () => {
    await page.getByRole("button", { name: "Next page" }).click();
    await page.waitForURL("**/channel?page=2&size=12");
    await page.getByRole("button", { name: "Previous page" }).click();
    await page.waitForURL("**/channel");
  });
  await test.step("an address beyond the last page leads to the last page", async () => {
    await goTo(page, "/panel/channel?page=9&size=10");
    await page.waitForURL("**/channel?page=3&size=10");
    await expect(rows(page).first()).toBeVisible();
    await goTo(page, "/panel/user_group?page=9&size=10");
    await page.waitForURL("**/user_group?size=10");
    await expect(rows(page)).toHaveCount(3);
    await goTo(page, "/panel/channel");
  });
  await test.step("compact rows are smaller, and more of them fit", async () => {
    const before = await rowHeight(page);
    await openDisplay();
    await page.getByText("Compact", { exact: true }).click();
    await page.keyboard.press("Escape");
    await expect(rows(page)).toHaveCount(17);
    expect(await rowHeight(page)).toBeLessThanOrEqual(before - 10);
  });
  await test.step("another list is compact as well", async () => {
    await goTo(page, "/panel/user");
    await expect(rows(page).first()).toBeVisible();
    expect(await rowHeight(page)).toBeLessThanOrEqual(36);
  });
  await test.step("a chosen size is kept for the next visit", async () => {
    await goTo(page, "/panel/channel");
    await expect(rows(page)).toHaveCount(17);
    await size.first().click();
    await page.getByRole("option", { name: "10", exact: true }).click();
    await expect(rows(page)).toHaveCount(10);
    await page.goto("/panel/channel");
    await expect(rows(page)).toHaveCount(10);
    await size.first().click();
    await page.getByRole("option", { name: "Automatic (17)" }).click();
    await expect(rows(page)).toHaveCount(17);
  });
});

test("filters, order and columns of a list are saved as a view, renamed, shared and applied", async ({
  page,
  site,
}) => {
  await addChannel(site, { name: "Red" });
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  const views = page.getByRole("list", { name: "Saved views" });
  await test.step("a view is saved", async () => {
    await page.goto("/panel/channel?keyword=Red&order=-id");
    await button("Display").click();
    await page.getByRole("checkbox", { name: "ID", exact: true }).click();
    await page.keyboard.press("Escape");
    await page.getByRole("columnheader", { name: "ID", exact: true }).waitFor();
    await button("Views").click();
    await page.getByLabel("Save the current view as").fill("Reds");
    await page.keyboard.press("Enter");
    await button("Reds").waitFor();
  });
  await test.step("an open drawer and the page are no part of it", async () => {
    await goTo(page, "/panel/channel?keyword=Red&order=-id&page=2&size=10&ask=1");
    await expect(button("Reds")).toBeVisible();
  });
  await test.step("a name that exists is refused, another one is saved", async () => {
    await goTo(page, "/panel/channel?keyword=Blue");
    await button("Views").click();
    await page.getByLabel("Save the current view as").fill("Blues");
    await page.keyboard.press("Enter");
    await button("Blues").click();
    await button("Rename the view Blues").click();
    const name = page.getByLabel("New name of the view Blues");
    await name.fill("Reds");
    await page.getByText("Another view has this name.").waitFor();
    await name.fill("Sky");
    await page.keyboard.press("Enter");
    await views.getByRole("button", { name: "Sky", exact: true }).waitFor();
  });
  await test.step("the view is applied with its columns after others were chosen", async () => {
    await page.keyboard.press("Escape");
    await button("Display").click();
    await button("Reset").click();
    await page.keyboard.press("Escape");
    await expect(page.getByRole("columnheader", { name: "ID", exact: true })).toHaveCount(0);
    await button("Views").click();
    await views.getByRole("button", { name: "Reds", exact: true }).click();
    await page.waitForURL("**/channel?keyword=Red&order=-id");
    await page.getByRole("columnheader", { name: "ID", exact: true }).waitFor();
  });
  await test.step("its link has the columns, and leaves those stored in the browser as they are", async () => {
    const header = page.getByRole("columnheader", { name: "ID", exact: true });
    await button("Reds").click();
    await button("Copy link to Reds").click();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    expect(new URL(link).searchParams.get("columns")).toMatch(/(^|,)id(,|$)/);
    await page.keyboard.press("Escape");
    await button("Display").click();
    await button("Reset").click();
    await page.keyboard.press("Escape");
    await expect(header).toHaveCount(0);
    await page.goto(`${link},gone,-constructor`);
    await header.waitFor();
    await expect(button("Reds")).toBeVisible();
    await page.getByText("Some filters of this link were not applied").waitFor({ state: "detached" });
    await goTo(page, "/panel/channel?keyword=Red");
    await rows(page).first().waitFor();
    await expect(header).toHaveCount(0);
  });
  await test.step("columns that are selected replace those of a link", async () => {
    await goTo(page, "/panel/channel?keyword=Red&columns=id");
    await page.getByRole("columnheader", { name: "ID", exact: true }).waitFor();
    await button("Display").click();
    await page.getByRole("checkbox", { name: "Priority", exact: true }).click();
    await page.waitForURL((url) => !url.searchParams.has("columns"));
    await page.keyboard.press("Escape");
    await expect(page.getByRole("columnheader", { name: "ID", exact: true })).toBeVisible();
  });
  await test.step("a view of one list is not offered in another", async () => {
    await goTo(page, "/panel/user");
    await button("Views").click();
    await page.getByText("Save filters, order and columns that you use often.").waitFor();
  });
});

test("filters of the list of models are in a sheet on a phone", { tag: "@nightly" }, async ({ site }) => {
  const page = await site.open("/panel/model_price", { phone: true });
  const filters = page.getByRole("button", { name: "Filters" });
  const search = page.getByRole("searchbox", { name: "Find a model" });
  await filters.waitFor();
  expect((await search.boundingBox())?.y).toBeCloseTo((await filters.boundingBox())?.y ?? 0, -1);
  await expect(page.getByRole("radiogroup", { name: "Unit" })).toHaveCount(0);
  await filters.click();
  const sheet = page.getByRole("dialog", { name: "Filters" });
  await sheet.getByText("per thousand").click();
  await sheet.getByRole("button", { name: "Show results" }).click();
  await page.waitForURL(/unit=K/);
});
