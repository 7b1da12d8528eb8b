/** What holds for every screen. */
import { expect, type Page } from "@playwright/test";
import { messagesOf } from "../../../src/lib/locale-files.ts";
import { faults } from "../faults.ts";
import type { Walk } from "../walk.ts";

export interface Checks {
  language: "en_US" | "zh_CN" | "zh_HK" | "ja_JP";
  /** Whether axe examines the screens. */
  axe: boolean;
  /** Returns what else is wrong with the screen. */
  further?: () => Promise<string[]>;
}

/** Visits pages and returns what is wrong with each, including what the browser complained of. */
export async function examine(
  walk: Walk,
  paths: string[],
  { language, axe, further = async () => [] }: Checks,
): Promise<string[]> {
  const { page, goTo, complaints } = walk;
  const isUntranslated = untranslatedIn(language);
  for (const path of paths) {
    await goTo(path);
    const untranslated = (await textsOf(page)).filter(isUntranslated);
    const found = [
      ...(path.endsWith("/nowhere") ? [] : await unknownAddress(page)),
      ...untranslated.map((text) => `not translated: ${text}`),
      ...(await overflows(page)),
      ...(await smallTexts(page)),
      ...(await focusOnHelp(page)),
      ...(await further()),
      ...(axe ? await faults(page, await partToExamine(page)) : []),
    ];
    complaints.push(...found.map((what) => `${path}: ${what}`));
  }
  await expect(page.locator("html")).toHaveAttribute("lang", language.replace("_", "-"));
  return complaints;
}

/** The screen behind a dialog is examined separately. */
async function partToExamine(page: Page): Promise<string> {
  const dialog = "[role=dialog]";
  return (await page.locator(dialog).count()) > 0 ? dialog : "html";
}

/** The page of an address without a screen. */
async function unknownAddress(page: Page): Promise<string[]> {
  const failure = page.getByRole("heading", { level: 1, name: "Unexpected Application Error!" });
  return (await failure.count()) === 0 ? [] : ["this address has no screen"];
}

/** Every text a reader meets, without code, names and what people typed. */
function textsOf(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const outside =
      "code, pre, kbd, samp, script, style, noscript, textarea, [translate=no], [lang]:not(html)";
    const found = new Set<string>();
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (node.parentElement?.closest(outside)) continue;
      found.add(node.textContent?.trim() ?? "");
    }
    for (const element of document.querySelectorAll("[aria-label], [placeholder], [title]")) {
      if (element.closest(outside)) continue;
      for (const name of ["aria-label", "placeholder", "title"])
        found.add(element.getAttribute(name)?.trim() ?? "");
    }
    found.delete("");
    return [...found];
  });
}

/** Two plain words in a row, the second in small letters: a sentence, not the name of a thing. */
const englishText = /[A-Za-z]{2,} [a-z]{2,}/;
const chineseOrJapanese = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
/** What the installation holds is not translated, and each language has its own name in that language. */
const names =
  /^(default|demo|first|gift|root|简体中文|繁體中文|日本語|Returns example text immediately|The model "no-such|The server had an error)(?!\p{L})/iu;

/** Returns a function that tells a text that someone forgot to translate into this language. */
function untranslatedIn(language: string): (text: string) => boolean {
  if (language === "en_US") return (text) => chineseOrJapanese.test(text) && !names.test(text);
  const own = new Set(Object.values(messagesOf(language)));
  const foreign = new Set(Object.values(messagesOf("en_US")).filter((text) => !own.has(text)));
  return (text) =>
    !names.test(text) &&
    (foreign.has(text) || (englishText.test(text) && !chineseOrJapanese.test(text) && !own.has(text)));
}

/** What makes the page wider than the window, or ends outside of it without a part around it that scrolls. */
function overflows(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found: string[] = [];
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth > clientWidth) found.push(`the page is ${scrollWidth} px wide in ${clientWidth} px`);

    /** Its own overflow hides or scrolls what ends outside of it. */
    const contains = (element: Element) => getComputedStyle(element).overflowX !== "visible";
    const sticksOut = (element: Element) => {
      const { left, right, width, height } = element.getBoundingClientRect();
      return width > 2 && height > 2 && (left < -1 || right > clientWidth + 1);
    };
    for (const element of document.body.querySelectorAll("*")) {
      if (!sticksOut(element) || !element.checkVisibility({ opacityProperty: true })) continue;
      let around = element.parentElement;
      while (around !== null && around !== document.body && !contains(around)) around = around.parentElement;
      if (around !== null && around !== document.body) continue;
      const { left, right } = element.getBoundingClientRect();
      found.push(`from ${Math.round(left)} to ${Math.round(right)} px: ${element.outerHTML.slice(0, 120)}`);
    }
    return found;
  });
}

/** Visible texts below 12 px, with the class that makes them so. */
function smallTexts(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found = new Set<string>();
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const element = node.parentElement;
      if (!element || node.textContent?.trim() === "" || !element.checkVisibility()) continue;
      const size = Number.parseFloat(getComputedStyle(element).fontSize);
      if (size < 12) found.add(`${size} px: ${node.textContent?.trim().slice(0, 40)} (${element.className})`);
    }
    return [...found];
  });
}

/** A dialog starts with its first field or button, not with the link to Help in its header or the removal of an entry. */
function focusOnHelp(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const wrong = "[role=dialog] :is(a[href*='/panel/help'], .mantine-Pill-remove)";
    const focused = document.activeElement?.closest(wrong);
    return focused ? [`focus on ${focused.outerHTML.slice(0, 120)}`] : [];
  });
}
