/** The structure of the console's menu, and what a user sees of it. */
import type { AdminRights } from "@gateway/shared/accounts/roles";
import { mayOpen, type Screen, screenById } from "#app/screens.ts";
import { phrase } from "#lib/i18n.ts";

/** A heading of the menu with the ids of its screens. */
type MenuGroup = {
  id: string;
  title: string;
  /** The heading for users who see only their own objects below it. */
  ownTitle?: string;
  items: string[];
};

/** The whole menu. It fits a window of 900 px height; e2e/menu.test.ts measures that. */
const fullMenu: MenuGroup[] = [
  { id: "overview", title: phrase("Overview"), items: ["dashboard", "analytics", "playground"] },
  { id: "traffic", title: phrase("Traffic"), items: ["log", "task", "midjourney"] },
  {
    id: "customers",
    title: phrase("Customers"),
    ownTitle: phrase("Access"),
    items: ["user", "user_group", "token", "connect"],
  },
  {
    id: "catalogue",
    title: phrase("Catalog"),
    items: ["channel", "model_price", "pricing", "model_info", "model_ownedby"],
  },
  {
    id: "money",
    title: phrase("Money"),
    ownTitle: phrase("Billing"),
    items: ["topup", "payment", "redemption"],
  },
  {
    id: "system",
    title: phrase("System"),
    ownTitle: phrase("Account"),
    items: ["setting", "telegram", "audit", "profile"],
  },
];

export type VisibleGroup = { id: string; title: string; screens: Screen[] };

/** Returns the menu of this user, without forbidden screens and empty groups. */
export function visibleMenu(person: AdminRights): VisibleGroup[] {
  return fullMenu
    .map(({ id, title, ownTitle = title, items }) => {
      const shown = items.flatMap((item) => screenById(item) ?? []).filter((one) => mayOpen(one, person));
      const administers = shown.some((screen) => screen.area !== undefined);
      return { id, title: administers ? title : ownTitle, screens: shown };
    })
    .filter((group) => group.screens.length > 0);
}

/** Returns the titles of group and screen for the breadcrumbs; [] for a screen that the user may not open. */
export function pathTo(id: string, person: AdminRights): string[] {
  for (const group of visibleMenu(person)) {
    const screen = group.screens.find((each) => each.id === id);
    if (screen) return [group.title, screen.title];
  }
  const screen = screenById(id);
  if (screen === undefined || !mayOpen(screen, person)) return [];
  if (screen.from !== undefined) return [...pathTo(screen.from, person), screen.title];
  return screen.inHeader ? [screen.title] : [];
}
