/**
 * Opens every menu, popover and list of options of every screen and examines it with axe. They are found by
 * `aria-haspopup`, so that a new one is covered without a word here. Rows of a list have the same ones: the first counts.
 */
import type { Locator, Page } from "@playwright/test";
import { faintTextsInTheDark, faultsWithLayer, layer, layerFaults } from "../support/faults.ts";
import { furnish } from "../support/furnish.ts";
import { screenIds } from "../support/screens/screen-list.ts";
import { expect, type Site, test } from "../support/test.ts";
import { startWalk } from "../support/walk.ts";

let site: Site;
test.beforeAll(async ({ site: started }) => {
  site = started;
  await furnish(site);
});

/** Forms with lists of options. */
const forms = [
  "channel?edit=new",
  "token?edit=new",
  "user?edit=new",
  "user_group?edit=new",
  "pricing?edit=new",
  "model_info?edit=new",
  "redemption?edit=new",
  "payment?tab=gateways&edit=new",
  "telegram?edit=new",
];
const paths = [...screenIds, "analytics?tab=statements", "channel?view=tags", ...forms].map(
  (path) => `/panel/${path}`,
);

/** The frame is the same on every screen. */
const [framed] = paths;

const devices = [
  { device: "desktop", phone: false, least: 60 },
  { device: "phone", phone: true, least: 40 },
] as const;

/** Opens everything on every screen. Returns what axe finds, and how many layers there were. */
async function examineAll(phone: boolean): Promise<{ found: string[]; layers: number }> {
  const { page, goTo, complaints: found } = await startWalk(await site.open("about:blank", { phone }), site);
  // What a layer means for the page around it depends on its kind, and its colours on its content, which its name tells.
  const kinds = new Set<string>();
  let layers = 0;
  for (const path of paths) {
    await goTo(path);
    const within = path.includes("edit=") ? "[role=dialog]" : path === framed ? "body" : "main";
    for (const { at, name, kind, isField } of await placesOf(page, within)) {
      const opened = await open(page, page.locator(`${within} [aria-haspopup]`).nth(at), isField);
      if (opened === "nothing" && !isField) found.push(`${path}, ${name}: opens nothing`);
      if (opened === "nothing") continue;
      if (opened === "layer") {
        layers += 1;
        const faults = await (kinds.has(kind) ? layerFaults(page) : faultsWithLayer(page));
        if (!kinds.has(name))
          faults.push(...(await faintTextsInTheDark(page)).map((fault) => `dark: ${fault}`));
        kinds.add(kind).add(name);
        found.push(...faults.map((fault) => `${path}, ${name}: ${fault}`));
      }
      if (!(await close(page))) await goTo(path);
    }
  }
  return { found, layers };
}

for (const { device, phone, least } of devices)
  test(`every open menu, panel and list is accessible on a ${device}`, async () => {
    test.setTimeout(900_000);
    const { found, layers } = await examineAll(phone);
    expect(found).toEqual([]);
    expect(layers).toBeGreaterThanOrEqual(least);
  });

type Place = {
  at: number;
  name: string;
  /** The value of `aria-haspopup`. */
  kind: string;
  /** A field without suggestions opens no list. */
  isField: boolean;
};

/** What opens something, each kind once: its position among all, and its name. */
function placesOf(page: Page, within: string): Promise<Place[]> {
  return page.evaluate((selector) => {
    const names = new Set<string>();
    const found: Place[] = [];
    [...document.querySelectorAll<HTMLElement>(`${selector} [aria-haspopup]`)].forEach((element, at) => {
      const name = element.getAttribute("aria-label") ?? element.innerText;
      const label = name || (element as HTMLInputElement).placeholder || element.id;
      const isLater = element.closest("tbody tr:not(:first-of-type), [data-list] li:not(:first-of-type)");
      const isUsable = element.checkVisibility() && !element.matches(":disabled");
      if (!isUsable || isLater || names.has(label)) return;
      names.add(label);
      const kind = element.getAttribute("aria-haspopup") ?? "";
      found.push({ at, name: label, kind, isField: element.matches("input") });
    });
    return found;
  }, within);
}

/** Returns what has opened. Dialogs have tests of their own. A field without suggestions is not waited for long. */
async function open(page: Page, button: Locator, isField: boolean): Promise<"layer" | "dialog" | "nothing"> {
  const dialogs = await page.locator("[role=dialog][aria-modal=true]").count();
  await button.click();
  const opened = page.locator(layer).filter({ visible: true }).first();
  const dialog = page.locator("[role=dialog][aria-modal=true]").nth(dialogs);
  const appeared = await opened
    .or(dialog)
    .first()
    .waitFor({ timeout: isField ? 1_000 : 3_000 })
    .then(
      () => true,
      () => false,
    );
  if (!appeared) return "nothing";
  return (await dialog.count()) === 0 ? "layer" : "dialog";
}

/** Returns whether the page is as before. */
async function close(page: Page): Promise<boolean> {
  const { length } = new URL(page.url()).search;
  await page.keyboard.press("Escape");
  const opened = page.locator(layer).filter({ visible: true });
  const closed = await opened
    .first()
    .waitFor({ state: "hidden", timeout: 2_000 })
    .then(
      () => true,
      () => false,
    );
  return closed && new URL(page.url()).search.length === length;
}
