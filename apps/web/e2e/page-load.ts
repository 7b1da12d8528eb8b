/** What opening a page costs, and how soon its content is there. */
import type { Locator, Page } from "playwright-core";

export interface Load {
  /** Bytes of JavaScript over the wire. */
  script: number;
  /** Files of JavaScript. */
  scripts: number;
  requests: number;
  /** Time of the largest contentful paint, in milliseconds. */
  lcp: number;
  /** Sum of all layout shifts that no input caused. */
  cls: number;
  /** CPU time of scripts, in milliseconds. */
  scriptMs: number;
}

type Seen = { lcp: number; cls: number };

/** Records paints and shifts of all pages that this window opens. */
export async function observe(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const seen: Seen = { lcp: 0, cls: 0 };
    Object.assign(window, { seen });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) seen.lcp = entry.startTime;
    }).observe({ type: "largest-contentful-paint", buffered: true });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        const { value, hadRecentInput } = entry as PerformanceEntry & {
          value: number;
          hadRecentInput: boolean;
        };
        if (!hadRecentInput) seen.cls += value;
      }
    }).observe({ type: "layout-shift", buffered: true });
  });
}

export function seenBy(page: Page): Promise<Seen> {
  return page.evaluate(() => (window as unknown as { seen: Seen }).seen);
}

const anyHeading = (page: Page) => page.locator("main h1, main h2, form input").first();

/**
 * Opens an address in an empty window as a browser of someone who saves data: nothing is loaded ahead.
 * @param shown the content to wait for
 */
export async function loadOf(
  page: Page,
  address: string,
  { packing = "gzip", shown = anyHeading }: { packing?: string; shown?: (page: Page) => Locator } = {},
): Promise<Load> {
  const packings = new Set<string | undefined>();
  const sizes: Promise<number>[] = [];
  let requests = 0;
  await page.addInitScript(() =>
    Object.defineProperty(navigator, "connection", { value: { saveData: true, effectiveType: "4g" } }),
  );
  await observe(page);
  await page.setExtraHTTPHeaders({ "accept-encoding": packing });
  page.on("response", (response) => {
    if (response.request().resourceType() === "script") packings.add(response.headers()["content-encoding"]);
  });
  page.on("request", () => (requests += 1));
  page.on("requestfinished", (request) => {
    if (request.resourceType() === "script")
      sizes.push(request.sizes().then((size) => size.responseBodySize));
  });
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  await page.goto(address);
  await shown(page).waitFor();
  await page.waitForLoadState("networkidle");
  // What comes a moment later, unasked.
  await page.waitForTimeout(1_000);
  const others = [...packings].filter((name) => name !== undefined && name !== packing);
  if (others.length > 0) throw new Error(`Some scripts were sent as ${others.join(", ")}.`);
  const { metrics } = await session.send("Performance.getMetrics");
  const seconds = metrics.find(({ name }) => name === "ScriptDuration")?.value ?? 0;
  const bytes = await Promise.all(sizes);
  return {
    script: bytes.reduce((sum, size) => sum + size, 0),
    scripts: bytes.length,
    requests,
    ...(await seenBy(page)),
    scriptMs: seconds * 1_000,
  };
}

const menu = (page: Page) => page.getByRole("navigation", { name: "Console" });

/** Names of the entries of the menu. */
export async function menuLinks(page: Page): Promise<string[]> {
  await menu(page).getByRole("link").first().waitFor();
  return (await menu(page).getByRole("link").allTextContents()).map((name) => name.trim());
}

/** Milliseconds from a click in the menu until the screen shows its content instead of placeholders. */
export async function contentOf(page: Page, name: string): Promise<number> {
  const link = menu(page).getByRole("link", { name, exact: true });
  await link.hover();
  await page.evaluate(() => {
    const shown = new Promise<number>((resolve) => {
      document.addEventListener(
        "click",
        ({ timeStamp }) => {
          const before = document.querySelector("main h1")?.textContent;
          const look = () => {
            const title = document.querySelector("main h1")?.textContent;
            const waits = document.querySelector(
              "[data-page-loading], main [aria-busy=true], main .mantine-Skeleton-root[data-visible]",
            );
            if (title !== undefined && title !== before && !waits) resolve(performance.now() - timeStamp);
            else requestAnimationFrame(look);
          };
          requestAnimationFrame(look);
        },
        { once: true, capture: true },
      );
    });
    Object.assign(window, { shown });
  });
  await link.click();
  return page.evaluate(() => (window as unknown as { shown: Promise<number> }).shown);
}

/** Selects rows, moves through them with keys, and types in the search box. Returns the slowest reaction in milliseconds. */
export async function slowestInteraction(page: Page): Promise<number> {
  await page.evaluate(() => {
    const found = { slowest: 0 };
    Object.assign(window, { found });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) found.slowest = Math.max(found.slowest, entry.duration);
    }).observe({ type: "event", durationThreshold: 16 } as PerformanceObserverInit);
  });
  const boxes = page.getByRole("checkbox", { name: "Select row" });
  if ((await boxes.count()) > 0) for (const at of [0, 5, 9]) await boxes.nth(at).click();
  for (const key of ["j", "j", "k"]) await page.keyboard.press(key);
  const search = page.getByRole("searchbox").first();
  if ((await search.count()) > 0) await search.pressSequentially("seed");
  await page.getByRole("button", { name: "Columns", exact: true }).click();
  await page.keyboard.press("Escape");
  await page.waitForTimeout(500);
  return page.evaluate(() => (window as unknown as { found: { slowest: number } }).found.slowest);
}
