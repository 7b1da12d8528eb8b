/** Menus, dialogs and drawers without an address: how a test opens one, and what axe finds in it. */
import type { Page } from "@playwright/test";
import { expect } from "@playwright/test";
import { faultsWithLayer } from "../faults.ts";
import type { Site } from "../test.ts";

export type Opening = {
  what: string;
  path: string;
  phone?: true;
  guest?: true;
  /** Shows all the time that it waits for something. */
  waits?: true;
  /** Opens it. */
  open: (page: Page) => Promise<void>;
};

/** Clicks the first button of this name. */
export const click = (page: Page, name: string | RegExp) =>
  page
    .getByRole("button", typeof name === "string" ? { name, exact: true } : { name })
    .first()
    .click();

/** Chooses an item of a menu. */
export const choose = async (page: Page, menu: string | RegExp, item: string | RegExp) => {
  await click(page, menu);
  await page
    .getByRole("menuitem", typeof item === "string" ? { name: item, exact: true } : { name: item })
    .click();
};

/** Opens a dialog in a window of its own and expects that axe finds nothing. */
export async function expectNoFaults(
  site: Site,
  { path, phone, guest, waits, open }: Opening,
): Promise<void> {
  const page = await site.open(path, { ...(phone ? { phone } : {}), ...(guest ? { guest } : {}) });
  await page.locator("main :is(h1, h2, [role=tablist])").first().waitFor();
  await open(page);
  await page.getByRole("dialog").last().waitFor();
  const waiting = page.locator(".mantine-Skeleton-root[data-visible], .mantine-Loader-root");
  if (!waits) await expect(waiting).toHaveCount(0);
  expect(await faultsWithLayer(page)).toEqual([]);
}
