/** What opening a page costs, and how soon its content is there. */
import type { Page } from "@playwright/test";
import { cpuMeter } from "../reactions.ts";

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
  /** CPU time of the page's main thread, in milliseconds. */
  cpuMs: number;
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
 * Opens an address in an empty window that loads nothing ahead.
 * @param shown the content to wait for
 */
export async function loadOf(page: Page, address: string, shown = anyHeading): Promise<Load> {
  const packings = new Set<string | undefined>();
  const sizes: Promise<number>[] = [];
  let requests = 0;
  await observe(page);
  // What every browser accepts. Brotli is smaller.
  await page.setExtraHTTPHeaders({ "accept-encoding": "gzip" });
  page.on("response", (response) => {
    if (response.request().resourceType() === "script") packings.add(response.headers()["content-encoding"]);
  });
  page.on("request", () => (requests += 1));
  page.on("requestfinished", (request) => {
    if (request.resourceType() === "script")
      sizes.push(request.sizes().then((size) => size.responseBodySize));
  });
  await page.goto(address);
  const meter = await cpuMeter(page);
  await shown(page).waitFor();
  await page.waitForLoadState("networkidle");
  const others = [...packings].filter((name) => name !== undefined && name !== "gzip");
  if (others.length > 0) throw new Error(`Some scripts were sent as ${others.join(", ")}.`);
  const cpuMs = await meter();
  const bytes = await Promise.all(sizes);
  return {
    script: bytes.reduce((sum, size) => sum + size, 0),
    scripts: bytes.length,
    requests,
    ...(await seenBy(page)),
    cpuMs,
  };
}
