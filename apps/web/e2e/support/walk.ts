/** Visits many screens in one window. */
import type { Page, Request } from "playwright-core";
import type { WindowOptions } from "./installation.ts";
import type { Site } from "./site.ts";

export interface Walk {
  page: Page;
  /** Goes to another page of ours as a link would, and waits until it stands still. */
  goTo: (path: string) => Promise<void>;
  /** What the browser said in anger, and requests to anyone else. */
  complaints: string[];
}

let addresses = 0;

/** Opens a window on an address without a screen; `goTo` loads no page anew. */
export async function startWalk(site: Site, options: WindowOptions): Promise<Walk> {
  const page = await site.open("/404", options);
  const complaints: string[] = [];
  let path = "/404";
  let inProgress = 0;
  // What keeps a screen current stays open.
  const ends = (request: Request) => request.resourceType() !== "eventsource";
  page.on("request", (request) => {
    if (ends(request)) inProgress += 1;
    if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(site.url))
      complaints.push(`${path}: asks ${request.url()}`);
  });
  page.on("requestfinished", (request) => (inProgress -= ends(request) ? 1 : 0));
  page.on("requestfailed", (request) => (inProgress -= ends(request) ? 1 : 0));
  page.on("pageerror", (error) => complaints.push(`${path}: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error" && !isExpected(path, message.text()))
      complaints.push(`${path}: ${message.text()}`);
  });
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.waitForLoadState("networkidle");
  inProgress = 0;

  async function goTo(next: string): Promise<void> {
    path = next;
    addresses += 1;
    await page.context().setExtraHTTPHeaders({ "x-forwarded-for": `10.9.0.${addresses % 250}` });
    await page.evaluate((to) => {
      history.pushState(null, "", to);
      dispatchEvent(new PopStateEvent("popstate", { state: null }));
    }, next);
    for (let round = 0, quiet = 0; round < 200 && quiet < 3; round += 1) {
      await page.waitForTimeout(30);
      quiet = inProgress === 0 && (await page.locator(waiting).count()) === 0 ? quiet + 1 : 0;
    }
  }
  return { page, goTo, complaints };
}

/** What stands for something that is still on its way. */
const waiting = ".mantine-Skeleton-root[data-visible], .mantine-Loader-root, .boot, [data-page-loading]";

/** A callback without a code is refused, as is a guest at a screen for members; browsers write down every refusal. */
function isExpected(path: string, text: string): boolean {
  return /^\/(oauth\/|playground)/.test(path) && /status of 4\d\d/.test(text);
}
