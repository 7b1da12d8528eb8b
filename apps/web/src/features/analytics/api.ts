/** Site-wide figures, for administrators. */
import type { AuditRun } from "@gateway/shared/billing/money-audit";
import type {
  ClosedMonth,
  StatementLine,
  StatementUser,
  StatementUserPage,
} from "@gateway/shared/billing/statement";
import type { AutoDisabledChannel } from "@gateway/shared/channels/auto-disabled";
import type { OwnPeriod, Period, SiteStatistics } from "@gateway/shared/usage/analytics";
import type { AuditPage } from "@gateway/shared/usage/audit";
import type { Insights } from "@gateway/shared/usage/insights";
import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { timeZone } from "#lib/format/time-zone.ts";
import { asList, asPage, asSent, http } from "#lib/http.ts";
import { type AnalyticsParams, type OwnUsageParams, periodWindow } from "./period.ts";

export const siteQuery = queryOptions({
  queryKey: ["analytics", "site"],
  queryFn: () => http.get("/analytics/statistics", asSent<SiteStatistics>()),
  refetchInterval: 30_000,
});

export const periodQuery = (params: AnalyticsParams) => {
  const { range, from, to, by, user } = params;
  return queryOptions({
    queryKey: ["analytics", "period", { range, from, to, by, user }],
    queryFn: () =>
      http.get("/analytics/period", asSent<Period>(), {
        ...periodWindow(params, new Date()),
        group_type: by,
        user_id: user,
        time_zone: timeZone(),
      }),
    placeholderData: keepPreviousData,
  });
};

/** The own usage. */
export const ownPeriodQuery = ({ range, from, to, by }: OwnUsageParams) =>
  queryOptions({
    queryKey: ["analytics", "own", { range, from, to, by }],
    queryFn: () =>
      http.get("/user/period", asSent<OwnPeriod>(), {
        ...periodWindow({ range, from, to }, new Date()),
        group_type: by,
        time_zone: timeZone(),
      }),
    placeholderData: keepPreviousData,
  });
/** Channels that the gateway disabled in the period. */
export const autoDisabledQuery = (params: AnalyticsParams) => {
  const { range, from, to } = params;
  return queryOptions({
    queryKey: ["analytics", "auto-disabled", { range, from, to }],
    queryFn: () =>
      http.get("/analytics/auto_disabled", asList<AutoDisabledChannel[]>(), periodWindow(params, new Date())),
    staleTime: 60_000,
    // The chart is complete without its marks.
    meta: { quiet: true },
  });
};

/** Rankings, channels and flows. */
export const insightsQuery = (params: AnalyticsParams) => {
  const { range, from, to, user } = params;
  return queryOptions({
    queryKey: ["analytics", "insights", { range, from, to, user }],
    queryFn: () =>
      http.get("/analytics/insights", asSent<Insights>(), {
        ...periodWindow(params, new Date()),
        user_id: user,
        time_zone: timeZone(),
      }),
    staleTime: 30_000,
    placeholderData: keepPreviousData,
  });
};

/** Changes of each kind that a chart marks. */
const mostChanges = 50;

/** Disabled channels and changed prices of the period, for readers of the audit log. */
export const changesQuery = (params: AnalyticsParams, enabled: boolean) => {
  const { range, from, to } = params;
  return queryOptions({
    queryKey: ["analytics", "changes", { range, from, to }],
    queryFn: async () => {
      const period = periodWindow(params, new Date());
      const pages = await Promise.all(
        ["channel.disable", "price"].map((action) =>
          http.get("/audit", asPage<AuditPage>(), { ...period, action, size: mostChanges }),
        ),
      );
      return pages.flatMap((page) => page.data);
    },
    enabled,
    staleTime: 60_000,
    // The chart is complete without its marks.
    meta: { quiet: true },
  });
};

export const closedMonthsQuery = queryOptions({
  queryKey: ["analytics", "statements"],
  queryFn: () => http.get("/analytics/statements", asList<ClosedMonth[]>()),
});

export type StatementListing = { date: string; keyword: string; page: number; size: number; order: string };

export const statementUsersQuery = (listing: StatementListing) =>
  queryOptions({
    queryKey: ["analytics", "statements", listing],
    queryFn: () => http.get("/analytics/statements/users", asPage<StatementUserPage>(), listing),
    placeholderData: keepPreviousData,
  });

export const statementOfUserQuery = (date: string, userId: number) =>
  queryOptions({
    queryKey: ["analytics", "statements", date, userId],
    queryFn: () =>
      http.get("/analytics/statements/detail", asList<StatementLine[]>(), { date, user_id: userId }),
  });

/**
 * Closes a month manually, or writes its statements again.
 * @param date its first day
 */
export function useMakeStatements() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ date, again }: { date: string; again: boolean }) =>
      http.post(`/option/invoice/${again ? "update" : "gen"}/${date}`, asSent<ClosedMonth>()),
    onSuccess: () => client.invalidateQueries({ queryKey: closedMonthsQuery.queryKey }),
  });
}

/** Recomputes all balances now. */
export function useAudit() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async () => (await http.post("/analytics/audit", asList<AuditRun[]>()))[0],
    onSuccess: () => client.invalidateQueries({ queryKey: siteQuery.queryKey }),
  });
}

/** Fetches a user who is named in the address but not in the list. */
export async function fetchStatementUser(date: string, username: string): Promise<StatementUser | undefined> {
  const listing = { date, keyword: username.slice(0, 64), page: 1, size: 100, order: "" };
  const page = await http.get("/analytics/statements/users", asPage<StatementUserPage>(), listing);
  return page.data.find((row) => row.username === username);
}
