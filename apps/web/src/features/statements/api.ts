import type { StatementLine, StatementPage } from "@gateway/shared/billing/statement";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { asList, asPage, http } from "#lib/http.ts";

/** Closed months, newest first. */
export const statementsQuery = (listing: { page: number; size: number }) =>
  queryOptions({
    queryKey: ["statements", listing],
    queryFn: () => http.get("/user/invoice", asPage<StatementPage>(), listing),
    placeholderData: keepPreviousData,
    staleTime: 600_000,
  });

/** @param date first day of a closed month, or `running` for the current month so far */
export const statementQuery = (date: string) =>
  queryOptions({
    queryKey: ["statements", "lines", date],
    queryFn: () =>
      date === running
        ? http.get("/user/invoice/running", asList<StatementLine[]>())
        : http.get("/user/invoice/detail", asList<StatementLine[]>(), { date }),
  });

export const running = "running";
