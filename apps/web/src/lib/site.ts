/** What this installation says about itself: name, currency, language. */
import type { SiteStatus } from "@gateway/shared/site/status";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { asSent, http } from "./http.ts";
import { keep, kept } from "./stored.ts";

const cacheKey = "siteInfo";

/** The last known answer, so that the name and logo do not jump at start. */
function cachedStatus(): SiteStatus | undefined {
  const cached = readJson(kept(cacheKey));
  // Written by an older version it may lack what came later; the server's answer is on its way.
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
    keep(cacheKey, JSON.stringify(status));
    keep("quota_per_unit", String(status.quota_per_unit));
    keep("display_in_currency", String(status.display_in_currency));
    return status;
  },
  // Stays when the server cannot be reached; old from the start, so that the server is always asked.
  initialData: cachedStatus,
  initialDataUpdatedAt: 0,
  staleTime: 60_000,
});

/** The site's status; undefined only before the very first answer. */
export function useSite(): SiteStatus | undefined {
  return useQuery(statusQuery).data;
}

export const defaultSystemName = "One Hub";

export function useSystemName(): string {
  return useSite()?.system_name || defaultSystemName;
}

/** Names the browser's tab after the screen, as long as it is shown. */
export function usePageTitle(title: string): void {
  const name = useSystemName();
  useEffect(() => {
    document.title = `${title} · ${name}`;
    return () => {
      document.title = name;
    };
  }, [title, name]);
}

/** The address API clients call, without a slash at the end. */
export function useServerAddress(): string {
  const address = useSite()?.server_address;
  return (address || new URL(document.baseURI).href).replace(/\/+$/, "");
}
