/** What holds for all screens at once. A new screen or public page is covered without a word here. */
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { screens } from "../src/app/screens.ts";
import { faults } from "./support/faults.ts";
import { openSite, type Site } from "./support/site.ts";
import { startWalk } from "./support/walk.ts";
import { isWhole } from "./support/whole.ts";

const router = readFileSync(new URL("../src/app/router.tsx", import.meta.url), "utf8");
const consolePages = [...screens.map((screen) => `/panel/${screen.id}`), "/panel/nowhere"];
/** Ids of the objects that have a page of their own, by screen; `furnish` adds those that the server chooses. */
const objects = new Map([
  ["channel", "1"],
  ["user", "1"],
  ["token", "1"],
  ["model_price", "demo-chat"],
  ["help", "billing"],
  ["session", "session-1"],
]);
/** Forms, drawers and dialogs that have an address. */
const dialogs = [
  "channel?edit=new",
  "channel?edit=1",
  "channel?timeline=1",
  "channel?bulk=tag:demo",
  "channel?file=import",
  "channel?file=export",
  "channel?ask=test",
  "channel?remove=model",
  "channel?disable=model",
  "channel?rotate=1",
  "channel?changes=all",
  "channel/1?edit=1",
  "user?edit=new",
  "user?user=1",
  "user?balance=2",
  "user?budget=2",
  "user?promote=2",
  "user?customer=new",
  "user?budget=user",
  "user/2?edit=2",
  "user/2?balance=2",
  "user_group?edit=new",
  "user_group?edit=1",
  "user_group?budget=1",
  "user_group?prices=1",
  "token?edit=new",
  "token?edit=1",
  "token?view=all&edit=new",
  "token?view=all&budget=1",
  "pricing?edit=new",
  "pricing?edit=demo-chat-mini",
  "pricing?update=list",
  "pricing?disable=demo-chat",
  "model_price/demo-chat?disable=demo-chat",
  "model_info?edit=new",
  "model_info?import=list",
  "model_ownedby?edit=new",
  "telegram?edit=new",
  "redemption?edit=new",
  "payment?tab=gateways&edit=new",
  "audit?entry=1",
].map((path) => `/panel/${path}`);
/** The public pages as the router names them, with an example in the place of a parameter. */
const publicPages = [...router.matchAll(/\bpath: "([^"*]+)"/g)]
  .map(([, path]) => `/${path}`.replace("/:provider", "/github").replace("/:id", "/models/demo-chat"))
  .filter((path) => path !== "/panel")
  .concat("/", "/help/billing");

/**
 * Each language once, each device and each colour scheme once with axe. Not every combination: markup does not depend
 * on colours nor colours on width. A text that is translated into Chinese is translated into all languages, so the last
 * two are part of the long run only.
 */
const allRounds = [
  { language: "en_US", locale: "en-US", phone: false, dark: false, axe: true },
  { language: "zh_CN", locale: "zh-CN", phone: true, dark: true, axe: true },
  { language: "zh_HK", locale: "zh-HK", phone: false, dark: true, axe: false },
  { language: "ja_JP", locale: "ja-JP", phone: true, dark: false, axe: false },
] as const;
type Round = (typeof allRounds)[number];
const rounds = isWhole ? allRounds : allRounds.slice(0, 2);

let site: Site;
beforeAll(async () => {
  // The test comes from many addresses: one address may not ask the console as often as all screens do.
  site = await openSite();
  await furnish();
});
afterAll(() => site.close());

/** Something on every list, so that not only empty states are looked at. */
async function furnish(): Promise<void> {
  const channel = { type: 900, groups: ["default"], models: ["demo-chat", "demo-chat-mini"] };
  await site.api("POST", "/channel", { ...channel, name: "demo", tag: "demo" });
  await site.api("POST", "/prices/single", {
    model: "demo-chat-mini",
    type: "times",
    channel_type: 1,
    input: 500,
    output: 0,
  });
  // Amounts of very different sizes in the same columns.
  for (const [quota, name] of [
    [500_000, "demo1"],
    [3_950, "demo2"],
  ] as const) {
    await site.api("POST", "/redemption", { name: "gift", quota, count: 2 });
    await site.api("POST", "/user", { username: name, password: "long enough", quota });
  }
  const { key } = await site.api<{ key: string }>("POST", "/token", { name: "first" });
  const ask = (model: string) =>
    fetch(`${site.url}/v1/chat/completions`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        "x-session-id": "session-1",
      },
      body: JSON.stringify({ model, messages: [{ role: "user", content: "Hello" }] }),
    }).then((answer) => answer.text());
  await Promise.all([ask("demo-chat"), ask("demo-chat-mini"), ask("no-such-model")]);
  const { data } = await site.api<{ data: { request_id: string }[] }>("GET", "/log?type=2&size=1");
  objects.set("log", data[0]?.request_id ?? "");
  for (const { id, loadOne } of screens) {
    const object = objects.get(id);
    if (loadOne !== undefined && object === undefined)
      throw new Error(`There is no object for /panel/${id}/:id.`);
    if (loadOne !== undefined) consolePages.push(`/panel/${id}/${object}`);
  }
  await site.api("PUT", "/option/batch", { values: { StatusPageEnabled: true } });
}

/** Every text a reader meets, without code, names and what people typed. */
function texts(page: Page): Promise<string[]> {
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

type Messages = Record<string, string>;
const messagesOf = (language: string): Messages =>
  JSON.parse(readFileSync(new URL(`../src/locales/${language}.json`, import.meta.url), "utf8")) as Messages;
const english = messagesOf("en_US");

/** Two plain words in a row, the second in small letters: a sentence, not the name of a thing. */
const englishText = /[A-Za-z]{2,} [a-z]{2,}/;
const chineseOrJapanese = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
/** What the installation holds is no one's to translate, and a language calls itself by its own name. */
const names =
  /^(default|demo|first|gift|root|简体中文|繁體中文|日本語|Returns example text immediately|The model "no-such)(?!\p{L})/iu;

/** Tells a text that someone forgot to translate into this language. */
function untranslatedIn(language: string): (text: string) => boolean {
  if (language === "en_US") return (text) => chineseOrJapanese.test(text) && !names.test(text);
  const labels = messagesOf(language);
  const kept = new Set(Object.values(labels));
  const foreign = new Set(Object.values(english).filter((text) => !kept.has(text)));
  return (text) =>
    !names.test(text) &&
    (foreign.has(text) || (englishText.test(text) && !chineseOrJapanese.test(text) && !kept.has(text)));
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

/** Rows of lists on a phone that are higher than two lines. */
function highRows(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>("[data-list] > ul > li")]
      .filter((row) => row.offsetHeight > 110)
      .map((row) => `${row.offsetHeight} px high: ${row.innerText.slice(0, 40)}`),
  );
}

/** Fields with their help above the input, where it moves the input away from its neighbours. Editors of several rows are exempt. */
function helpAbove(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>(".mantine-InputWrapper-description")]
      .filter((help) => help.parentElement?.querySelector(":scope > label"))
      .filter((help) => help.nextElementSibling?.matches(":not(.mantine-InputWrapper-error)"))
      .map((help) => `help above its input: ${help.innerText.slice(0, 40)}`),
  );
}

/** A dialog starts with its first field or button, not with the link to Help in its header or the removal of an entry. */
function focusOnHelp(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const wrong = "[role=dialog] :is(a[href*='/panel/help'], .mantine-Pill-remove)";
    const focused = document.activeElement?.closest(wrong);
    return focused ? [`focus on ${focused.outerHTML.slice(0, 120)}`] : [];
  });
}

/** Prices per token are shown to the last digit: they are not sums. */
const listsPrices = /^\/(panel\/)?(pricing|model_price|models|price)/;

/**
 * Columns with amounts whose rows have different numbers of decimals, are not aligned at the right, or whose
 * digits have different widths.
 */
function unevenAmounts(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found: string[] = [];
    for (const table of document.querySelectorAll("table")) {
      const columns = new Map<number, Set<number>>();
      for (const cell of table.querySelectorAll<HTMLTableCellElement>("tbody td")) {
        const amounts = cell.innerText.match(/\$[\d,]+\.\d+/g);
        if (!amounts) continue;
        const decimals = columns.get(cell.cellIndex) ?? new Set();
        for (const amount of amounts) decimals.add(amount.split(".")[1]?.length ?? 0);
        columns.set(cell.cellIndex, decimals);
        const holder = cell.querySelector("[title]") ?? cell;
        const style = getComputedStyle(cell);
        if (!["right", "end"].includes(style.textAlign)) found.push(`not at the right: ${cell.innerText}`);
        if (!getComputedStyle(holder).fontVariantNumeric.includes("tabular-nums"))
          found.push(`digits of different widths: ${cell.innerText}`);
      }
      for (const [index, decimals] of columns)
        if (decimals.size > 1) found.push(`decimals in column ${index}: ${[...decimals].join(", ")}`);
    }
    return found;
  });
}

async function examine(paths: string[], guest: boolean, round: Round): Promise<string[]> {
  const { page, goTo, complaints } = await startWalk(site, { ...round, guest });
  const untranslated = untranslatedIn(round.language);
  for (const path of paths) {
    await goTo(path);
    if (round.axe) complaints.push(...(await faults(page)).map((what) => `${path}: ${what}`));
    if (round.axe) complaints.push(...(await smallTexts(page)).map((what) => `${path}: ${what}`));
    if (round.phone) complaints.push(...(await highRows(page)).map((what) => `${path}: ${what}`));
    complaints.push(...(await focusOnHelp(page)).map((what) => `${path}: ${what}`));
    complaints.push(...(await helpAbove(page)).map((what) => `${path}: ${what}`));
    if (!listsPrices.test(path))
      complaints.push(...(await unevenAmounts(page)).map((what) => `${path}: ${what}`));
    const forgotten = (await texts(page)).filter(untranslated);
    complaints.push(...forgotten.map((text) => `${path}: not translated: ${text}`));
  }
  await expect.poll(() => page.locator("html").getAttribute("lang")).toBe(round.locale);
  await page.context().close();
  return complaints;
}

/** Some thirty screens, each looked at by axe. */
const roundMs = 240_000;

describe.each(rounds)(
  "every screen ($language, phone: $phone, dark: $dark)",
  { timeout: roundMs },
  (round) => {
    const promise = round.axe ? "can be used by everybody, speaks" : "speaks";

    it(`of the console ${promise} the language throughout and asks no one else for anything`, async () => {
      expect(await examine(consolePages, false, round)).toEqual([]);
    });

    it(`with a form or dialog ${promise} the language throughout and asks no one else for anything`, async () => {
      expect(await examine(dialogs, false, round)).toEqual([]);
    });

    it(`of the public site ${promise} the language throughout and asks no one else for anything`, async () => {
      expect(await examine(publicPages, true, round)).toEqual([]);
    });
  },
);
