import type { Page } from "@playwright/test";

export const menuOf = (page: Page) => page.getByRole("navigation", { name: "Console" });

/** Opens a screen with its item in the console's menu, and before it the collapse that hides the item. */
export async function openInMenu(page: Page, name: string): Promise<void> {
  const menu = menuOf(page);
  const item = menu.getByRole("link", { name, exact: true, includeHidden: true });
  await item.waitFor({ state: "attached" });
  const collapse = closedCollapse(page, name);
  if ((await collapse.count()) > 0) await collapse.click();
  await item.click();
}

/** The button of the closed collapse that contains this item; no element when the item is visible. */
export function closedCollapse(page: Page, name: string) {
  const item = page.getByRole("link", { name, exact: true, includeHidden: true });
  return menuOf(page)
    .locator("li")
    .filter({ has: page.locator("button[aria-expanded=false]") })
    .filter({ has: item })
    .locator("button[aria-expanded=false]");
}
