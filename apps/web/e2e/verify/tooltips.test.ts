/**
 * Opens every tooltip of every screen with the keyboard and examines it with axe. Its target is marked by the tooltip, so
 * that a new one is covered without a word here. Rows of a list have the same ones: the first counts.
 */
import type { Locator, Page } from "@playwright/test";
import { faintTextsInTheDark, tooltip, tooltipFaults } from "../support/faults.ts";
import { furnish } from "../support/furnish.ts";
import { screenIds } from "../support/screens/screen-list.ts";
import { expect, type Site, test } from "../support/test.ts";
import { startWalk } from "../support/walk.ts";

let site: Site;
const objects: string[] = [];
test.beforeAll(async ({ site: started }) => {
  site = started;
  await furnish(site);
  const tagged = { type: 900, groups: ["default"], models: ["demo-chat"], tag: "demo" };
  await site.api("POST", "/channel", { ...tagged, name: "second", priority: 5 });
  const { id: user } = await site.api<{ id: number }>("GET", "/user/self");
  await site.api("PUT", `/user/${user}/budget`, { budget: { daily_spend: 1_000_000 } });
  const [channel] = (await site.api<{ data: { id: number }[] }>("GET", "/channel")).data;
  objects.push(`/panel/channel/${channel?.id}`, `/panel/channel?edit=${channel?.id}`);
});

const more = ["dashboard?view=usage", "channel?view=tags", "pricing?tab=multiple", "payment?tab=gateways"];
const paths = () => [...[...screenIds, ...more].map((path) => `/panel/${path}`), ...objects];

const devices = [
  { device: "desktop", phone: false, least: 35 },
  { device: "phone", phone: true, least: 35 },
] as const;

/** Returns what is wrong with the tooltips of all screens, and how many there were. */
async function examineAll(phone: boolean): Promise<{ found: string[]; count: number }> {
  const { page, goTo, complaints: found } = await startWalk(await site.open("about:blank", { phone }), site);
  const known = new Set<string>();
  const kinds = new Set<string>();
  let count = 0;
  for (const path of paths()) {
    await goTo(path);
    for (const { at, name } of await targetsOf(page, path.includes("edit=") ? "[role=dialog]" : "body")) {
      if (known.has(name)) continue;
      known.add(name);
      count += 1;
      const faults = await faultsOf(page, at, kinds);
      found.push(...faults.map((fault) => `${path}, ${name}: ${fault}`));
    }
    const [first] = await targetsOf(page, path.includes("edit=") ? "[role=dialog]" : "main");
    if (!phone && first)
      found.push(...(await hoverFaults(page, first.at)).map((fault) => `${path}, ${first.name}: ${fault}`));
  }
  return { found, count };
}

for (const { device, phone, least } of devices)
  test(`every tooltip is accessible on a ${device}`, async () => {
    test.setTimeout(600_000);
    const { found, count } = await examineAll(phone);
    expect(found).toEqual([]);
    expect(count).toBeGreaterThanOrEqual(least);
  });

const target = ".has-tooltip:not([role=tooltip])";

type Target = { at: number; name: string };

/** What has a tooltip: its position among all, and its name. */
function targetsOf(page: Page, within: string): Promise<Target[]> {
  return page.evaluate(
    ([selector = "", part = ""]) =>
      [...document.querySelectorAll<HTMLElement>(selector)].flatMap((element, at) => {
        const isLater = element.closest("tbody tr:not(:first-of-type), [data-list] li:not(:first-of-type)");
        if (!element.closest(part) || isLater || !element.checkVisibility() || element.matches(":disabled"))
          return [];
        const named = [element, ...element.querySelectorAll("[aria-label]")];
        const label = named.map((one) => one.getAttribute("aria-label")).find(Boolean);
        const name = label ?? (element.textContent || element.className);
        return [{ at, name }];
      }),
    [target, within],
  );
}

/** Shows a tooltip by giving its target the focus, as Tab would. */
async function faultsOf(page: Page, at: number, kinds: Set<string>): Promise<string[]> {
  await page.keyboard.press("Shift");
  const focused = await page.evaluate(focusIn, [target, at] as const);
  if (!focused) return ["the keyboard cannot reach it"];
  const shown = page.locator(tooltip);
  if (!(await becomes(shown, "visible"))) return ["the focus does not show it"];
  const found: string[] = [];
  if (!(await page.evaluate(isReported, tooltip))) found.push("a screen reader does not read it");
  found.push(...(await tooltipFaults(page)));
  const kind = await shown.evaluate(kindOf);
  if (!kinds.has(kind))
    found.push(...(await faintTextsInTheDark(page, tooltip)).map((fault) => `dark: ${fault}`));
  kinds.add(kind);
  await page.keyboard.press("Escape");
  if (!(await becomes(shown, "hidden"))) found.push("Escape does not close it");
  if (!(await page.evaluate(hasFocus, [target, at] as const))) found.push("Escape takes the focus away");
  return found;
}

/** Returns whether it is so within a moment. */
async function becomes(shown: Locator, state: "visible" | "hidden"): Promise<boolean> {
  return shown.waitFor({ state, timeout: 3_000 }).then(
    () => true,
    () => false,
  );
}

/** Points at a target, and then at its tooltip. */
async function hoverFaults(page: Page, at: number): Promise<string[]> {
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  await page.locator(target).nth(at).hover();
  const shown = page.locator(tooltip);
  if (!(await becomes(shown, "visible"))) return ["the pointer does not show it"];
  await shown.hover();
  // Longer than the delay after which a tooltip closes.
  await page.waitForTimeout(300);
  const found = (await shown.isVisible()) ? [] : ["the pointer cannot enter it"];
  await page.mouse.move(0, 0);
  if (!(await becomes(shown, "hidden"))) found.push("it stays when the pointer leaves it");
  return found;
}

/** Returns whether the target or a control in it has the focus now. */
function focusIn([selector, at]: readonly [string, number]): boolean {
  const element = document.querySelectorAll<HTMLElement>(selector)[at];
  const controls = element ? [element, ...element.querySelectorAll<HTMLElement>("*")] : [];
  const control = controls.find((one) => one.tabIndex >= 0 && !one.matches(":disabled"));
  (document.activeElement as HTMLElement | null)?.blur();
  control?.scrollIntoView({ block: "center", behavior: "instant" });
  control?.focus();
  return control !== undefined && document.activeElement === control;
}

function hasFocus([selector, at]: readonly [string, number]): boolean {
  return document.querySelectorAll(selector)[at]?.contains(document.activeElement) ?? false;
}

/** Tooltips with the same colours and elements look the same. */
function kindOf(shown: Element): string {
  const { backgroundColor, color } = getComputedStyle(shown);
  return [backgroundColor, color, ...[...shown.querySelectorAll("*")].map((one) => one.tagName)].join(" ");
}

/** Returns whether the tooltip is the description or the name of what has the focus. */
function isReported(selector: string): boolean {
  const shown = document.querySelector<HTMLElement>(selector);
  const focused = document.activeElement;
  const ids = (focused?.getAttribute("aria-describedby") ?? "").split(" ");
  const describes = ids.some((id) => id !== "" && shown?.contains(document.getElementById(id)));
  return describes || focused?.getAttribute("aria-label") === shown?.innerText;
}
