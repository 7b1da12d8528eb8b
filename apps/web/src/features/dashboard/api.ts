import { mayEnter } from "@gateway/shared/accounts/roles";
import type { Self } from "@gateway/shared/accounts/session";
import type { TokenPage } from "@gateway/shared/accounts/token";
import type { ChannelPage } from "@gateway/shared/channels/channel";
import type { ProviderInfo } from "@gateway/shared/channels/provider";
import type { AccountEvent, Dashboard } from "@gateway/shared/usage/dashboard";
import type { LogPage } from "@gateway/shared/usage/log";
import { LogType } from "@gateway/shared/usage/log-type";
import { type QueryClient, queryOptions, useQueryClient } from "@tanstack/react-query";
import { timeZone } from "#lib/format/time-zone.ts";
import { asList, asPage, asSent, http } from "#lib/http.ts";
import { type Connection, useLiveEvents } from "#lib/live/live-events.ts";
import { ownBudgetQuery } from "#lib/queries/budgets.ts";
import { allChannels } from "#lib/queries/channels.ts";
import { allLogs } from "#lib/queries/logs.ts";
import { allTokens } from "#lib/queries/tokens.ts";
import { allUsers } from "#lib/queries/users.ts";
import { selfQuery } from "#lib/session.ts";

/**
 * Today and the seven days before it: enough to compare each of the last seven days with the previous one.
 */
export const shownDays = 8;

export const dashboardQuery = queryOptions({
  queryKey: ["dashboard"],
  queryFn: () =>
    http.get("/user/dashboard", asSent<Dashboard>(), {
      time_zone: timeZone(),
      days: shownDays,
    }),
  // Events trigger updates. Without them the data is at most this old.
  refetchInterval: 60_000,
});

/** Refetches the figures and the balance after each call while the page is visible. */
export function useLiveAccount(): [Connection, () => void] {
  const client = useQueryClient();
  return useLiveEvents({
    path: () => {
      const seen = client.getQueryData(dashboardQuery.queryKey)?.version ?? "";
      return `/user/dashboard/events?seen=${encodeURIComponent(seen)}`;
    },
    onEvent: (data) => {
      const { version } = data as AccountEvent;
      if (client.getQueryData(dashboardQuery.queryKey)?.version === version) return;
      void client.invalidateQueries({ queryKey: dashboardQuery.queryKey });
      void client.invalidateQueries({ queryKey: selfQuery.queryKey });
    },
  });
}

/** One channel suffices to know whether channels exist. */
export const firstChannelQuery = queryOptions({
  queryKey: [...allChannels, "first"],
  queryFn: () => http.get("/channel", asPage<ChannelPage>(), { size: 1, order: "-id" }),
});

/** Enough calls to include the first one of an account that the first steps are for. */
const firstCalls = 25;

/** The first charged call of the account; null before it. */
export const firstCallQuery = queryOptions({
  queryKey: [...allLogs, "first-call"],
  queryFn: async () => {
    const query = { log_type: LogType.consume, size: firstCalls };
    return (await http.get("/log/self", asPage<LogPage>(), query)).data.at(-1) ?? null;
  },
});

/** Whether one of the newest channels uses a provider other than the built-in demo. */
export const hasProviderQuery = queryOptions({
  queryKey: [...allChannels, "has-provider"],
  queryFn: async () => {
    const [providers, channels] = await Promise.all([
      http.get("/providers", asList<ProviderInfo[]>()),
      http.get("/channel", asPage<ChannelPage>(), { size: 20, order: "-id" }),
    ]);
    const demo = providers.find(({ id }) => id === "demo")?.type;
    return channels.data.some(({ type }) => type !== demo);
  },
});

/** Whether there are accounts besides the first administrator's. */
export const hasCustomersQuery = queryOptions({
  queryKey: [...allUsers, "more-than-one"],
  queryFn: async () =>
    (await http.get("/user", asSent<{ total_count: number }>(), { size: 1 })).total_count > 1,
});

/** The newest tokens. The first step needs only their number. */
export const recentTokensQuery = queryOptions({
  queryKey: [...allTokens, "recent"],
  queryFn: () => http.get("/token", asPage<TokenPage>(), { size: 5, order: "-id" }),
});

/** Fetches what the first steps of an account are about, so that they appear together with the page. */
export function prefetchSteps(client: QueryClient, self: Self): Promise<unknown> {
  const queries: Promise<void>[] = [];
  if (self.request_count === 0) {
    queries.push(
      canAddChannels(self)
        ? client.prefetchQuery(firstChannelQuery)
        : client.prefetchQuery(recentTokensQuery),
    );
  } else {
    queries.push(client.prefetchQuery(firstCallQuery));
    if (canAddChannels(self)) queries.push(client.prefetchQuery(hasProviderQuery));
    if (canAddCustomers(self)) queries.push(client.prefetchQuery(hasCustomersQuery));
  }
  return Promise.all(queries);
}

export const canAddChannels = (self: Self) => mayEnter(self, "channels", "edit");

export const canAddCustomers = (self: Self) =>
  mayEnter(self, "users", "edit") && mayEnter(self, "tokens", "edit");

/** Fetches what the usage of an account begins with if it has failed calls or a budget. */
export function prefetchUsage(client: QueryClient, self: Self): Promise<unknown> {
  return Promise.all([
    client.prefetchQuery(dashboardQuery),
    self.has_budget ? client.prefetchQuery(ownBudgetQuery) : undefined,
  ]);
}
