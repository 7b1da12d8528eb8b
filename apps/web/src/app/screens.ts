/**
 * The screens of the console. The router, menu, breadcrumbs and palette use them.
 */
import { type Action, type AdminArea, type AdminRights, can, mayEnter } from "@gateway/shared/accounts/roles";
import {
  IconApi,
  IconArrowsDiff,
  IconBell,
  IconBooks,
  IconBrandTelegram,
  IconChartBar,
  IconChartHistogram,
  IconFileInvoice,
  IconCreditCard,
  IconDatabaseImport,
  IconKey,
  IconLayoutDashboard,
  IconMessageCircle,
  IconPlug,
  IconPlugConnected,
  IconPhoto,
  IconTags,
  IconListDetails,
  IconRoute,
  IconBuildingStore,
  IconReceipt2,
  IconTicket,
  IconHelpCircle,
  IconTimeline,
  IconHistory,
  IconSettings,
  IconStethoscope,
  IconUserCircle,
  IconUsersGroup,
  IconWallet,
  IconWand,
  IconUsers,
  type Icon,
} from "@tabler/icons-react";
import type { QueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { phrase } from "#lib/i18n.ts";
import { loadFirstScreen } from "./first-screen.tsx";

/** Prefetches the first data of a screen into the query cache. */
type Prefetch = (client: QueryClient) => Promise<unknown>;

export type Screen = {
  /** Path under /panel, and the id of the screen in the menu below. */
  id: string;
  /** English; translated when displayed. */
  title: string;
  icon: Icon;
  /** Namespaces of its texts, besides `common`. */
  namespaces: string[];
  load: () => Promise<{
    default: () => ReactNode;
    prefetch?: Prefetch;
    /** Prefetches data that would move the rest of the screen. A page load waits for it. */
    prefetchAbove?: Prefetch;
  }>;
  /** The page of a single object, at /panel/<id>/<object id>. */
  loadOne?: () => Promise<{ default: () => ReactNode }>;
  /** Required action. Every signed-in user may open a screen without `action` and `area`. */
  action?: Action;
  /** Required area, for administrators. */
  area?: AdminArea;
  /** Further search keywords of the palette. */
  keywords?: string;
  /** The letter that opens it after `g`. */
  goKey?: string;
  /** Linked from the header or another screen instead of the menu. */
  inHeader?: true;
  /** Linked from this screen instead of the menu. */
  from?: string;
};

/** One line per screen. `menu.ts` places it in the menu by its id. */
export const screens: Screen[] = [
  {
    id: "dashboard",
    title: phrase("Dashboard"),
    goKey: "d",
    icon: IconLayoutDashboard,
    namespaces: [],
    load: loadFirstScreen,
  },
  {
    id: "analytics",
    title: phrase("Analytics"),
    goKey: "a",
    icon: IconChartHistogram,
    namespaces: ["analytics"],
    load: () => import("#features/analytics/analytics-page.tsx"),
    area: "analytics",
    keywords: "statistics usage revenue spend report statement chart",
  },
  {
    id: "token",
    title: phrase("Tokens"),
    goKey: "t",
    icon: IconKey,
    namespaces: ["tokens"],
    load: () => import("#features/tokens/list/tokens-page.tsx"),
    loadOne: () => import("#features/tokens/token-page.tsx"),
    keywords: "api key quota limit",
  },
  {
    id: "connect",
    title: phrase("Connect a client"),
    goKey: "k",
    icon: IconPlugConnected,
    namespaces: ["connect"],
    load: () => import("#features/connect/connect-page.tsx"),
    keywords:
      "claude code codex gemini cli opencode qwen cline continue cherry studio open webui librechat sdk curl install settings setup",
  },
  {
    id: "log",
    title: phrase("Logs"),
    goKey: "l",
    icon: IconListDetails,
    namespaces: ["logs"],
    load: () => import("#features/logs/list/logs-page.tsx"),
    loadOne: () => import("#features/logs/detail/call-page.tsx"),
    keywords: "calls requests cost history error",
  },
  {
    id: "usage",
    title: phrase("My usage"),
    icon: IconChartBar,
    namespaces: ["analytics"],
    load: () => import("#features/analytics/own/own-usage-page.tsx"),
    keywords: "statistics spend by model key tag chart export csv",
  },
  {
    id: "session",
    title: phrase("Sessions"),
    goKey: "s",
    icon: IconTimeline,
    namespaces: ["sessions"],
    load: () => import("#features/sessions/sessions-page.tsx"),
    loadOne: () => import("#features/sessions/session-page.tsx"),
    keywords: "agent conversation claude code codex story timeline",
  },
  {
    id: "midjourney",
    title: phrase("Midjourney"),
    icon: IconPhoto,
    namespaces: ["tasks"],
    load: () => import("#features/tasks/midjourney-page.tsx"),
    keywords: "picture image drawing task",
  },
  {
    id: "task",
    title: phrase("Tasks"),
    icon: IconWand,
    namespaces: ["tasks"],
    load: () => import("#features/tasks/tasks-page.tsx"),
    keywords: "suno kling song music lyrics video asynchronous",
  },
  {
    id: "playground",
    title: phrase("Playground"),
    goKey: "p",
    icon: IconMessageCircle,
    namespaces: ["playground"],
    load: () => import("#features/playground/playground-page.tsx"),
    keywords: "chat try compare models",
  },
  {
    id: "model_price",
    title: phrase("Available models"),
    goKey: "m",
    icon: IconTags,
    namespaces: ["model-prices"],
    load: () => import("#features/model-prices/model-prices-page.tsx"),
    loadOne: () => import("#features/model-prices/model-page.tsx"),
    keywords: "price cost",
  },
  {
    id: "channel",
    title: phrase("Channels"),
    goKey: "c",
    icon: IconRoute,
    namespaces: ["channels"],
    load: () => import("#features/channels/channel-page.tsx"),
    loadOne: () => import("#features/channels/one-channel-page.tsx"),
    area: "channels",
    keywords: "provider model key upstream test",
  },
  {
    id: "mcp",
    title: phrase("MCP servers"),
    icon: IconPlug,
    namespaces: ["mcp"],
    load: () => import("#features/mcp/mcp-page.tsx"),
    area: "channels",
    keywords: "model context protocol tool bundle agent",
    from: "channel",
  },
  {
    id: "user",
    title: phrase("Users"),
    goKey: "u",
    icon: IconUsers,
    namespaces: ["users"],
    load: () => import("#features/users/list/users-page.tsx"),
    loadOne: () => import("#features/users/user-page.tsx"),
    area: "users",
    keywords: "people accounts balance role",
  },
  {
    id: "pricing",
    title: phrase("Prices"),
    goKey: "r",
    icon: IconReceipt2,
    namespaces: ["prices"],
    load: () => import("#features/prices/prices-page.tsx"),
    area: "prices",
    keywords: "pricing ratio cost model update",
  },
  {
    id: "user_group",
    title: phrase("User groups"),
    goKey: "g",
    icon: IconUsersGroup,
    namespaces: ["groups"],
    load: () => import("#features/groups/groups-page.tsx"),
    area: "groups",
    keywords: "ratio rate limit promotion",
  },
  {
    id: "model_info",
    title: phrase("Model catalog"),
    icon: IconBooks,
    namespaces: ["model-info"],
    load: () => import("#features/model-info/model-info-page.tsx"),
    area: "models",
    keywords: "description context modality tag import",
  },
  {
    id: "model_ownedby",
    title: phrase("Model owners"),
    icon: IconBuildingStore,
    namespaces: ["owners"],
    load: () => import("#features/owners/owners-page.tsx"),
    area: "models",
    keywords: "provider icon ownership",
  },
  {
    id: "telegram",
    title: phrase("Telegram bot"),
    icon: IconBrandTelegram,
    namespaces: ["telegram"],
    load: () => import("#features/telegram/telegram-page.tsx"),
    area: "telegram",
    keywords: "command menu reply chat webhook",
  },
  {
    id: "redemption",
    title: phrase("Redemption codes"),
    icon: IconTicket,
    namespaces: ["redemptions"],
    load: () => import("#features/redemptions/redemptions-page.tsx"),
    area: "redemptions",
    keywords: "code voucher gift",
  },
  {
    id: "payment",
    title: phrase("Payments"),
    icon: IconCreditCard,
    namespaces: ["payments"],
    load: () => import("#features/payments/payments-page.tsx"),
    area: "payments",
    keywords: "order gateway money epay alipay wechat stripe fee",
  },
  {
    id: "topup",
    title: phrase("Top up"),
    goKey: "w",
    icon: IconWallet,
    namespaces: ["top-up"],
    load: () => import("#features/top-up/top-up-page.tsx"),
    keywords: "balance redeem code invite credit pay order",
  },
  {
    id: "statement",
    title: phrase("Statements"),
    icon: IconFileInvoice,
    namespaces: ["statements"],
    load: () => import("#features/statements/statements-page.tsx"),
    keywords: "invoice month bill budget forecast limit",
  },
  {
    id: "setting",
    title: phrase("Settings"),
    goKey: "e",
    icon: IconSettings,
    namespaces: ["settings"],
    load: () => import("#features/settings/settings-page.tsx"),
    area: "settings",
    keywords: "options system notice logo footer retry timeout time-out sign-up chat",
  },
  {
    id: "audit",
    title: phrase("Audit log"),
    goKey: "h",
    icon: IconHistory,
    namespaces: ["audit-log", "settings"],
    load: () =>
      import("./audit-log-screen.tsx").then(({ AuditLogScreen, prefetch }) => ({
        default: AuditLogScreen,
        prefetch,
      })),
    area: "audit",
    keywords: "who changed history",
  },
  {
    id: "diagnostics",
    title: phrase("Diagnostics"),
    icon: IconStethoscope,
    namespaces: ["diagnostics"],
    load: () => import("#features/diagnostics/diagnostics-page.tsx"),
    action: "configure",
    keywords: "doctor check health problem proxy dns tls redis clock disk",
    inHeader: true,
  },
  {
    id: "migration",
    title: phrase("Migration"),
    icon: IconDatabaseImport,
    namespaces: ["migration"],
    load: () => import("#features/migration/migration-page.tsx"),
    action: "configure",
    keywords: "import one hub new api one api litellm report proof",
    inHeader: true,
  },
  {
    id: "parallel_run",
    title: phrase("Parallel run"),
    icon: IconArrowsDiff,
    namespaces: ["migration"],
    load: () => import("#features/migration/parallel-run/parallel-run-page.tsx"),
    action: "configure",
    keywords: "compare charges old gateway migration one hub new api one api litellm agreement deviation",
    from: "migration",
  },
  {
    id: "inbox",
    title: phrase("Notifications"),
    goKey: "n",
    icon: IconBell,
    namespaces: ["inbox"],
    load: () => import("#features/inbox/inbox-page.tsx"),
    keywords: "inbox alerts events bell unread notice",
    inHeader: true,
  },
  {
    id: "help",
    title: phrase("Help"),
    icon: IconHelpCircle,
    namespaces: ["help"],
    load: () => import("#features/help/help-page.tsx"),
    loadOne: () => import("#features/help/help-page.tsx"),
    keywords: "documentation manual guide docs",
    inHeader: true,
  },
  {
    id: "profile",
    title: phrase("Profile"),
    icon: IconUserCircle,
    namespaces: ["profile"],
    load: () => import("#features/profile/profile-page.tsx"),
    keywords: "password language theme",
  },
  {
    id: "api",
    title: phrase("API reference"),
    icon: IconApi,
    namespaces: ["api-reference"],
    load: () => import("#features/api-reference/api-reference-page.tsx"),
    keywords: "openapi management endpoints operations swagger documentation access token",
    from: "profile",
  },
];

export function screenById(id: string): Screen | undefined {
  return screens.find((screen) => screen.id === id);
}

/** Returns whether the user may open the screen. Only hides entries: the server checks every request. */
export function mayOpen({ action = "useConsole", area }: Screen, person: AdminRights): boolean {
  return can(person.role, action) && (area === undefined || mayEnter(person, area));
}
