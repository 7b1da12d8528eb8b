/** The keys of lists and screens, and what the command palette recognises when it is pasted. */
import type { Page } from "@playwright/test";
import { expect, test, type Site } from "../support/test.ts";

let site: Site;
test.beforeAll(async ({ site: started }) => {
  site = started;
  for (const name of ["North", "South"])
    await site.api("POST", "/channel", { type: 900, name, models: ["demo-chat"], groups: ["default"] });
});

const row = (page: Page, name: string) => page.locator("tr[data-row]").filter({ hasText: name });
const box = (page: Page) => page.getByRole("textbox", { name: "Go to…" });
const palette = (page: Page) => page.getByRole("dialog").filter({ has: box(page) });

async function paste(page: Page, text: string): Promise<void> {
  await page.keyboard.press("Control+k");
  await box(page).fill(text);
}

test("a list has one set of keys, fields and dialogs keep theirs, and disabling a row can be undone", async ({
  page,
}) => {
  await page.goto("/panel/channel");
  await row(page, "North").waitFor();
  await test.step("j and k move between rows, x selects, Enter opens and Esc returns to the row", async () => {
    await page.keyboard.press("j");
    await expect(page.locator("tr[data-row]").first()).toBeFocused();
    await page.keyboard.press("j");
    const second = page.locator("tr[data-row]").nth(1);
    await expect(second).toBeFocused();
    await page.keyboard.press("x");
    await expect(second.getByRole("checkbox", { name: "Select row" })).toBeChecked();
    await page.keyboard.press("x");
    await expect(second.getByRole("checkbox", { name: "Select row" })).not.toBeChecked();
    await page.keyboard.press("Enter");
    const form = page.getByRole("dialog", { name: /^Edit/ });
    await form.waitFor();
    await form.getByLabel("Name", { exact: false }).first().press("j");
    await form.getByRole("button", { name: "Cancel" }).focus();
    await page.keyboard.press("j");
    await expect(second).not.toBeFocused();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Discard" }).click();
    await expect(form).toHaveCount(0);
    await expect(second).toBeFocused();
    await page.keyboard.press("k");
    await expect(page.locator("tr[data-row]").first()).toBeFocused();
  });
  await test.step("/ and f go to the filters, which keep letters, and Esc returns to the row", async () => {
    const search = page.getByRole("searchbox").first();
    await page.keyboard.press("/");
    await expect(search).toBeFocused();
    await page.keyboard.type("jxg");
    await expect(search).toHaveValue("jxg");
    await search.fill("nor");
    await expect(row(page, "South")).toHaveCount(0);
    await page.keyboard.press("Escape");
    await expect(row(page, "North")).toBeFocused();
    await page.keyboard.press("f");
    await expect(page.locator("[data-filters] :focus")).toHaveCount(1);
    await page.keyboard.press("Escape");
    await expect(page.locator("tr[data-row]").first()).toBeFocused();
  });
  await test.step("? lists the keys, and g with a letter opens a screen", async () => {
    await page.keyboard.press("?");
    const list = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    await expect(list.getByRole("table", { name: "In lists" })).toContainText("Select the focused row");
    await expect(list.getByRole("table", { name: "Go to" })).toContainText("Channels");
    await page.keyboard.press("Escape");
    await expect(list).toHaveCount(0);
    await page.keyboard.press("g");
    await page.keyboard.press("l");
    await expect(page).toHaveURL(`${site.url}/panel/log`);
    await page.keyboard.press("g");
    await page.keyboard.press("c");
    await expect(page).toHaveURL(`${site.url}/panel/channel`);
  });
  await undoDisabling(page);
});

test(
  "what is pasted into the palette opens a form, the failed calls or the playground, and a key leaves no trace",
  { tag: "@nightly" },
  async ({ page }) => {
    await page.goto("/panel/profile");
    await page.getByRole("heading", { name: "Profile", exact: true }).waitFor();
    await test.step("an error message opens the calls that failed with it", async () => {
      const id = "0f8fad5b-d9cb-469f-a165-70867728950e";
      await paste(
        page,
        `API Error: 404 The model "gpt-9" does not exist or is not available to this key. (${id})`,
      );
      await palette(page).getByText(`Open the call ${id}`).waitFor();
      await palette(page).getByText("Show calls that failed with: Model not available").click();
      await expect(page).toHaveURL(`${site.url}/panel/log?error_code=model_not_found`);
    });
    await test.step("a curl command opens the playground", async () => {
      await paste(
        page,
        `curl ${site.url}/v1/chat/completions -H 'Authorization: Bearer sk-x' -d '{"model":"demo-chat","messages":[{"role":"user","content":"What is a track?"}]}'`,
      );
      await palette(page).getByText("Open the request in the playground").click();
      await expect(page).toHaveURL(`${site.url}/panel/playground`);
      await expect(page.getByRole("main").getByText("What is a track?")).toBeVisible();
    });
    await test.step("a key opens the form of a new channel, and is in no request, address or history", async () => {
      const key = "sk-ant-api03-Zk3Jx9Qp2Lm8Vt5Rw1Yb6Nc4";
      const sent: string[] = [];
      page.on("request", (request) => sent.push(`${request.url()} ${request.postData() ?? ""}`));
      await paste(page, key);
      const action = palette(page).getByRole("button", { name: /Add a channel with the pasted key/ });
      await expect(action).toContainText("Anthropic");
      await page.keyboard.press("Enter");
      const form = page.getByRole("dialog", { name: "Add channel" });
      await expect(
        form.getByRole("combobox", { name: "Provider" }).or(form.getByLabel("Provider")).first(),
      ).toHaveValue(/Anthropic/);
      await expect(form.getByLabel("API keys", { exact: false }).first()).toHaveValue(key);
      expect(page.url()).toBe(`${site.url}/panel/channel?edit=new`);
      const stored = await page.evaluate(() => JSON.stringify([localStorage, sessionStorage, history.state]));
      expect(stored).not.toContain("Zk3Jx9Qp2");
      expect(sent.filter((each) => each.includes("Zk3Jx9Qp2"))).toEqual([]);
    });
  },
);

/** Disables channels of the open list, and undoes that in a toast and afterwards on the page of the channel. */
async function undoDisabling(page: Page): Promise<void> {
  const statusOf = async (name: string) => {
    const { data } = await site.api<{ data: { id: number; status: number }[] }>(
      "GET",
      `/channel?keyword=${name}`,
    );
    return data[0]?.status;
  };
  const toggle = (name: string) => page.getByRole("switch", { name: `Enable ${name}` });
  await test.step("the toast enables it again", async () => {
    await toggle("North").press("Space");
    await expect.poll(() => statusOf("North")).toBe(2);
    const message = page.getByRole("alert").filter({ hasText: "North is disabled" });
    await message.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => statusOf("North")).toBe(1);
    await expect(message).toHaveCount(0);
    await expect(toggle("North")).toBeChecked();
  });
  await test.step("selected channels are disabled without a question, and those that were enabled are enabled again", async () => {
    await toggle("South").press("Space");
    await expect.poll(() => statusOf("South")).toBe(2);
    await page.getByRole("checkbox", { name: "Select all rows" }).check();
    await page.getByRole("button", { name: "Disable", exact: true }).click();
    await expect.poll(() => statusOf("North")).toBe(2);
    const message = page.getByRole("alert").filter({ hasText: "1 channel disabled" });
    await message.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => statusOf("North")).toBe(1);
    expect(await statusOf("South")).toBe(2);
  });
  await test.step("the page of the channel offers it, too", async () => {
    await page.getByRole("button", { name: "More actions for South" }).click();
    await page.getByRole("menuitem", { name: "Health and traffic" }).click();
    await page
      .getByRole("status")
      .filter({ hasText: "South is disabled" })
      .getByRole("button", { name: "Undo" })
      .click();
    await expect.poll(() => statusOf("South")).toBe(1);
  });
}
