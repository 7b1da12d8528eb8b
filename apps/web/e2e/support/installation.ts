/** A complete installation: gateway, database, demo provider and browsers. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";

export const rootUser = { username: "root", password: "a long password" };

export interface Installation {
  /** Without a trailing slash. */
  url: string;
  /** Root's session, as the value of a cookie header. */
  cookie: string;
  /** Calls the management API as root: `api("POST", "/token", {...})`. Throws on an error. */
  api<T = unknown>(method: string, path: string, body?: unknown): Promise<T>;
  /** Opens a new browser window. Root is signed in unless `guest`. */
  open(path: string, options?: WindowOptions): Promise<Page>;
  /** Lines that the process has printed. */
  printed: readonly string[];
  /** Throws if a displayed text had no translation. */
  close(): Promise<void>;
}

export interface WindowOptions {
  phone?: boolean;
  dark?: boolean;
  guest?: boolean;
  /** By default en-US. */
  locale?: string;
  /**
   * The console loads the code of other screens while it rests. By default the browser saves data, so that no processor
   * time goes into what a test does not open.
   */
  loadsAhead?: boolean;
}

const sources = fileURLToPath(new URL("../../../server/src/main.ts", import.meta.url));
const compileCache = fileURLToPath(
  new URL("../../../../node_modules/.gateway/compile-cache", import.meta.url),
);
/** The headless shell comes first. It needs half the time, because it draws no window, tabs or menus. */
const browserPaths = [
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];
export const browserFlags = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
];

let browser: Promise<Browser> | undefined;

function openBrowser(): Promise<Browser> {
  browser ??= chromium.launch({ executablePath: browserPath(), args: browserFlags }).then((started) => {
    started.once("disconnected", () => (browser = undefined));
    return started;
  });
  return browser;
}

/**
 * Starts an installation.
 * @param env further settings of the process
 * @param main the gateway's program
 * @param keepsBrowser leaves the browser open for the next installation of this process
 */
export async function install(
  env: Record<string, string> = {},
  main = sources,
  keepsBrowser = false,
): Promise<Installation> {
  const dataDir = await mkdtemp(join(tmpdir(), "gateway-e2e-"));
  const gateway = await startGateway({ DATA_DIR: dataDir, ...env }, main);
  // Without a root account, every window is a guest's.
  const cookie = env["ROOT_USERNAME"] === "" ? { name: "session", value: "none" } : await signIn(gateway.url);
  const sessionCookie = `${cookie.name}=${cookie.value}`;
  const windows: BrowserContext[] = [];
  let addresses = 0;
  const missingTexts = new Set<string>();

  /**
   * Returns a unique client address. All windows and calls together exceed the rate limit of a single
   * address.
   */
  function ownAddress(): { "x-forwarded-for": string } {
    addresses += 1;
    return { "x-forwarded-for": `10.7.${addresses >> 8}.${addresses & 255}` };
  }

  async function open(path: string, options: WindowOptions = {}): Promise<Page> {
    const opened = await openBrowser();
    const context = await opened.newContext({
      viewport: options.phone ? { width: 390, height: 844 } : { width: 1440, height: 900 },
      isMobile: options.phone ?? false,
      hasTouch: options.phone ?? false,
      colorScheme: options.dark ? "dark" : "light",
      // Elements are clicked when they no longer move. With reduced motion that is immediately.
      reducedMotion: "reduce",
      locale: options.locale ?? "en-US",
      permissions: ["clipboard-read", "clipboard-write"],
      baseURL: gateway.url,
      extraHTTPHeaders: ownAddress(),
    });
    windows.push(context);
    await context.exposeBinding("missingText", ({ page }, key: string) => {
      missingTexts.add(`${new URL(page.url()).pathname} (${options.locale ?? "en-US"}): ${key}`);
    });
    if (!options.loadsAhead) await context.addInitScript(saveData);
    if (!options.guest) await context.addCookies([{ ...cookie, url: gateway.url }]);
    const page = await context.newPage();
    page.setDefaultTimeout(30_000);
    await page.goto(path);
    return page;
  }

  async function api<T>(method: string, path: string, body?: unknown): Promise<T> {
    const answer = await fetch(`${gateway.url}/api${path}`, {
      method,
      headers: {
        ...ownAddress(),
        "api-version": "2",
        origin: gateway.url,
        cookie: sessionCookie,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const { success, message, data } = (await answer.json()) as Envelope;
    if (!success) throw new Error(`${method} ${path}: ${message}`);
    return data as T;
  }

  async function close(): Promise<void> {
    for (const window of windows) await window.close();
    if (!keepsBrowser) await (await browser)?.close();
    await gateway.stop();
    await rm(dataDir, { recursive: true, force: true });
    if (missingTexts.size > 0) throw new Error(`Texts without words:\n${[...missingTexts].join("\n")}`);
  }

  return { url: gateway.url, printed: gateway.printed, cookie: sessionCookie, api, open, close };
}

/** Runs in the page. */
function saveData(): void {
  Object.defineProperty(navigator, "connection", { value: { saveData: true, effectiveType: "4g" } });
}

type Envelope = { success: boolean; message: string; data: unknown };

export function browserPath(): string {
  const found = browserPaths.find((path) => existsSync(path));
  if (!found) throw new Error(`There is no browser: looked for ${browserPaths.join(", ")}.`);
  return found;
}

async function startGateway(env: Record<string, string>, program: string) {
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", program], {
    env: {
      PATH: process.env["PATH"],
      NODE_COMPILE_CACHE: compileCache,
      HOST: "127.0.0.1",
      PORT: "0",
      DEMO_UPSTREAM: "1",
      TRUST_PROXY: "loopback",
      // More than any test sends as root.
      API_RATE_LIMIT: "1000000",
      ROOT_USERNAME: rootUser.username,
      ROOT_PASSWORD: rootUser.password,
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const printed: string[] = [];
  const url = await listeningAt(child, printed);
  const stop = () =>
    new Promise<void>((resolve) => {
      child.once("exit", () => resolve());
      child.kill("SIGTERM");
    });
  return { url, printed, stop };
}

/** Returns the address that the process prints, and collects its lines. Rejects with the last ones if it exits instead. */
function listeningAt(child: ChildProcess, labels: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      if (!stream) continue;
      createInterface({ input: stream }).on("line", (line) => {
        labels.push(line);
        const found = /Listening on (http[^"\s]+)/.exec(line);
        if (found?.[1]) resolve(found[1]);
      });
    }
    child.once("exit", (code) =>
      reject(new Error(`The gateway ended with ${code}:\n${labels.slice(-20).join("\n")}`)),
    );
  });
}

async function signIn(url: string): Promise<{ name: string; value: string }> {
  const answer = await fetch(`${url}/api/user/login`, {
    method: "POST",
    headers: { "api-version": "2", "content-type": "application/json", origin: url },
    body: JSON.stringify(rootUser),
  });
  const [pair = ""] = (answer.headers.get("set-cookie") ?? "").split(";");
  const [name = "", value = ""] = pair.split("=");
  if (!answer.ok || value === "") throw new Error(`Could not sign in: ${await answer.text()}`);
  return { name, value };
}
