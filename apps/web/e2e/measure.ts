/**
 * `pnpm measure:console`: measures the console in a real browser with 1,000 users and 20,000 calls on its own gateway, and
 * prints the tables of docs/benchmarks.md. It fails nothing: times depend on the machine. `--rounds` sets how often each
 * screen is opened; the median counts.
 */
import { spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { Page } from "playwright-core";
import { type Installation, install } from "./installation.ts";
import { contentOf, loadOf, menuLinks, observe, seenBy, slowestInteraction } from "./page-load.ts";

const { values } = parseArgs({ options: { rounds: { type: "string", default: "3" } } });
const rounds = Number(values.rounds);
const server = fileURLToPath(new URL("../../server/", import.meta.url));

const guests = ["/", "/login"];
const screens = ["dashboard", "analytics", "token", "log", "channel", "user", "pricing", "setting"];

const dataDir = await mkdtemp(join(tmpdir(), "gateway-measure-"));
try {
  seed();
  const site = await install({ DATA_DIR: dataDir });
  try {
    await fill(site);
    await coldLoads(site);
    await clicks(site);
    await interactions(site);
  } finally {
    await site.close();
  }
} finally {
  await rm(dataDir, { recursive: true, force: true });
}

/** Fills the database with users and calls, before the gateway opens it. */
function seed(): void {
  const rows = ["--rows", "20000", "--days", "3", "--users", "1000"];
  const { status, stderr } = spawnSync(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", join(server, "bench/seed-logs.ts"), ...rows],
    { cwd: server, env: { ...process.env, DATA_DIR: dataDir }, encoding: "utf8" },
  );
  if (status !== 0) throw new Error(`The database could not be filled: ${stderr}`);
}

async function fill(site: Installation): Promise<void> {
  for (let count = 1; count <= 30; count += 1) {
    const channel = { type: 900, name: `Demo ${count}`, models: ["demo-chat"], groups: ["default"] };
    await site.api("POST", "/channel", channel);
    await site.api("POST", "/token", { name: `app-${count}` });
  }
}

/** What each screen costs when it is opened directly, without a cache. */
async function coldLoads(site: Installation): Promise<void> {
  head("direct load", "JS KB", "requests", "LCP ms", "CLS", "script ms");
  for (const path of [...guests, ...screens.map((id) => `/panel/${id}`)]) {
    const loads = [];
    for (let round = 0; round < rounds; round += 1) {
      const page = await site.open("about:blank", { guest: guests.includes(path) });
      loads.push(await loadOf(page, `${site.url}${path}`));
      await page.context().close();
    }
    row(
      path,
      (middle(loads.map(({ script }) => script)) / 1_000).toFixed(0),
      middle(loads.map(({ requests }) => requests)),
      middle(loads.map(({ lcp }) => lcp)).toFixed(0),
      Math.max(...loads.map(({ cls }) => cls)).toFixed(3),
      middle(loads.map(({ scriptMs }) => scriptMs)).toFixed(0),
    );
  }
}

/** From a click in the menu to the content of the screen, with its rows. */
async function clicks(site: Installation): Promise<void> {
  head("click in the menu", "first ms", "again ms", "CLS");
  const first: Record<string, number[]> = {};
  const again: Record<string, number[]> = {};
  const shifts: Record<string, number[]> = {};
  for (let round = 0; round < rounds; round += 1) {
    const page = await site.open("about:blank");
    await observe(page);
    await page.goto(`${site.url}/panel/dashboard`);
    // The dashboard comes last: it is open already.
    const [dashboard = "", ...others] = await menuLinks(page);
    const names = [...others, dashboard];
    await loadedAhead(page);
    for (const times of [first, again])
      for (const name of names) {
        const shiftBefore = (await seenBy(page)).cls;
        (times[name] ??= []).push(await contentOf(page, name));
        (shifts[name] ??= []).push((await seenBy(page)).cls - shiftBefore);
      }
    await page.context().close();
  }
  for (const [name, times] of Object.entries(first))
    row(
      name,
      middle(times).toFixed(0),
      middle(again[name] ?? []).toFixed(0),
      Math.max(...(shifts[name] ?? [])).toFixed(3),
    );
}

/** Waits until the code of all screens is loaded ahead. */
async function loadedAhead(page: Page): Promise<void> {
  for (let before = -1, now = 0; before !== now;) {
    before = now;
    await page.waitForTimeout(3_000);
    now = await page.evaluate(() => performance.getEntriesByType("resource").length);
  }
}

/** The slowest reaction to keys and clicks on long lists. */
async function interactions(site: Installation): Promise<void> {
  head("long list", "rows", "INP ms");
  const logs = await site.open("/panel/log");
  const more = logs.getByRole("button", { name: "Load more", exact: true });
  const rows = logs.locator("tbody tr[data-row]");
  await rows.first().waitFor();
  while ((await rows.count()) < 1_000) {
    const before = await rows.count();
    await more.click();
    await logs.waitForFunction(
      (count) => document.querySelectorAll("tbody tr[data-row]").length > count,
      before,
    );
  }
  row("/panel/log", await rows.count(), (await slowestInteraction(logs)).toFixed(0));
  const users = await site.open("/panel/user?size=100");
  await users.locator("tbody tr[data-row]").first().waitFor();
  row(
    "/panel/user?size=100",
    await users.locator("tbody tr[data-row]").count(),
    (await slowestInteraction(users)).toFixed(0),
  );
}

function middle(numbers: number[]): number {
  return numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? 0;
}

function head(name: string, ...cells: string[]): void {
  console.log("");
  row(name, ...cells);
}

function row(name: string, ...cells: (string | number)[]): void {
  console.log([name.padEnd(24), ...cells.map((cell) => String(cell).padStart(10))].join(""));
}
