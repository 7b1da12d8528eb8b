/** Public settings of this installation: name, currency, language. */
import { PRICE_CNY_PER_USD } from "@gateway/shared/billing/money";
import type { SiteStatus } from "@gateway/shared/site/status";
import { trimEndOf } from "@gateway/shared/trim-end";
import { queryOptions } from "@tanstack/react-query";
import { createContext, useContext, useEffect } from "react";
import { writeStorage, readStorage } from "./browser-storage.ts";
import { asSent, http } from "./http.ts";
import { unreachable } from "./live/connection.ts";

const cacheKey = "siteInfo";

/** Returns the last known status, so that name and logo do not change at start. */
function cachedStatus(): SiteStatus | undefined {
  const cached = readJson(readStorage(cacheKey));
  // A status stored by an older version may lack newer fields. The server's response follows.
  return cached !== null && typeof cached === "object" && "system_name" in cached
    ? (cached as SiteStatus)
    : undefined;
}

function readJson(text: string | null): unknown {
  try {
    return text ? JSON.parse(text) : null;
  } catch {
    return null;
  }
}

export const statusQuery = queryOptions({
  queryKey: ["status"],
  queryFn: async () => {
    const status = await http.get("/status", asSent<SiteStatus>());
    writeStorage(cacheKey, JSON.stringify(status));
    writeStorage("quota_per_unit", String(status.quota_per_unit));
    writeStorage("display_in_currency", String(status.display_in_currency));
    return status;
  },
  // Used while the server is unreachable. Stale from the start, so that the server is always requested.
  initialData: cachedStatus,
  initialDataUpdatedAt: 0,
  staleTime: 60_000,
  meta: { failed: unreachable },
});

/** The status for everything below. One subscription for all: every amount of a long list needs it. */
export const SiteContext = createContext<SiteStatus | undefined>(undefined);

/** Returns the site's status; undefined only before the very first response. */
export function useSite(): SiteStatus | undefined {
  return useContext(SiteContext);
}

/** Returns the yuan per dollar in shown prices. */
export function useCnyPerUsd(): number {
  return useSite()?.price_cny_per_usd ?? PRICE_CNY_PER_USD;
}

export const defaultSystemName = "One Hub";

export function useSystemName(): string {
  return useSite()?.system_name || defaultSystemName;
}

/** Sets the title of the browser's tab while the screen is shown. */
export function usePageTitle(title: string): void {
  const name = useSystemName();
  useEffect(() => {
    document.title = `${title} · ${name}`;
    return () => {
      document.title = name;
    };
  }, [title, name]);
}

/** Returns the base address for API clients, without a trailing slash. */
export function useServerAddress(): string {
  const address = useSite()?.server_address;
  return trimEndOf(address || new URL(document.baseURI).href, "/");
}
