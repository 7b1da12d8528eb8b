/** `test` with an installation, which all tests of a file share. Each test begins with an empty browser. */
import { test as base, type Browser, type Page } from "@playwright/test";
import { installedDatabase } from "../../../server/test/database.ts";
import { bundledMain } from "../../../server/test/gateway-process.ts";
import { createGatewayHost } from "./gateway-host.ts";
import { gatewayProcess, type Installation, install } from "./installation.ts";
import { openWindow, prepareContext, rootState, type WindowOptions } from "./windows.ts";

export interface Site extends Installation {
  databaseUrl: string;
  /** Opens another window, which the end of the test closes. Root is signed in unless `guest`. */
  open(path: string, options?: WindowOptions): Promise<Page>;
}

export interface GatewayOptions {
  /** Settings of the process. With them, the gateway has a process of its own, which runs the bundle. */
  env?: Record<string, string>;
  /** Allows a gateway without `env` to call addresses on this machine, for example a payment gateway of the tests. */
  local?: boolean;
}

interface Sites {
  /** Starts an installation. All of them stop with the file. */
  start(options?: GatewayOptions): Promise<Site>;
  /** Returns the installation of a file. Stops those of the file before. */
  of(file: string, options: GatewayOptions): Promise<Site>;
  /** Receives a text without a translation that a window showed. */
  addMissingText(text: string): void;
  /** Closes the windows of a test. Throws if one showed a text without a translation. */
  endTest(): Promise<void>;
}

interface TestFixtures {
  /** Set it at the top of a file: `test.use({ gateway: { local: true } })`. */
  gateway: GatewayOptions;
  /** Whether `page` is that of a guest. */
  guest: boolean;
  /** The installation of this file. */
  site: Site;
  /** Starts a further installation. */
  startSite: (options?: GatewayOptions) => Promise<Site>;
  endOfTest: void;
}

export const test = base.extend<TestFixtures, { sites: Sites }>({
  sites: [
    async ({ browser }, use) => {
      const sites = openSites(browser);
      await use(sites);
      await sites.end();
    },
    { scope: "worker", timeout: 120_000 },
  ],
  gateway: [{}, { option: true }],
  guest: [false, { option: true }],
  site: async ({ sites, gateway }, use, { file }) => use(await sites.of(file, gateway)),
  startSite: async ({ sites }, use) => use((options) => sites.start(options)),
  endOfTest: [
    async ({ sites }, use) => {
      await use();
      await sites.endTest();
    },
    { auto: true },
  ],
  baseURL: async ({ site }, use) => use(site.url),
  storageState: async ({ site, guest }, use) => use(guest ? { cookies: [], origins: [] } : rootState(site)),
  extraHTTPHeaders: async ({ site }, use) => use(site.newAddress()),
  context: async ({ context, sites }, use) => {
    await prepareContext(context, {}, sites.addMissingText);
    await use(context);
  },
});

export { expect } from "@playwright/test";

function openSites(browser: Browser) {
  const host = createGatewayHost();
  const windows: Page[] = [];
  const missingTexts = new Set<string>();
  let running: (() => Promise<void>)[] = [];
  let ofFile: { file: string; site: Promise<Site> } | undefined;

  function addMissingText(text: string): void {
    missingTexts.add(text);
  }

  async function start({ env, local = false }: GatewayOptions = {}): Promise<Site> {
    const database = await installedDatabase();
    const installation = await install(
      { DATABASE_URL: database.url, ...env },
      env === undefined ? (all) => host.start(all, local) : gatewayProcess(bundledMain),
    );
    running.push(async () => {
      await installation.stop("SIGKILL");
      await database.drop();
    });
    return {
      ...installation,
      databaseUrl: database.url,
      async open(path, options) {
        const page = await openWindow(browser, installation, path, options, addMissingText);
        windows.push(page);
        return page;
      },
    };
  }

  async function stop(): Promise<void> {
    const stops = running;
    running = [];
    await Promise.all(stops.map((stopOne) => stopOne()));
  }

  async function end(): Promise<void> {
    await stop();
    host.end();
  }

  async function of(file: string, options: GatewayOptions): Promise<Site> {
    if (ofFile?.file === file) return ofFile.site;
    // Stopping is mostly waiting.
    ofFile = { file, site: Promise.all([stop(), start(options)]).then(([, site]) => site) };
    return ofFile.site;
  }

  async function endTest(): Promise<void> {
    // An open window keeps sending requests, and would slow down all following tests.
    for (const page of windows.splice(0)) await page.context().close();
    const texts = [...missingTexts];
    missingTexts.clear();
    if (texts.length > 0) throw new Error(`Texts without a translation:\n${texts.join("\n")}`);
  }

  return { start, of, addMissingText, endTest, end };
}
