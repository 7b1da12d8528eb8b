/** All users' orders and payments. */
import type { OrderRow } from "@gateway/shared/billing/order";
import { IconReceipt, IconReceiptRefund, IconRefresh, IconX } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { useListParams } from "#lib/address/list-params.ts";
import { orderParams } from "#lib/address/list-queries.ts";
import { useMayChange } from "#lib/changes.ts";
import { useMayEnter } from "#lib/session.ts";
import { confirm } from "#ui/confirm.tsx";
import { Empty } from "#ui/empty.tsx";
import { lazyPart } from "#ui/lazy-part.tsx";
import { RefreshButton } from "#ui/refresh-button.tsx";
import { DataTable } from "#ui/table/data-table.tsx";
import { DroppedFilters } from "#ui/table/dropped-filters.tsx";
import { NoMatches } from "#ui/table/filters.tsx";
import { pagedList } from "#ui/table/paged-list.ts";
import { RowButton } from "#ui/table/row-buttons.tsx";
import { toast } from "#ui/toast.tsx";
import { ordersQuery, useOrderAction } from "./api.ts";
import { orderColumns } from "./order-columns.tsx";
import { OrderExport } from "./order-export.tsx";
import { hasOrderFilter, noFilters, OrderFilters } from "./order-filters.tsx";

const RefundDialog = lazyPart(() => import("./refund-dialog.tsx").then((module) => module.RefundDialog));

export function OrderList() {
  const { t } = useTranslation("payments");
  const [params, setParams] = useListParams(orderParams);
  const orders = useQuery(ordersQuery({ ...params, order: params.order || "-id" }));
  const edits = useMayChange();
  const act = useOrderAction();
  const [refunding, setRefunding] = useState<OrderRow | null>(null);
  const seesUsers = useMayEnter("users");
  const columns = useMemo(() => orderColumns(t, seesUsers), [t, seesUsers]);
  const filtered = hasOrderFilter(params);

  const check = ({ id }: OrderRow) =>
    act.mutate(
      { id, action: "check" },
      {
        onSuccess: ({ status }) =>
          status === "success"
            ? toast.success(t("The payment arrived and was credited."))
            : toast.info(t("The payment gateway has not reported a payment yet.")),
      },
    );

  const close = async (order: OrderRow) => {
    const sure = await confirm({
      title: t("Close the order {{number}}?", { number: order.trade_no }),
      body: t("The user can no longer pay this order. If a payment arrives anyway, it is credited."),
      action: t("Close order"),
    });
    if (sure)
      act.mutate({ id: order.id, action: "close" }, { onSuccess: () => toast.success(t("Order closed")) });
  };

  return (
    <>
      <DroppedFilters params={orderParams} />
      <DataTable
        id="payment-orders"
        views="payment-orders"
        label={t("Orders")}
        columns={columns}
        {...pagedList(orders, params, setParams)}
        rowKey={(order) => String(order.id)}
        rowActions={(order) =>
          edits && order.status === "success" ? (
            <RowButton
              label={t("Mark as refunded")}
              icon={IconReceiptRefund}
              onClick={() => setRefunding(order)}
            />
          ) : edits && order.status !== "refunded" ? (
            <>
              <RowButton
                label={t("Query the gateway")}
                icon={IconRefresh}
                disabled={act.isPending}
                onClick={() => check(order)}
              />
              {order.status === "pending" ? (
                <RowButton label={t("Close order")} icon={IconX} onClick={() => void close(order)} />
              ) : null}
            </>
          ) : null
        }
        tools={
          <>
            <OrderExport query={params} />
            <RefreshButton onRefresh={orders.refetch} />
          </>
        }
        toolbar={<OrderFilters params={params} onChange={setParams} />}
        empty={
          filtered ? (
            <NoMatches title={t("No order matches")} onClear={() => setParams(noFilters)} />
          ) : (
            <Empty
              icon={IconReceipt}
              title={t("No orders yet")}
              hint={t("Orders appear here when a user starts a top-up.")}
            />
          )
        }
      />
      {refunding ? <RefundDialog order={refunding} onClose={() => setRefunding(null)} /> : null}
    </>
  );
}
