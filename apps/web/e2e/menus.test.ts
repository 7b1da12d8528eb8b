/** Every menu, popover and list of choices of the console, open, as axe sees it. A new one is covered without a word here. */
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { screens } from "../src/app/screens.ts";
import { faultsWithLayer, layer } from "./faults.ts";
import { furnishedSite } from "./furnished-site.ts";
import type { Site } from "./site.ts";
import { startWalk } from "./walk.ts";

let site: Site;
beforeAll(async () => {
  site = await furnishedSite();
});
afterAll(() => site.close());

/** Screens and forms with controls that the screens of the menu do not have. */
const more = [
  "channel?view=tags",
  "channel?edit=1",
  "channel/1",
  "user/2",
  "token?view=all",
  "token?edit=new",
  "model_price/demo-chat",
  "payment?tab=gateways",
  "setting?tab=system",
];
const paths = [...screens.map(({ id }) => id), ...more];
/** Lists that are cards on a phone, with filters in a sheet. */
const onPhones = [
  "dashboard",
  "log",
  "user",
  "token",
  "channel",
  "channel?view=tags",
  "model_price",
  "setting",
];
/** The frame has the same menus around each screen. */
const inFrame = new Set<string>();

/** Marks one control of each kind that opens something, and returns their names by mark. Rows have the same ones. */
function openersOf(page: Page): Promise<Record<string, string>> {
  return page.evaluate(() => {
    const found: Record<string, string> = {};
    const seen = new Set<string>();
    const reachable = document.querySelector("[role=dialog]") ?? document;
    for (const [index, element] of reachable.querySelectorAll("[aria-haspopup]").entries()) {
      const row = element.closest("tbody tr, li");
      const place = row === null ? index : [...row.querySelectorAll("*")].indexOf(element);
      // All selects are the same component.
      const kind = element.matches("input") ? "select" : `${row?.tagName} ${place}`;
      if (seen.has(kind) || !element.checkVisibility() || element.matches(":disabled")) continue;
      seen.add(kind);
      element.setAttribute("data-examined", `${index}`);
      const name = element.getAttribute("aria-label") ?? element.textContent;
      found[index] = `${element.closest("header") ? "header: " : ""}${name}`;
    }
    return found;
  });
}

/** Returns how many menus, lists and panels are open beside their buttons. */
const openLayers = (page: Page) =>
  page.evaluate(
    (layers) => [...document.querySelectorAll(layers)].filter((one) => one.checkVisibility()).length,
    layer,
  );

/** Presses Escape once the open layer has the focus. */
async function closeLayer(page: Page): Promise<number> {
  await page.keyboard.press("Escape");
  return openLayers(page);
}

it.each([{ phone: false }, { phone: true }])(
  "can be used by everybody (phone: $phone)",
  { timeout: 400_000 },
  async ({ phone }) => {
    inFrame.clear();
    const { page, goTo, complaints } = await startWalk(site, { phone });
    for (const path of phone ? onPhones : paths) {
      await goTo(`/panel/${path}`);
      for (const [mark, name] of Object.entries(await openersOf(page))) {
        if (inFrame.has(name)) continue;
        if (name.startsWith("header: ")) inFrame.add(name);
        await page.locator(`[data-examined="${mark}"]`).click();
        await expect.poll(() => openLayers(page), { message: `${path}: ${name}` }).toBe(1);
        complaints.push(...(await faultsWithLayer(page)).map((fault) => `${path}, ${name}: ${fault}`));
        await expect.poll(() => closeLayer(page), { message: `${path}: ${name}` }).toBe(0);
      }
    }
    expect(complaints).toEqual([]);
  },
);
