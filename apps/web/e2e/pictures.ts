/**
 * `pnpm pictures`: takes the pictures of README on a gateway of its own, light and dark, in docs/images: the dashboard, also on
 * a phone, a call with a failed and a successful attempt, an agent's session, analytics, the models and the home page, and the
 * first run on a fresh gateway.
 */
import { spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "@playwright/test";
import { chromium } from "playwright";
import { browserFlags, browserPath } from "./support/browser.ts";
import { placeholders } from "./support/go-to.ts";
import { type Installation, install } from "./support/installation.ts";
import { openWindow } from "./support/windows.ts";

const server = fileURLToPath(new URL("../../server/", import.meta.url));
const images = fileURLToPath(new URL("../../../docs/images/", import.meta.url));
/** Longest wait for the content of a screen. */
const timeout = 60_000;
const session = "4f1d8a52-refactor-the-importer";

const dataDir = await mkdtemp(join(tmpdir(), "gateway-pictures-"));
try {
  seed();
  const site = await install({ DATA_DIR: dataDir });
  const browser = await chromium.launch({ executablePath: browserPath(), args: browserFlags });
  try {
    await site.api("PUT", "/option/batch", { values: { SystemName: "Gateway" } });
    const key = await addChannels(site);
    const call = await makeCall(site, key);
    await makeSession(site, key);
    for (const dark of [false, true]) {
      await take(browser, site, "/panel/dashboard", "overview", { dark, phone: false });
      await take(browser, site, `/panel/log/${call}`, "call-page", { dark, phone: false });
      await take(browser, site, "/panel/dashboard", "phone", { dark, phone: true });
      await take(browser, site, `/panel/session/${session}`, "session", { dark, phone: false });
      await take(browser, site, "/panel/analytics", "analytics", { dark, phone: false });
      await take(browser, site, "/panel/model_price", "models", { dark, phone: false });
      await take(browser, site, "/", "home", { dark, phone: false });
    }
    await takeFirstRun(browser);
  } finally {
    await browser.close();
    await site.stop();
  }
} finally {
  await rm(dataDir, { recursive: true, force: true });
}

/** Fills the database with calls of today and two days before, so that the day to compare with is whole. */
function seed(): void {
  const rows = ["--rows", "10500", "--days", "3", "--users", "40"];
  const { status, stderr } = spawnSync(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", join(server, "bench/logs/seed-logs.ts"), ...rows],
    { cwd: server, env: { ...process.env, DATA_DIR: dataDir }, encoding: "utf8" },
  );
  if (status !== 0) throw new Error(`The database could not be filled: ${stderr}`);
}

/** Adds two channels, of which the first one fails. Returns a key. */
async function addChannels(site: Installation): Promise<string> {
  const channel = { type: 900, groups: ["default"], models: ["demo-chat", "demo-chat-mini"] };
  await site.api("POST", "/channel", { ...channel, name: "Berlin", priority: 10, key: "demo-fail-429" });
  await site.api("POST", "/channel", { ...channel, name: "Tokyo", key: "demo" });
  return (await site.api<{ key: string }>("POST", "/token", { name: "support bot" })).key;
}

/** Makes a call whose first channel fails. Returns its request ID. */
function makeCall(site: Installation, key: string): Promise<string> {
  return send(site, key, { model: "demo-chat", messages: [{ role: "user", content: "Hello" }] });
}

/** Makes the calls of a coding agent with two sub-agents. */
async function makeSession(site: Installation, key: string): Promise<void> {
  const agents = ["", "", "explore", "explore", "", "tests", "explore", "tests", "tests", "", ""];
  const messages: { role: string; content: string }[] = [];
  for (const [turn, agent] of [...agents, ...agents].entries()) {
    messages.push({
      role: "user",
      content: `Step ${turn}: ${"the result of a tool ".repeat(20 + turn * 6)}`,
    });
    const headers: Record<string, string> = { "x-claude-code-session-id": session };
    if (agent !== "") headers["x-claude-code-agent-id"] = agent;
    await send(site, key, { model: agent === "" ? "demo-chat" : "demo-chat-mini", messages }, headers);
    messages.push({ role: "assistant", content: "Done." });
  }
}

/** Sends a call. Returns its request ID. */
async function send(
  site: Installation,
  key: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<string> {
  const answer = await fetch(`${site.url}/v1/chat/completions`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json", authorization: `Bearer ${key}` },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(timeout),
  });
  if (!answer.ok) throw new Error(`The call failed: ${await answer.text()}`);
  await answer.text();
  const id = answer.headers.get("x-request-id");
  if (id === null) throw new Error("The response has no request ID.");
  // The log row is committed before the last bytes.
  return id;
}

async function take(
  browser: Browser,
  site: Installation,
  path: string,
  name: string,
  options: { dark: boolean; phone: boolean },
): Promise<void> {
  const page = await openWindow(browser, site, path, options);
  await settled(page);
  await page.screenshot({
    path: join(images, `${name}-${options.dark ? "dark" : "light"}.png`),
    animations: "disabled",
  });
  await page.context().close();
}

/** Takes the card of the first run when the first call has arrived. */
async function takeFirstRun(browser: Browser): Promise<void> {
  const site = await install();
  try {
    await site.api("PUT", "/option/batch", { values: { SystemName: "Gateway" } });
    const page = await openWindow(browser, site, "/panel/dashboard", { dark: false, phone: false });
    const card = page.getByRole("region", { name: "Make your first call" });
    await card.getByRole("button", { name: "Use the demo provider" }).click();
    await card.getByText("Waiting for your first call…").waitFor({ timeout });
    const key = /sk-\w+/.exec((await card.locator("pre").textContent()) ?? "")?.[0] ?? "";
    await send(site, key, { model: "demo-chat", messages: [{ role: "user", content: "Hello" }] });
    await card.getByText("Your first call arrived.").waitFor({ timeout });
    // The figures below the card follow.
    await page.getByText(/^Now: .* 1 request/).waitFor({ timeout });
    for (const scheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme: scheme });
      await settled(page);
      await page.screenshot({ path: join(images, `first-run-${scheme}.png`), animations: "disabled" });
    }
    await page.context().close();
  } finally {
    await site.stop();
  }
}

/** Waits until the heading is there and no placeholder is left. */
async function settled(page: Page): Promise<void> {
  await page.getByRole("heading", { level: 1 }).first().waitFor({ timeout });
  await page.waitForLoadState("networkidle", { timeout }).catch(() => undefined);
  await page.waitForFunction((loading) => document.querySelector(loading) === null, placeholders, {
    timeout,
  });
}
