/** Visits many screens in one window without loading the page again. */
import { expect, type Page, type Request } from "@playwright/test";
import { goTo as goToScreen, placeholders } from "./go-to.ts";
import type { Site } from "./test.ts";

export interface Walk {
  page: Page;
  /** Goes to another page of ours as a link would, and waits until its content is complete. */
  goTo: (path: string) => Promise<void>;
  /** Errors in the browser's console, and requests to other sites. */
  complaints: string[];
}

/** Loads an address without a screen. */
export async function startWalk(page: Page, site: Site): Promise<Walk> {
  const complaints: string[] = [];
  const pending = new Set<Request>();
  let path = "/404";
  page.on("request", (request) => {
    // What keeps a screen current stays open.
    if (request.resourceType() !== "eventsource") pending.add(request);
    if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(site.url))
      complaints.push(`${path}: asks ${request.url()}`);
  });
  page.on("requestfinished", (request) => pending.delete(request));
  page.on("requestfailed", (request) => pending.delete(request));
  page.on("pageerror", (error) => complaints.push(`${path}: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error" && !isExpected(path, message.text()))
      complaints.push(`${path}: ${message.text()}`);
  });
  await page.goto(path);
  await untilComplete();

  async function goTo(next: string): Promise<void> {
    path = next;
    // One address may not ask the console as often as all screens do.
    await page.context().setExtraHTTPHeaders(site.newAddress());
    await goToScreen(page, next);
    await untilComplete();
  }

  /** Waits until nothing is requested and no placeholder is shown, also after what arrived last was drawn. */
  async function untilComplete(): Promise<void> {
    do {
      await expect
        .poll(() => [...pending].map((request) => request.url()), { intervals: [10, 20] })
        .toEqual([]);
      await page.waitForFunction((selector) => document.querySelector(selector) === null, placeholders);
      await page.evaluate(
        () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))),
      );
    } while (pending.size > 0 || (await page.locator(placeholders).count()) > 0);
  }

  return { page, goTo, complaints };
}

/** A callback without a code is refused, as is a guest at a screen for members; browsers report every refusal. */
function isExpected(path: string, text: string): boolean {
  return /^\/(oauth\/|playground|device)/.test(path) && /status of 4\d\d/.test(text);
}
