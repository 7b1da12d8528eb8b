/** Dialogs, drawers and popovers without an address: how a test opens one, and what axe says of it. */
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { faultsWithLayer } from "./faults.ts";
import type { Site } from "./site.ts";

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

export const click = (page: Page, name: string | RegExp) =>
  page
    .getByRole("button", typeof name === "string" ? { name, exact: true } : { name })
    .first()
    .click();

export const choose = async (page: Page, menu: string | RegExp, item: string | RegExp) => {
  await click(page, menu);
  await page
    .getByRole("menuitem", typeof item === "string" ? { name: item, exact: true } : { name: item })
    .click();
};

/** Opens a dialog and expects that axe finds nothing. */
export async function examine(site: Site, { path, phone, guest, waits, open }: Opening): Promise<void> {
  const page = await site.open(path, { ...(phone ? { phone } : {}), ...(guest ? { guest } : {}) });
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.locator("main :is(h1, h2, [role=tablist])").first().waitFor();
  await open(page);
  await page.getByRole("dialog").last().waitFor();
  const waiting = page.locator(".mantine-Skeleton-root[data-visible], .mantine-Loader-root");
  if (!waits) await waiting.first().waitFor({ state: "detached" });
  expect(await faultsWithLayer(page)).toEqual([]);
}
