/** Queries and mutations of the top-up screen. */
import type {
  OpenedOrder,
  OrderInput,
  OrderState,
  OwnOrder,
  OwnOrderPage,
  TopUpTerms,
} from "@gateway/shared/billing/order";
import type { PaymentChoice } from "@gateway/shared/billing/payment";
import type { PageQuery, Points } from "@gateway/shared/paging";
import {
  keepPreviousData,
  type QueryClient,
  queryOptions,
  useMutation,
  useQueryClient,
} from "@tanstack/react-query";
import type { z } from "zod";
import { asList, asPage, asSent, http } from "#lib/http.ts";
import { allLogs } from "#lib/queries/logs.ts";
import { selfQuery } from "#lib/session.ts";

/** Returns the credited points. */
export function useRedeem() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (key: string) => http.post("/user/topup", asSent<z.infer<typeof Points>>(), { key }),
    meta: { quiet: true },
    onSuccess: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: selfQuery.queryKey }),
        client.invalidateQueries({ queryKey: allLogs }),
      ]),
  });
}

const allOrders = ["own-orders"] as const;

/** Payment methods, best first; none when the operator accepts no payments. */
export const choicesQuery = queryOptions({
  queryKey: ["top-up", "choices"],
  queryFn: () => http.get("/user/payment", asList<PaymentChoice[]>()),
});

export const termsQuery = queryOptions({
  queryKey: ["top-up", "terms"],
  queryFn: () => http.get("/user/payment/terms", asSent<TopUpTerms>()),
});

export const ownOrdersQuery = (query: PageQuery) =>
  queryOptions({
    queryKey: [...allOrders, query],
    queryFn: () => http.get("/user/order", asPage<OwnOrderPage>(), query),
    placeholderData: keepPreviousData,
  });

const POLL_MS = 3_000;
/** Maximum number of polls. After it the list of orders shows the status. */
const POLLS = 1_200;

/** Status of an order, polled until it is final. */
export const orderStateQuery = (trade_no: string) =>
  queryOptions({
    queryKey: ["top-up", "state", trade_no],
    queryFn: async ({ client }) => {
      const state = await http.get("/user/order/status", asSent<OrderState>(), { trade_no });
      if (state.status === "success") showPaid(client);
      return state;
    },
    refetchInterval: ({ state }) =>
      state.data?.status === "success" ||
      (state.data === undefined && state.error !== null) ||
      state.dataUpdateCount + state.errorUpdateCount > POLLS
        ? false
        : POLL_MS,
    gcTime: 0,
  });

/** Refreshes everything that a payment changes. */
function showPaid(client: QueryClient): void {
  for (const queryKey of [selfQuery.queryKey, ["log"], allOrders])
    void client.invalidateQueries({ queryKey });
}

export function useOpenOrder() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (input: OrderInput) => http.post("/user/order", asSent<OpenedOrder>(), input),
    meta: { quiet: true },
    // A rejection may mean that prices have changed.
    onError: () => client.invalidateQueries({ queryKey: ["top-up"] }),
    onSettled: () => client.invalidateQueries({ queryKey: allOrders }),
  });
}

export function useCloseOrder() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (trade_no: string) => http.post("/user/order/close", asSent<OwnOrder>(), { trade_no }),
    onSettled: () => client.invalidateQueries({ queryKey: allOrders }),
  });
}
