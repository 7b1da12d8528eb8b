/** The structure of the console's menu, and what a user sees of it. */
import type { AdminRights } from "@gateway/shared/accounts/roles";
import { type Icon, IconAdjustmentsHorizontal, IconCreditCard } from "@tabler/icons-react";
import { mayOpen, type Screen, screenById } from "#app/screens.ts";
import { phrase } from "#lib/i18n.ts";

/** What all entries of the menu have. Texts are English and translated when displayed. */
type Entry = {
  id: string;
  title: string;
  /** A second line below the title. */
  caption?: string;
};

/** A link to a screen. */
export type MenuItem = Entry & {
  type: "item";
  url: string;
  icon: Icon;
  /** Only administrators see it. */
  isAdmin: boolean;
  /** A short label behind the title. */
  chip?: string;
  /** Where the browser opens it. Default: in this window. */
  target?: "_blank";
  /** The address is outside of the console, so the router does not handle it. */
  external?: boolean;
};

/** Items that a click shows and hides. */
export type MenuCollapse = Entry & { type: "collapse"; icon: Icon; children: MenuItem[] };

/** A heading with entries. */
export type MenuGroup = Entry & { type: "group"; children: (MenuItem | MenuCollapse)[] };

/** Ids of screens; within a collapse those of its items. */
type Plan = string | (Omit<MenuCollapse, "children"> & { items: string[] });

const operation: Plan = {
  type: "collapse",
  id: "operation",
  title: phrase("Operation"),
  icon: IconAdjustmentsHorizontal,
  items: ["user_group", "pricing", "telegram", "model_ownedby", "model_info"],
};

const paySetting: Plan = {
  type: "collapse",
  id: "paySetting",
  title: phrase("Payment settings"),
  icon: IconCreditCard,
  items: ["redemption", "payment"],
};

const groups: (Entry & { entries: Plan[] })[] = [
  { id: "dashboard", title: phrase("Dashboard"), entries: ["dashboard", "analytics", "playground"] },
  {
    id: "setting",
    title: phrase("Setting"),
    entries: ["user", "channel", operation, paySetting, "token", "connect", "profile", "setting"],
  },
  { id: "billing", title: phrase("Billing"), entries: ["topup", "statement", "model_price"] },
  {
    id: "usage",
    title: phrase("Usage"),
    entries: ["usage", "log", "session", "midjourney", "task", "audit"],
  },
];

function itemsOf(ids: readonly string[], person: AdminRights): MenuItem[] {
  return ids
    .flatMap((id) => screenById(id) ?? [])
    .filter((screen) => mayOpen(screen, person))
    .map(itemOf);
}

function itemOf({ id, title, icon, area, action }: Screen): MenuItem {
  const isAdmin = area !== undefined || action !== undefined;
  return { type: "item", id, title, icon, url: `/panel/${id}`, isAdmin };
}

function entriesOf(plan: Plan, person: AdminRights): (MenuItem | MenuCollapse)[] {
  if (typeof plan === "string") return itemsOf([plan], person);
  const { items, ...collapse } = plan;
  const children = itemsOf(items, person);
  return children.length === 0 ? [] : [{ ...collapse, children }];
}

/** Returns the menu of this user, without forbidden screens and empty groups. */
export function visibleMenu(person: AdminRights): MenuGroup[] {
  return groups
    .map(({ entries, ...group }) => ({
      ...group,
      type: "group" as const,
      children: entries.flatMap((entry) => entriesOf(entry, person)),
    }))
    .filter((group) => group.children.length > 0);
}

/** Returns the items of a group, including those of its collapses. */
export function itemsIn({ children }: MenuGroup): MenuItem[] {
  return children.flatMap((entry) => (entry.type === "collapse" ? entry.children : entry));
}

/** Returns the id of the collapse that contains the item of an address; undefined outside of collapses. */
export function collapseAround(menu: readonly MenuGroup[], pathname: string): string | undefined {
  return menu
    .flatMap((group) => group.children)
    .find((entry) => entry.type === "collapse" && entry.children.some((item) => isAddressOf(item, pathname)))
    ?.id;
}

export function isAddressOf({ url }: MenuItem, pathname: string): boolean {
  return pathname === url || pathname.startsWith(`${url}/`);
}

/**
 * Returns the titles of group and screen for the breadcrumbs; [] for a screen that the user may not open. The screen that
 * gives its group the name stands alone: "Setting / Settings" says one thing twice.
 */
export function pathTo(id: string, person: AdminRights): string[] {
  for (const group of visibleMenu(person)) {
    const item = itemsIn(group).find((each) => each.id === id);
    if (item) return item.id === group.id ? [item.title] : [group.title, item.title];
  }
  const screen = screenById(id);
  if (screen === undefined || !mayOpen(screen, person)) return [];
  if (screen.from !== undefined) return [...pathTo(screen.from, person), screen.title];
  return screen.inHeader ? [screen.title] : [];
}
