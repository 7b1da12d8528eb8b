/**
 * `many-channels.ts <database> <secret>`: run by `pnpm bench:channels` on its database of thousands of
 * channels. Measures how soon the list is displayed, and how soon it reflects a search or a filter.
 */
import { performance } from "node:perf_hooks";
import type { Page } from "@playwright/test";
import { chromium } from "playwright";
import { browserFlags, browserPath } from "./support/browser.ts";
import { install } from "./support/installation.ts";
import { openWindow } from "./support/windows.ts";

const [databaseUrl = "", secret = "", total = ""] = process.argv.slice(2);
/** Few enough for the rate limit of one address. */
const rounds = 5;
/** Delay between typing and the search. */
const pauseMs = 350;

const site = await install({ DATABASE_URL: databaseUrl, SECRET_KEY: secret });
const browser = await chromium.launch({ executablePath: browserPath(), args: browserFlags });
try {
  const page = await openWindow(browser, site, "/api/health");
  // The first request of a process reads files and opens connections.
  await opened(page);
  await measure("the screen in a browser that was never here", async () => {
    const fresh = await openWindow(browser, site, "/api/health");
    const took = await opened(fresh);
    // Browsers rarely draw a page behind another one.
    await fresh.close();
    return took;
  });
  await measure("the screen again", () => opened(page));
  await measure("a search by name", async () => {
    const took = await until(page, () => search(page, "Name, tag or ID", "channel 4711"), "1–1 of 1");
    await clear(page);
    return took - pauseMs;
  });
  await measure("a search by part of a model's name", async () => {
    const took = await until(page, () => search(page, "Model", "odel-77"), `of ${total}`, "model=odel-77");
    await clear(page);
    return took - pauseMs;
  });
  for (const [label, option, shown] of [
    ["Status", "Auto-disabled", 40],
    ["Group", "vip", 20],
    ["Tag", "lab", 50],
    ["Provider", "Anthropic", 25],
  ] as const)
    await measure(`a filter by ${label.toLowerCase()}`, async () => {
      await page.getByRole("combobox", { name: label, exact: true }).click();
      const choice = page.getByRole("option", { name: option, exact: true });
      const took = await until(page, () => choice.click(), `of ${Number(total) / shown}`);
      await clear(page);
      return took;
    });
  await measure("the next page", async () => {
    const took = await until(
      page,
      () => page.getByRole("button", { name: "2", exact: true }).click(),
      "11–20",
    );
    await until(page, () => page.getByRole("button", { name: "1", exact: true }).click(), "1–10 of");
    return took;
  });
} finally {
  await browser.close();
  await site.stop();
}

/** Returns the milliseconds from the navigation until the rows are displayed. */
async function opened(page: Page): Promise<number> {
  await page.goto("/panel/channel?size=10", { waitUntil: "commit" });
  await shows(page, `of ${total}`);
  return page.evaluate(() => performance.now());
}

async function until(page: Page, act: () => Promise<unknown>, text: string, address = ""): Promise<number> {
  const begun = performance.now();
  await act();
  await shows(page, text, address);
  return performance.now() - begun;
}

/** Waits until the line below the rows contains the text, and the rows belong to the latest query. */
async function shows(page: Page, text: string, address = ""): Promise<void> {
  await page.waitForFunction(
    ([wanted, inAddress]) =>
      location.search.includes(inAddress ?? "") &&
      document.querySelector("[data-fetching]") === null &&
      document.querySelector("tbody tr") !== null &&
      document.querySelector("main")?.textContent?.includes(wanted ?? "") === true,
    [text, address],
    { polling: 5, timeout: 60_000 },
  );
}

async function search(page: Page, name: string, text: string): Promise<void> {
  await page.getByRole("searchbox", { name, exact: true }).fill(text);
}

async function clear(page: Page): Promise<void> {
  const button = page.getByRole("button", { name: "Clear filters" });
  await button.click();
  await button.waitFor({ state: "detached" });
  await shows(page, `of ${total}`);
}

async function measure(name: string, once: () => Promise<number>): Promise<void> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) times.push(await once());
  times.sort((one, other) => one - other);
  const [median = 0, worst = 0] = [times[Math.floor(rounds / 2)], times.at(-1)];
  console.log(`  ${name.padEnd(46)} ${median.toFixed(0)} ms, at worst ${worst.toFixed(0)} ms`);
}
