/** How soon the console reacts: to a click in the menu, and to input on a long list. */
import type { Page } from "@playwright/test";

export interface Reaction {
  /** Milliseconds until the reaction is drawn. */
  ms: number;
  /** CPU time of the page's main thread in milliseconds. Other programs on the machine hardly change it. */
  cpuMs: number;
}

export type Meter = () => Promise<number>;

/** Returns a function that reads the CPU time of the page's main thread, in milliseconds. */
export async function cpuMeter(page: Page): Promise<Meter> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  return async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    const seconds = metrics.find(({ name }) => name === "ThreadTime")?.value;
    if (seconds === undefined) throw new Error("This browser does not report the CPU time of a thread.");
    return seconds * 1_000;
  };
}

const menu = (page: Page) => page.getByRole("navigation", { name: "Console" });

/** Names of the entries of the menu. */
export async function menuLinks(page: Page): Promise<string[]> {
  await menu(page).getByRole("link").first().waitFor();
  const closed = menu(page).getByRole("button", { expanded: false });
  // Each click opens a part of the menu, which then does not match any more.
  while ((await closed.count()) > 0) await closed.first().click();
  return (await menu(page).getByRole("link").allTextContents()).map((name) => name.trim());
}

/** Waits until no more code arrives ahead of time. */
export async function loadedAhead(page: Page): Promise<void> {
  for (let before = -1, now = 0; before !== now;) {
    before = now;
    await page.waitForTimeout(1_500);
    now = await page.evaluate(() => performance.getEntriesByType("resource").length);
  }
}

const GIVEN_UP_MS = 15_000;

/**
 * From a click in the menu until the screen shows its content instead of placeholders.
 * @throws with the placeholder that stayed
 */
export async function contentOf(page: Page, meter: Meter, name: string): Promise<Reaction> {
  const link = menu(page).getByRole("link", { name, exact: true });
  await link.hover();
  await page.evaluate((givenUp) => {
    const shown = new Promise<number>((resolve, reject) => {
      document.addEventListener(
        "click",
        ({ timeStamp }) => {
          const before = document.querySelector("main h1")?.textContent;
          const look = () => {
            const title = document.querySelector("main h1")?.textContent;
            const place = document.querySelector(
              "[data-page-loading], main [aria-busy=true], main .mantine-Skeleton-root[data-visible]",
            );
            const ms = performance.now() - timeStamp;
            // The frame is drawn after this callback.
            if (title !== undefined && title !== before && !place)
              setTimeout(() => resolve(performance.now() - timeStamp));
            else if (ms > givenUp) reject(new Error(`still waiting: ${place?.outerHTML.slice(0, 200)}`));
            else requestAnimationFrame(look);
          };
          requestAnimationFrame(look);
        },
        { once: true, capture: true },
      );
    });
    shown.catch(() => {});
    Object.assign(window, { shown });
  }, GIVEN_UP_MS);
  const before = await meter();
  await link.click();
  const ms = await page.evaluate(() => (window as unknown as { shown: Promise<number> }).shown);
  return { ms, cpuMs: (await meter()) - before };
}

/** A place on the page. Found before the time runs: looking for roles in a thousand rows takes long. */
type Place = { x: number; y: number };

/** Returns the middle of the first visible element of a selector, with this text if one is given. */
function placeOf(page: Page, selector: string, text?: string): Promise<Place | undefined> {
  return page.evaluate(
    ([selector, text]) => {
      for (const element of document.querySelectorAll<HTMLElement>(selector)) {
        if (!element.checkVisibility() || (text !== null && element.innerText.trim() !== text)) continue;
        element.scrollIntoView({ block: "center", behavior: "instant" });
        const { x, y, width, height } = element.getBoundingClientRect();
        return { x: x + width / 2, y: y + height / 2 };
      }
      return undefined;
    },
    [selector, text ?? null] as const,
  );
}

type Act = (page: Page) => Promise<(() => Promise<void>) | undefined>;

const clickOn =
  (selector: string, text?: string): Act =>
  async (page) => {
    const place = await placeOf(page, selector, text);
    return place && (() => page.mouse.click(place.x, place.y));
  };
const press =
  (key: string): Act =>
  async (page) =>
  () =>
    page.keyboard.press(key);

/** What a reader does on a list. Steps whose control the list lacks are left out. */
const steps: { name: string; act: Act }[] = [
  { name: "select a row", act: clickOn("tbody tr:nth-of-type(3) td:first-child input[type=checkbox]") },
  { name: "clear the selection", act: clickOn("[data-list] button", "Clear selection") },
  { name: "to the next row", act: press("j") },
  { name: "open a row", act: clickOn("tbody tr[data-open]:nth-of-type(2) td:nth-child(3)") },
  { name: "close it", act: press("Escape") },
  { name: "open the columns", act: clickOn("[data-list] button[aria-label=Display]") },
  { name: "close the columns", act: press("Escape") },
  {
    name: "to the search box",
    act: clickOn("[data-list] :is(input[type=search], input:not([type]), input[type=text])"),
  },
  ...["s", "e", "e", "d"].map((key) => ({ name: `type ${key}`, act: press(key) })),
];

export type Step = Reaction & { name: string };

/** Uses a list and returns the reaction to each step. */
export async function reactionsOf(page: Page, meter: Meter): Promise<Step[]> {
  await page.evaluate(() => {
    const slowest = { ms: 0 };
    Object.assign(window, { slowest });
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) slowest.ms = Math.max(slowest.ms, duration);
    }).observe({ type: "event", durationThreshold: 16 } as PerformanceObserverInit);
  });
  const found: Step[] = [];
  for (const { name, act } of steps) {
    const run = await act(page);
    if (run) found.push({ name, ...(await reactionTo(page, meter, run)) });
  }
  return found;
}

async function reactionTo(page: Page, meter: Meter, run: () => Promise<void>): Promise<Reaction> {
  await drawn(page);
  await page.evaluate(() => ((window as unknown as { slowest: { ms: number } }).slowest.ms = 0));
  const before = await meter();
  await run();
  await drawn(page);
  const cpuMs = (await meter()) - before;
  // The browser reports the duration of an event some time after the frame.
  await page.waitForTimeout(300);
  const ms = await page.evaluate(() => (window as unknown as { slowest: { ms: number } }).slowest.ms);
  return { ms, cpuMs };
}

/** Waits for two frames. */
function drawn(page: Page): Promise<void> {
  return page.evaluate(
    () => new Promise<void>((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve()))),
  );
}
