/** Payment gateways and all orders, for administrators. */
import type { OrderPage, OrderQuery, OrderRow } from "@gateway/shared/billing/order";
import type {
  PaymentForm,
  PaymentPage,
  PaymentPatch,
  PaymentQuery,
  PaymentRow,
} from "@gateway/shared/billing/payment";
import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { asPage, asSent, http } from "#lib/http.ts";
import { deletion, inForm } from "#lib/query-client.ts";

const allGateways = ["payment", "gateways"] as const;
const allOrders = ["payment", "orders"] as const;

export const gatewaysQuery = (query: PaymentQuery) =>
  queryOptions({
    queryKey: [...allGateways, query],
    queryFn: () => http.get("/payment", asPage<PaymentPage>(), query),
    placeholderData: keepPreviousData,
  });

/** Gateways of the order filter. */
export const gatewayNamesQuery = queryOptions({
  queryKey: [...allGateways, "names"],
  queryFn: () => http.get("/payment", asPage<PaymentPage>(), { size: 100, order: "name" }),
  select: (page) => page.data.map(({ id, name }) => ({ value: String(id), label: name })),
  staleTime: 60_000,
});

export const ordersQuery = (query: OrderQuery) =>
  queryOptions({
    queryKey: [...allOrders, query],
    queryFn: () => http.get("/payment/order", asPage<OrderPage>(), query),
    placeholderData: keepPreviousData,
  });

export function useRefresh() {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: ["payment"] });
}

export function useSaveGateway() {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: ({ id, input }: { id: number | undefined; input: PaymentForm }) =>
      id === undefined
        ? http.post("/payment", asSent<PaymentRow>(), input)
        : http.put(`/payment/${id}`, asSent<PaymentRow>(), input),
    gcTime: 0,
    meta: inForm,
    onSuccess: refresh,
  });
}

export const patchGateway = (id: number, patch: PaymentPatch) =>
  http.patch(`/payment/${id}`, asSent<PaymentRow>(), patch);

export function usePatchGateway() {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: ({ id, patch }: { id: number; patch: PaymentPatch }) => patchGateway(id, patch),
    onSettled: refresh,
  });
}

export function useDeleteGateway() {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (id: number) => http.del(`/payment/${id}`, asSent<null>()),
    meta: deletion,
    onSettled: refresh,
  });
}

/** Deducts the credit of a paid order, with a reason. */
export function useRefundOrder() {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: ({ id, reason }: { id: number; reason: string }) =>
      http.post(`/payment/order/${id}/refund`, asSent<OrderRow>(), { reason }),
    onSettled: refresh,
  });
}

/** Checks the payment at the gateway, or cancels the order. */
export function useOrderAction() {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: ({ id, action }: { id: number; action: "check" | "close" }) =>
      http.post(`/payment/order/${id}/${action}`, asSent<OrderRow>()),
    onSettled: refresh,
  });
}

/** Fetches a gateway that is named in the address but not in the list. */
export const fetchGateway = (id: string) =>
  http.get(`/payment/${encodeURIComponent(id)}`, asSent<PaymentRow>());
