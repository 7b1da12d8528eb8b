/** What holds for every list of the console with more rows than fit into the window: its size and its keys. */
import type { Page } from "@playwright/test";
import { goTo, waitUntilLoaded } from "../support/go-to.ts";
import { fillLists, longLists } from "../support/long-lists.ts";
import { expect, test } from "../support/test.ts";

/** Some fifteen lists twice, and each key in more than twenty. */
test.setTimeout(300_000);

test.beforeAll(({ site }) => fillLists(site));

const rows = (page: Page) => page.locator("main [data-list] [data-row]");

async function openList(page: Page, path: string): Promise<void> {
  await goTo(page, path);
  await rows(page).first().waitFor();
  await waitUntilLoaded(page);
}

/** Runs in the page. Returns pixels that do not fit, and how much of the list stays empty. */
function measureList() {
  const list = document.querySelector("main [data-list]");
  const frame = list?.querySelector("[role=region]");
  const row = list?.querySelector("[data-row]");
  if (!list || !frame || !row) throw new Error("There is no list.");
  const { scrollHeight, clientHeight } = document.documentElement;
  return {
    page: scrollHeight - clientHeight,
    list: frame.scrollHeight - frame.clientHeight,
    rows: list.querySelectorAll("[data-row]").length,
    row: row.getBoundingClientRect().height,
    free: Number.parseFloat(getComputedStyle(frame).maxHeight) - frame.getBoundingClientRect().height,
  };
}

test(
  "a full page of each list fits into the window, which has no room for one more row",
  { tag: "@nightly" },
  async ({ page }) => {
    const sent: string[] = [];
    page.on("request", (request) => sent.push(request.url()));
    const wrong: string[] = [];
    // The state of the bot is above the list of its commands.
    const lists = longLists.filter((path) => path !== "/panel/telegram");
    await page.goto("/panel/profile");
    // Notes about settings that are missing here are above some lists.
    await page.addStyleTag({ content: "main [role=alert] { display: none }" });
    for (const size of [
      { width: 1440, height: 900 },
      { width: 1920, height: 1200 },
    ]) {
      await page.setViewportSize(size);
      for (const path of lists) {
        sent.length = 0;
        await openList(page, path);
        const found = await page.evaluate(measureList);
        const isFull = found.free < found.row;
        // A page has ten rows at least, also if fewer fit.
        const scrolls = found.page > 0 || (found.list > 0 && found.rows > 10);
        if (scrolls || !isFull) wrong.push(`${path} at ${size.height}: ${JSON.stringify(found)}`);
        const pages = sent.filter((url) => new URL(url).searchParams.get("size") === String(found.rows));
        if (pages.length > 1) wrong.push(`${path} at ${size.height} requests ${pages.join(" and ")}`);
      }
    }
    expect(wrong).toEqual([]);
  },
);

/** Lists that may be shorter than the window. */
const otherLists = [
  "channel?view=tags",
  "model_price?view=list",
  "model_ownedby",
  "mcp?view=servers",
  "mcp",
  "audit",
  "log",
  "session",
].map((path) => `/panel/${path}`);

test(
  "every list has the same keys: j and k, x, Enter and Esc, f and /",
  { tag: "@nightly" },
  async ({ page, site }) => {
    await site.api("POST", "/mcp_server", { name: "github", url: "https://mcp.example.com/mcp" });
    await site.api("POST", "/mcp_server", { name: "docs", url: "https://docs.example.com/mcp" });
    for (const name of ["work", "home"])
      await site.api("POST", "/mcp_bundle", { name, servers: [1], groups: ["default"] });
    const { key } = await site.api<{ key: string }>("POST", "/token", {
      name: "caller",
      unlimited_quota: true,
    });
    for (const session of ["one", "two"])
      await fetch(`${site.url}/v1/chat/completions`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${key}`,
          "content-type": "application/json",
          "x-session-id": session,
        },
        body: JSON.stringify({ model: "model-1", messages: [{ role: "user", content: "Hello" }] }),
      }).then((answer) => answer.text());
    const wrong: string[] = [];
    await page.goto("/panel/profile");
    for (const path of [...longLists, ...otherLists]) {
      await openList(page, path);
      for (const what of await tryKeys(page)) wrong.push(`${path}: ${what}`);
    }
    expect(wrong).toEqual([]);
  },
);

/** Uses the list without a pointer. Returns the keys that do not work. */
async function tryKeys(page: Page): Promise<string[]> {
  const wrong: string[] = [];
  const [first, second] = [rows(page).first(), rows(page).nth(1)];
  const check = async (what: string, condition: () => Promise<void>) =>
    condition().catch(() => void wrong.push(what));
  const soon = { timeout: 3_000 };
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  await page.keyboard.press("j");
  await check("j focuses the first row", () => expect(first).toBeFocused(soon));
  await page.keyboard.press("j");
  await check("j focuses the second row", () => expect(second).toBeFocused(soon));
  await page.keyboard.press("k");
  await check("k focuses the first row", () => expect(first).toBeFocused(soon));
  const box = first.locator("[data-select] input");
  if ((await box.count()) > 0) {
    await page.keyboard.press("x");
    await check("x selects the row", () => expect(box).toBeChecked(soon));
    await page.keyboard.press("x");
    await check("x clears the selection", () => expect(box).not.toBeChecked(soon));
  }
  if ((await page.locator("main [data-list] [data-filters] input").count()) > 0) {
    await page.keyboard.press("f");
    await check("f focuses a filter", () =>
      expect(page.locator("[data-filters] :focus")).toHaveCount(1, soon),
    );
    await page.keyboard.press("Escape");
    await check("Esc returns from the filter to the row", () => expect(first).toBeFocused(soon));
  }
  const address = page.url();
  const dialog = page.locator("[role=dialog]").last();
  await page.keyboard.press("Enter");
  await check("Enter opens the row", () =>
    expect
      .poll(async () => page.url() !== address || (await dialog.count()) > 0 || isUnfolded(page), soon)
      .toBe(true),
  );
  if (new URL(page.url()).pathname !== new URL(address).pathname) return wrong;
  if ((await dialog.count()) > 0) {
    await waitUntilLoaded(page);
    await page.keyboard.press("Escape");
    await check("Esc closes what Enter opened", () => expect(dialog).toHaveCount(0, soon));
    await check("Esc returns to the row", () => expect(first).toBeFocused(soon));
  }
  return wrong;
}

async function isUnfolded(page: Page): Promise<boolean> {
  return (await page.locator("main [data-list] [aria-expanded=true]").count()) > 0;
}
