/** The screens of the console and the shape of its menu. Router, menu, breadcrumbs and ⌘K all read this file. */
import { type Action, type AdminArea, type AdminRights, can, mayEnter } from "@gateway/shared/accounts/roles";
import {
  IconAdjustmentsHorizontal,
  IconBooks,
  IconBrandTelegram,
  IconChartHistogram,
  IconCreditCard,
  IconKey,
  IconLayoutDashboard,
  IconMessageCircle,
  IconPhoto,
  IconTags,
  IconListDetails,
  IconRoute,
  IconBuildingStore,
  IconReceipt2,
  IconTicket,
  IconHistory,
  IconSettings,
  IconUserCircle,
  IconUsersGroup,
  IconWallet,
  IconWand,
  IconUsers,
  type Icon,
} from "@tabler/icons-react";
import type { ComponentType } from "react";
import { phrase } from "#lib/i18n.ts";

export type Screen = {
  /** Path under /panel, and the id the menu below knows it by. */
  id: string;
  /** English; translated where it is shown. */
  title: string;
  icon: Icon;
  load: () => Promise<{ default: ComponentType }>;
  /** Who may see it; everyone signed in when both are missing. */
  action?: Action;
  /** For administrators, unless they are kept out of this. */
  area?: AdminArea;
  /** Further words ⌘K finds it by. */
  keywords?: string;
};

/** One line per screen. Its place in the menu is reserved below by its id. */
export const screens: Screen[] = [
  {
    id: "dashboard",
    title: phrase("Dashboard"),
    icon: IconLayoutDashboard,
    load: () => import("#features/dashboard/dashboard-page.tsx"),
  },
  {
    id: "analytics",
    title: phrase("Analytics"),
    icon: IconChartHistogram,
    load: () => import("#features/analytics/analytics-page.tsx"),
    area: "analytics",
    keywords: "statistics usage revenue spend report statement chart",
  },
  {
    id: "token",
    title: phrase("Tokens"),
    icon: IconKey,
    load: () => import("#features/tokens/tokens-page.tsx"),
    keywords: "api key quota limit",
  },
  {
    id: "log",
    title: phrase("Logs"),
    icon: IconListDetails,
    load: () => import("#features/logs/logs-page.tsx"),
    keywords: "calls requests cost history error",
  },
  {
    id: "midjourney",
    title: phrase("Midjourney"),
    icon: IconPhoto,
    load: () => import("#features/tasks/midjourney-page.tsx"),
    keywords: "picture image drawing task",
  },
  {
    id: "task",
    title: phrase("Tasks"),
    icon: IconWand,
    load: () => import("#features/tasks/tasks-page.tsx"),
    keywords: "suno kling song music lyrics video asynchronous",
  },
  {
    id: "playground",
    title: phrase("Playground"),
    icon: IconMessageCircle,
    load: () => import("#features/playground/playground-page.tsx"),
    keywords: "chat try compare models",
  },
  {
    id: "model_price",
    title: phrase("Available models"),
    icon: IconTags,
    load: () => import("#features/model-prices/model-prices-page.tsx"),
    keywords: "price cost",
  },
  {
    id: "channel",
    title: phrase("Channels"),
    icon: IconRoute,
    load: () => import("#features/channels/channel-page.tsx"),
    area: "channels",
    keywords: "provider model key upstream test",
  },
  {
    id: "user",
    title: phrase("Users"),
    icon: IconUsers,
    load: () => import("#features/users/users-page.tsx"),
    area: "users",
    keywords: "people accounts balance role",
  },
  {
    id: "pricing",
    title: phrase("Prices"),
    icon: IconReceipt2,
    load: () => import("#features/prices/prices-page.tsx"),
    area: "prices",
    keywords: "pricing ratio cost model update",
  },
  {
    id: "user_group",
    title: phrase("User groups"),
    icon: IconUsersGroup,
    load: () => import("#features/groups/groups-page.tsx"),
    area: "groups",
    keywords: "ratio rate limit promotion",
  },
  {
    id: "model_info",
    title: phrase("Model catalogue"),
    icon: IconBooks,
    load: () => import("#features/model-info/model-info-page.tsx"),
    area: "models",
    keywords: "description context modality tag import",
  },
  {
    id: "model_ownedby",
    title: phrase("Model owners"),
    icon: IconBuildingStore,
    load: () => import("#features/owners/owners-page.tsx"),
    area: "models",
    keywords: "provider icon ownership",
  },
  {
    id: "telegram",
    title: phrase("Telegram bot"),
    icon: IconBrandTelegram,
    load: () => import("#features/telegram/telegram-page.tsx"),
    area: "telegram",
    keywords: "command menu reply chat webhook",
  },
  {
    id: "redemption",
    title: phrase("Redemption codes"),
    icon: IconTicket,
    load: () => import("#features/redemptions/redemptions-page.tsx"),
    area: "redemptions",
    keywords: "code voucher gift",
  },
  {
    id: "payment",
    title: phrase("Payments"),
    icon: IconCreditCard,
    load: () => import("#features/payments/payments-page.tsx"),
    area: "payments",
    keywords: "order gateway money epay alipay wechat stripe fee",
  },
  {
    id: "topup",
    title: phrase("Top up"),
    icon: IconWallet,
    load: () => import("#features/top-up/top-up-page.tsx"),
    keywords: "balance redeem code invite credit pay order",
  },
  {
    id: "setting",
    title: phrase("Settings"),
    icon: IconSettings,
    load: () => import("#features/settings/settings-page.tsx"),
    area: "settings",
    keywords: "options system notice logo footer retry time-out sign-up chat",
  },
  {
    id: "audit",
    title: phrase("Audit log"),
    icon: IconHistory,
    load: () => import("#features/audit-log/audit-log-page.tsx"),
    area: "audit",
    keywords: "who changed history",
  },
  {
    id: "profile",
    title: phrase("Profile"),
    icon: IconUserCircle,
    load: () => import("#features/profile/profile-page.tsx"),
    keywords: "password language theme",
  },
];

type Collapse = { type: "collapse"; id: string; title: string; icon: Icon; items: string[] };
type Item = { type: "item"; id: string };
export type MenuEntry = Collapse | Item;
export type MenuGroup = { id: string; title: string; entries: MenuEntry[] };

const item = (id: string): Item => ({ type: "item", id });

/** The whole menu. Entries without a screen, and groups without entries, are left out. */
const fullMenu: MenuGroup[] = [
  {
    id: "dashboard-group",
    title: phrase("Dashboard"),
    entries: [item("dashboard"), item("analytics"), item("playground")],
  },
  {
    id: "setting-group",
    title: phrase("Setting"),
    entries: [
      item("user"),
      item("channel"),
      {
        type: "collapse",
        id: "operation",
        title: phrase("Operation"),
        icon: IconAdjustmentsHorizontal,
        items: ["user_group", "pricing", "telegram", "model_ownedby", "model_info"],
      },
      {
        type: "collapse",
        id: "paySetting",
        title: phrase("Payment settings"),
        icon: IconCreditCard,
        items: ["redemption", "payment"],
      },
      item("token"),
      item("profile"),
      item("setting"),
    ],
  },
  { id: "billing-group", title: phrase("Billing"), entries: [item("topup"), item("model_price")] },
  {
    id: "usage-group",
    title: phrase("Usage"),
    entries: [item("log"), item("midjourney"), item("task"), item("audit")],
  },
];

export function screenById(id: string): Screen | undefined {
  return screens.find((screen) => screen.id === id);
}

export type VisibleEntry =
  | { type: "item"; screen: Screen }
  | { type: "collapse"; id: string; title: string; icon: Icon; screens: Screen[] };
export type VisibleGroup = { id: string; title: string; entries: VisibleEntry[] };

/** The server decides anyway; this only hides. */
export function mayOpen({ action = "useConsole", area }: Screen, person: AdminRights): boolean {
  return can(person.role, action) && (area === undefined || mayEnter(person, area));
}

/** The menu as this person sees it. */
export function visibleMenu(person: AdminRights): VisibleGroup[] {
  const visibleScreens = (ids: string[]) =>
    ids.map(screenById).filter((screen) => screen !== undefined && mayOpen(screen, person)) as Screen[];
  const visibleEntries = (entry: MenuEntry): VisibleEntry[] => {
    if (entry.type === "item") return visibleScreens([entry.id]).map((screen) => ({ type: "item", screen }));
    const inside = visibleScreens(entry.items);
    return inside.length > 0 ? [{ ...entry, type: "collapse", screens: inside }] : [];
  };
  return fullMenu
    .map((group) => ({ id: group.id, title: group.title, entries: group.entries.flatMap(visibleEntries) }))
    .filter((group) => group.entries.length > 0);
}

/** Group, collapse and screen titles down to a screen, for the breadcrumbs. */
export function pathTo(id: string): string[] {
  for (const group of fullMenu)
    for (const entry of group.entries) {
      const screen = screenById(id);
      if (!screen) return [];
      if (entry.type === "item" && entry.id === id) return [group.title, screen.title];
      if (entry.type === "collapse" && entry.items.includes(id))
        return [group.title, entry.title, screen.title];
    }
  return [];
}
