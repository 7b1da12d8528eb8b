import { TokenPage } from "@gateway/shared/accounts/token";
import { StatementLine, StatementPage } from "@gateway/shared/billing/statement";
import { ChannelPage } from "@gateway/shared/channels/channel";
import { AvailableModels } from "@gateway/shared/channels/model";
import { Dashboard } from "@gateway/shared/usage/dashboard";
import { queryOptions } from "@tanstack/react-query";
import { z } from "zod";
import { http } from "#lib/http.ts";
import { timeZone } from "#lib/time-zone.ts";

/** Today and the seven days before it: enough to compare each of the last seven days with the one before. */
export const shownDays = 8;

export const dashboardQuery = queryOptions({
  queryKey: ["dashboard"],
  queryFn: () =>
    http.get("/user/dashboard", Dashboard, {
      time_zone: timeZone(),
      days: shownDays,
    }),
  refetchInterval: 60_000,
});

export const modelsQuery = queryOptions({
  queryKey: ["available-models"],
  queryFn: () => http.get("/available_model", AvailableModels),
  staleTime: 60_000,
});

/** One channel is enough to know that there are some, and whether it was tested. */
export const firstChannelQuery = queryOptions({
  queryKey: ["channel", "first"],
  queryFn: () => http.get("/channel", ChannelPage, { size: 1, order: "-test_time" }),
});

export const firstTokenQuery = queryOptions({
  queryKey: ["token", "first"],
  queryFn: () => http.get("/token", TokenPage, { size: 1 }),
});

/** The last year's closed months. */
export const statementsQuery = queryOptions({
  queryKey: ["statements"],
  queryFn: () => http.get("/user/invoice", StatementPage, { size: 12 }),
  staleTime: 600_000,
});

export const statementQuery = (date: string) =>
  queryOptions({
    queryKey: ["statements", date],
    queryFn: () => http.get("/user/invoice/detail", z.array(StatementLine), { date }),
  });
