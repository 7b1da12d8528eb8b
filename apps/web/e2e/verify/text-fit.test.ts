/**
 * The screens with the longest texts, in four languages, at 1440 and 360 px: no text is cut off, covers another
 * one or makes the page wider.
 */
import type { Page } from "@playwright/test";
import { expect, type Site, test } from "../support/test.ts";
import { startWalk } from "../support/walk.ts";

const languages = ["en-US", "zh-CN", "zh-HK", "ja-JP"];
const widths = [1440, 360];
const addresses = [
  "/panel/dashboard",
  "/panel/dashboard?view=usage",
  "/panel/analytics",
  "/panel/log",
  "/panel/channel",
  "/panel/channel/1",
  "/panel/channel?edit=new",
  "/panel/user/1",
  "/panel/token?edit=new",
  "/panel/pricing",
  "/panel/pricing?edit=new",
  "/panel/user_group?edit=new",
  "/panel/payment",
  "/panel/payment?tab=gateways&edit=new",
  "/panel/topup",
  "/panel/setting",
  "/panel/profile",
  "/panel/diagnostics",
  "/panel/help/billing",
  "/panel/connect",
  "/panel/parallel_run",
  "/panel/model_price",
];

let site: Site;
test.beforeAll(async ({ site: started }) => {
  site = started;
  const channel = { type: 900, groups: ["default"], models: ["demo-chat", "demo-chat-mini"] };
  await site.api("POST", "/channel", { ...channel, name: "Demo provider for the test of long texts" });
  const { key } = await site.api<{ key: string }>("POST", "/token", { name: "Continuous integration" });
  for (const model of ["demo-chat", "demo-chat-mini", "no-such-model"]) {
    const answer = await fetch(`${site.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model, messages: [{ role: "user", content: "Hello" }] }),
    });
    await answer.text();
  }
});

/**
 * Returns texts that are cut off without an ellipsis or a tooltip, that cover another text, or that end outside
 * of the page. What scrolls sideways is not cut off.
 */
function misfits(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    interface Piece {
      element: Element;
      text: string;
      box: DOMRect;
    }
    const found = new Set<string>();
    const spare = 1.5;
    const name = ({ text }: Piece) => `“${text.slice(0, 60)}”`;

    /** What is only read aloud is one pixel large. */
    const isShown = (element: Element) =>
      element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true }) &&
      element.closest("[aria-hidden=true], script, style, option, pre, code, textarea") === null;

    const pieces: Piece[] = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const element = node.parentElement;
      const text = node.textContent?.trim() ?? "";
      if (element === null || text === "" || !isShown(element)) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      for (const box of range.getClientRects())
        if (box.width > 2 && box.height > 2) pieces.push({ element, text, box });
    }

    /** Returns the visible part of a piece; undefined if it is scrolled away or only read aloud. */
    function shownPart(piece: Piece): DOMRect | undefined {
      const { element } = piece;
      let { left, top, right, bottom } = piece.box;
      let isScrolledAcross = false;
      let isScrolledDown = false;
      for (let at: Element | null = element; at !== null && at !== document.body; at = at.parentElement) {
        const style = getComputedStyle(at);
        if (style.position === "fixed") break;
        if (style.overflow === "visible") continue;
        const edge = at.getBoundingClientRect();
        if (edge.width <= 2 || edge.height <= 2) return undefined;
        const isClipped = /hidden|clip/.test(style.overflowX) && !isScrolledAcross;
        const isHinted = element.closest("[title], [translate=no]") !== null;
        if (isClipped && !isHinted && (right > edge.right + spare || left < edge.left - spare))
          found.add(`cut off: ${name(piece)}`);
        const isLow = bottom > edge.bottom + 4 && top < edge.bottom - 4;
        if (/hidden|clip/.test(style.overflowY) && !isScrolledDown && isLow)
          found.add(`cut off below: ${name(piece)}`);
        isScrolledAcross ||= /auto|scroll/.test(style.overflowX) && at.scrollWidth > at.clientWidth;
        isScrolledDown ||= /auto|scroll/.test(style.overflowY) && at.scrollHeight > at.clientHeight;
        left = Math.max(left, edge.left);
        right = Math.min(right, edge.right);
        top = Math.max(top, edge.top);
        bottom = Math.min(bottom, edge.bottom);
        if (right - left <= 2 || bottom - top <= 2) return undefined;
      }
      return new DOMRect(left, top, right - left, bottom - top);
    }
    const visible = pieces.flatMap((piece) => {
      const box = shownPart(piece);
      return box === undefined ? [] : { ...piece, box };
    });

    /** Layers over the page (drawers, sticky bars) cover it on purpose. */
    const layer = (element: Element): Element | null => {
      for (let at: Element | null = element; at !== null; at = at.parentElement)
        if (/sticky|fixed|absolute/.test(getComputedStyle(at).position)) return at;
      return null;
    };
    const inLayers = visible.map((piece) => ({ ...piece, layer: layer(piece.element) }));
    for (const [index, one] of inLayers.entries())
      for (const other of inLayers.slice(index + 1)) {
        if (one.layer !== other.layer || one.element === other.element) continue;
        const across = Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left);
        const down = Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top);
        // Line boxes of neighbouring lines touch.
        if (across > 2 && down > Math.min(one.box.height, other.box.height) / 2)
          found.add(`on top of each other: ${name(one)} and ${name(other)}`);
      }

    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth > clientWidth) found.add(`the page is ${scrollWidth} px wide`);
    return [...found];
  });
}

for (const locale of languages)
  test(`the longest texts in ${locale} fit their screens`, async () => {
    test.setTimeout(300_000);
    const { page, goTo } = await startWalk(await site.open("about:blank", { locale }), site);
    const found: string[] = [];
    for (const width of widths) {
      await page.setViewportSize({ width, height: 900 });
      for (const address of addresses) {
        await goTo(address);
        found.push(...(await misfits(page)).map((text) => `${address}, ${width} px: ${text}`));
        // Otherwise a drawer would stay open.
        if (address.includes("edit=")) await goTo("/panel/inbox");
      }
    }
    expect(found).toEqual([]);
  });

/** Fifty letters without a space, in scripts of different width and direction. */
const longNames = ["Wmmw", "渠道测试名称", "قناةاختبار"].map((part) => part.repeat(13).slice(0, 50));
const withNames = [
  "/panel/dashboard",
  "/panel/dashboard?view=usage",
  "/panel/analytics",
  "/panel/usage",
  "/panel/log",
  "/panel/session",
  "/panel/channel",
  "/panel/token",
  "/panel/token?view=all",
  "/panel/user",
  "/panel/user_group",
  "/panel/model_price",
  "/panel/model_price?view=list",
  "/panel/statement",
  "/status",
  "/",
];

async function addLongNames(): Promise<void> {
  for (const [place, name] of longNames.entries()) {
    const symbol = `${longNames[0]?.slice(1)}${place}`;
    await site.api("POST", "/user_group", {
      symbol,
      name,
      ratio: 1,
      api_rate: 600,
      min: 0,
      max: 0,
      public: true,
    });
    const model = `${name}-${place}`;
    const channel = { type: 900, groups: [symbol, "default"], models: [model], name, tag: name, priority: 7 };
    await site.api("POST", "/channel", channel);
    await site.api("POST", "/prices/single", { model, type: "tokens", channel_type: 1, input: 1, output: 3 });
    await site.api("POST", "/user", {
      username: `user-${place}`,
      display_name: name,
      password: "long enough",
      group: symbol,
    });
    const { key } = await site.api<{ key: string }>("POST", "/token", { name });
    const answer = await fetch(`${site.url}/v1/chat/completions`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        "x-session-id": `session-${place}`,
      },
      body: JSON.stringify({ model, messages: [{ role: "user", content: "Hello" }] }),
    });
    expect(answer.status).toBe(200);
    await answer.text();
  }
  await site.api("PUT", "/option/batch", { values: { StatusPageEnabled: true } });
}

test("names of 50 letters in three scripts fit, and push no column out of a list", async () => {
  test.setTimeout(300_000);
  await addLongNames();
  const { page, goTo } = await startWalk(await site.open("about:blank"), site);
  const found: string[] = [];
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 900 });
    for (const address of withNames) {
      await goTo(address);
      if (process.env["SHOTS"])
        await page.screenshot({
          path: `${process.env["SHOTS"]}/n${width}${address.replaceAll(/\W/g, "_")}.png`,
        });
      // Such names end in an ellipsis.
      const faults = (await misfits(page)).filter((text) => !text.startsWith("cut off"));
      found.push(...faults.map((text) => `${address}, ${width} px: ${text}`));
      if (width < 1440) continue;
      const wider = await page
        .locator("[data-list] [data-wider]")
        .evaluateAll((lists) => lists.map((list) => list.scrollWidth - list.clientWidth));
      for (const pixels of wider) found.push(`${address}: a list is ${pixels} px too wide`);
    }
  }
  expect(found).toEqual([]);
});
