/**
 * `pnpm measure:console`: measures the console in a real browser with 1,000 users, 100 channels and 20,000 calls on its
 * own gateway, and prints the tables of docs/benchmarks.md. It fails nothing: times depend on the machine.
 *
 * --parts loads,shifts,clicks,lists  what is measured
 * --screens log,user          ids of the screens that are opened directly; by default all
 * --rounds 3                  how often; the best time counts, because other programs only make it longer
 * --data DIR                  keeps the filled database in this directory for the next run
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { Page } from "@playwright/test";
import { chromium } from "playwright";
import { contentOf, cpuMeter, loadedAhead, menuLinks, type Reaction, reactionsOf } from "./reactions.ts";
import { browserFlags, browserPath } from "./support/browser.ts";
import { type Installation, install } from "./support/installation.ts";
import { loadOf, observe, seenBy } from "./support/page-load.ts";
import { screenIds } from "./support/screens/screen-list.ts";
import { openWindow } from "./support/windows.ts";

const { values } = parseArgs({
  options: {
    parts: { type: "string", default: "loads,shifts,clicks,lists" },
    screens: { type: "string", default: "" },
    rounds: { type: "string", default: "3" },
    data: { type: "string" },
  },
});
const rounds = Number(values.rounds);
const server = fileURLToPath(new URL("../../server/", import.meta.url));

const usage = "dashboard?view=usage";
const chosen = values.screens === "" ? [...screenIds, usage] : values.screens.split(",");
const guests = values.screens === "" ? ["/", "/login"] : [];

/** Lists with the largest number of rows that each can show. */
const longLists = ["/panel/log", "/panel/user?size=100", "/panel/channel?size=100", "/panel/token?size=100"];

const parts: Record<string, (site: Installation) => Promise<void>> = { loads, shifts, clicks, lists };
const wanted = values.parts.split(",");
const unknown = wanted.filter((name) => !(name in parts));
if (unknown.length > 0)
  throw new Error(`There is no part ${unknown.join(", ")}: ${Object.keys(parts).join(", ")}.`);

const browser = await chromium.launch({ executablePath: browserPath(), args: browserFlags });
const dataDir = values.data ?? (await mkdtemp(join(tmpdir(), "gateway-measure-")));
const isFilled = existsSync(join(dataDir, "postgres"));
try {
  if (!isFilled) seed();
  const site = await install({ DATA_DIR: dataDir });
  try {
    if (!isFilled) await fill(site);
    for (const name of wanted) await parts[name]?.(site);
    console.log(`\nLoad of the machine: ${loadavg()[0]?.toFixed(1)}`);
  } finally {
    await site.stop();
  }
} finally {
  await browser.close();
  if (values.data === undefined) await rm(dataDir, { recursive: true, force: true });
}

/** Fills the database with users and calls, before the gateway opens it. */
function seed(): void {
  const rows = ["--rows", "20000", "--days", "3", "--users", "1000"];
  const { status, stderr } = spawnSync(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", join(server, "bench/logs/seed-logs.ts"), ...rows],
    { cwd: server, env: { ...process.env, DATA_DIR: dataDir }, encoding: "utf8" },
  );
  if (status !== 0) throw new Error(`The database could not be filled: ${stderr}`);
}

async function fill(site: Installation): Promise<void> {
  for (let count = 1; count <= 100; count += 1) {
    const channel = { type: 900, name: `Demo ${count}`, models: ["demo-chat"], groups: ["default"] };
    await site.api("POST", "/channel", channel);
    await site.api("POST", "/token", { name: `app-${count}` });
  }
}

/** What each screen costs when it is opened directly, without a cache. */
async function loads(site: Installation): Promise<void> {
  head("direct load", "JS KB", "requests", "LCP ms", "CLS", "CPU ms");
  for (const path of [...guests, ...chosen.map((id) => `/panel/${id}`)]) {
    const found = [];
    for (let round = 0; round < rounds; round += 1) {
      const page = await openWindow(browser, site, "about:blank", { guest: guests.includes(path) });
      found.push(await loadOf(page, `${site.url}${path}`));
      await page.context().close();
    }
    row(
      path,
      (best(found.map(({ script }) => script)) / 1_000).toFixed(0),
      best(found.map(({ requests }) => requests)),
      best(found.map(({ lcp }) => lcp)).toFixed(0),
      Math.max(...found.map(({ cls }) => cls)).toFixed(3),
      best(found.map(({ cpuMs }) => cpuMs)).toFixed(0),
    );
  }
}

/** What moves on a phone after a direct load, and on your own usage while its figures are late. */
async function shifts(site: Installation): Promise<void> {
  const charts = (page: Page) =>
    page.locator("[data-chart]").or(page.getByText("No spending this week")).first();
  const late = `${usage}, late figures`;
  head("layout shifts of a direct load", "desktop", "phone");
  for (const name of [...chosen, ...(chosen.includes(usage) ? [late] : [])]) {
    const cells: string[] = [];
    for (const phone of [false, true]) {
      let largest = 0;
      for (let round = 0; round < rounds; round += 1) {
        const page = await openWindow(browser, site, "about:blank", { phone });
        if (name === late) await delayFigures(page);
        const path = name === late ? usage : name;
        const { cls } = await loadOf(page, `${site.url}/panel/${path}`, name === late ? charts : undefined);
        largest = Math.max(largest, cls);
        await page.context().close();
      }
      cells.push(largest.toFixed(3));
    }
    row(`/panel/${name}`, ...cells);
  }
}

async function delayFigures(page: Page): Promise<void> {
  await page.route(/api\/user\/dashboard\?/, async (route) => {
    await sleep(2_000);
    await route.continue();
  });
}

/** From a click in the menu to the content of the screen, with its rows. */
async function clicks(site: Installation): Promise<void> {
  const found = new Map<string, { first: Reaction[]; again: Reaction[]; shifts: number[] }>();
  for (let round = 0; round < rounds; round += 1) {
    const page = await openWindow(browser, site, "about:blank", { loadsAhead: true });
    await observe(page);
    await page.goto(`${site.url}/panel/dashboard`);
    const meter = await cpuMeter(page);
    // The dashboard comes last: it is open already.
    const [dashboard = "", ...others] = await menuLinks(page);
    await loadedAhead(page);
    for (const visit of ["first", "again"] as const)
      for (const name of [...others, dashboard]) {
        const shiftBefore = (await seenBy(page)).cls;
        const times = found.get(name) ?? { first: [], again: [], shifts: [] };
        found.set(name, times);
        times[visit].push(
          await contentOf(page, meter, name).catch((error: unknown) => {
            throw new Error(`${name}: ${String(error)}`);
          }),
        );
        times.shifts.push((await seenBy(page)).cls - shiftBefore);
      }
    await page.context().close();
  }
  head("click in the menu", "first ms", "CPU ms", "again ms", "CPU ms", "CLS");
  for (const [name, { first, again, shifts }] of found)
    row(name, ...bestOf(first), ...bestOf(again), Math.max(...shifts).toFixed(3));
}

/** The reactions to keys and clicks on long lists. The slowest is the INP of someone who does this. */
async function lists(site: Installation): Promise<void> {
  for (const path of longLists) {
    const found = new Map<string, Reaction[]>();
    let count = 0;
    for (let round = 0; round < rounds; round += 1) {
      const page = await openWindow(browser, site, path, { loadsAhead: true });
      const rows = page.locator("tbody tr[data-row]");
      await rows.first().waitFor();
      if (path === "/panel/log")
        while ((await rows.count()) < 1_000) {
          const before = await rows.count();
          await page.getByRole("button", { name: "Load more", exact: true }).click();
          await page.waitForFunction(
            (shown) => document.querySelectorAll("tbody tr[data-row]").length > shown,
            before,
          );
        }
      count = await rows.count();
      await loadedAhead(page);
      for (const { name, ...reaction } of await reactionsOf(page, await cpuMeter(page)))
        found.set(name, [...(found.get(name) ?? []), reaction]);
      await page.context().close();
    }
    head(`${path}, ${count} rows`, "ms", "CPU ms");
    for (const [name, reactions] of found) row(name, ...bestOf(reactions));
  }
}

function bestOf(reactions: Reaction[]): [string, string] {
  return [
    best(reactions.map(({ ms }) => ms)).toFixed(0),
    best(reactions.map(({ cpuMs }) => cpuMs)).toFixed(0),
  ];
}

function best(numbers: number[]): number {
  return Math.min(...numbers);
}

function head(name: string, ...cells: string[]): void {
  console.log("");
  row(name, ...cells);
}

function row(name: string, ...cells: (string | number)[]): void {
  console.log([name.padEnd(36), ...cells.map((cell) => String(cell).padStart(10))].join(""));
}
