/** Browser windows on an installation. */
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "@playwright/test";
import type { Installation } from "./installation.ts";
import { delayResponses } from "./slow-network.ts";

export interface WindowOptions {
  phone?: boolean;
  dark?: boolean;
  /** A guest, instead of root. */
  guest?: boolean;
  /** By default en-US. */
  locale?: string;
  /**
   * The console loads the code of other screens while it is idle. By default the browser saves data, so that no processor
   * time goes into what a test does not open.
   */
  loadsAhead?: boolean;
}

const desktop = { viewport: { width: 1440, height: 900 }, isMobile: false, hasTouch: false };
const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

type StorageState = Exclude<BrowserContextOptions["storageState"], string | undefined>;

/** The state of a browser in which root is signed in. */
export function rootState({ url, session }: Installation): StorageState {
  const { hostname } = new URL(url);
  const attributes = { domain: hostname, path: "/", expires: -1, httpOnly: true, secure: false };
  return {
    cookies: session === undefined ? [] : [{ ...session, ...attributes, sameSite: "Lax" }],
    origins: [],
  };
}

/**
 * Opens a window in a context of its own, which the caller closes.
 * @param onMissingText receives each text key that is shown without a translation, with its page
 */
export async function openWindow(
  browser: Browser,
  site: Installation,
  path: string,
  options: WindowOptions = {},
  onMissingText?: (text: string) => void,
): Promise<Page> {
  const context = await browser.newContext({
    ...(options.phone === undefined ? {} : options.phone ? phone : desktop),
    ...(options.dark === undefined ? {} : { colorScheme: options.dark ? "dark" : "light" }),
    ...(options.locale === undefined ? {} : { locale: options.locale }),
    storageState: options.guest ? { cookies: [], origins: [] } : rootState(site),
    baseURL: site.url,
    extraHTTPHeaders: site.newAddress(),
  });
  await prepareContext(context, options, onMissingText);
  const page = await context.newPage();
  await page.goto(path);
  return page;
}

/** Adds what every window of a test has. */
export async function prepareContext(
  context: BrowserContext,
  { loadsAhead = false }: Pick<WindowOptions, "loadsAhead"> = {},
  onMissingText?: (text: string) => void,
): Promise<void> {
  if (onMissingText)
    await context.exposeBinding("missingText", ({ page }, key: string) =>
      onMissingText(`${new URL(page.url()).pathname}: ${key}`),
    );
  if (!loadsAhead) await context.addInitScript(saveData);
  if (process.env["SLOW_NETWORK"] === "1") await delayResponses(context);
}

/** Runs in the page. */
function saveData(): void {
  Object.defineProperty(navigator, "connection", { value: { saveData: true, effectiveType: "4g" } });
}
