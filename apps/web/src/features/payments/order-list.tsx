/** All users' orders and payments. */
import type { OrderRow } from "@gateway/shared/billing/order";
import { orderStatuses as statuses } from "@gateway/shared/billing/order-status";
import { Button, Group, Tooltip } from "@mantine/core";
import {
  IconAlertTriangle,
  IconInfoCircle,
  IconReceipt,
  IconReceiptRefund,
  IconRefresh,
  IconX,
} from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { TFunction } from "i18next";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { commonOrderColumns } from "#components/order-columns.tsx";
import { OrderStatus, orderStatuses } from "#components/order-status.tsx";
import { useListParams } from "#lib/address/list-params.ts";
import { orderParams } from "#lib/address/list-queries.ts";
import { useMayChange } from "#lib/changes.ts";
import { formatMoney } from "#lib/format/money.ts";
import { useMayEnter } from "#lib/session.ts";
import { confirm } from "#ui/confirm.tsx";
import { CopyCode } from "#ui/copy.tsx";
import { Empty } from "#ui/empty.tsx";
import { lazyPart } from "#ui/lazy-part.tsx";
import { QuietLink } from "#ui/quiet-link.tsx";
import { RefreshButton } from "#ui/refresh-button.tsx";
import { RelativeTime } from "#ui/relative-time.tsx";
import { Short } from "#ui/short.tsx";
import { DataTable } from "#ui/table/data-table.tsx";
import { DroppedFilters } from "#ui/table/dropped-filters.tsx";
import { FilterSheet } from "#ui/table/filter-sheet.tsx";
import { ClearFilters, FilterSelect, SearchBox } from "#ui/table/filters.tsx";
import { pagedList } from "#ui/table/paged-list.ts";
import { RowButton } from "#ui/table/row-buttons.tsx";
import type { Column } from "#ui/table/table-model.ts";
import { toast } from "#ui/toast.tsx";
import { gatewayNamesQuery, ordersQuery, useOrderAction } from "./api.ts";
import { DayFilter } from "./day-filter.tsx";
import { OrderExport } from "./order-export.tsx";
import { troubleText } from "./trouble-labels.ts";

const RefundDialog = lazyPart(() => import("./refund-dialog.tsx").then((module) => module.RefundDialog));

const noFilters = {
  trade_no: "",
  gateway_no: "",
  status: "",
  gateway_id: 0,
  user_id: 0,
  username: "",
  start_timestamp: 0,
  end_timestamp: 0,
} as const;

export function OrderList() {
  const { t } = useTranslation("payments");
  const [params, setParams] = useListParams(orderParams);
  const orders = useQuery(ordersQuery({ ...params, order: params.order || "-id" }));
  const names = useQuery(gatewayNamesQuery).data ?? [];
  const edits = useMayChange();
  const act = useOrderAction();
  const [refunding, setRefunding] = useState<OrderRow | null>(null);
  const seesUsers = useMayEnter("users");
  const columns = useMemo(() => orderColumns(t, seesUsers), [t, seesUsers]);
  const filtered = Object.entries(noFilters).some(
    ([name, value]) => params[name as keyof typeof noFilters] !== value,
  );

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
        toolbar={
          <>
            <SearchBox
              value={params.trade_no}
              onChange={(trade_no) => setParams({ trade_no })}
              placeholder={t("Order number")}
              width={155}
            />
            <FilterSheet
              active={
                [
                  params.gateway_no,
                  params.username || params.user_id,
                  params.status,
                  params.gateway_id,
                  params.start_timestamp || params.end_timestamp,
                ].filter(Boolean).length
              }
            >
              <SearchBox
                value={params.gateway_no}
                onChange={(gateway_no) => setParams({ gateway_no })}
                placeholder={t("Gateway transaction ID")}
                width={195}
              />
              <SearchBox
                value={params.username || (params.user_id === 0 ? "" : String(params.user_id))}
                onChange={(username) => setParams({ username, user_id: 0 })}
                placeholder={t("Username or ID")}
                width={145}
              />
              <FilterSelect
                label={t("Status")}
                w={130}
                value={params.status}
                onChange={(status) => setParams({ status: statuses.find((one) => one === status) ?? "" })}
                data={statuses.map((value) => ({ value, label: t(orderStatuses[value].title) }))}
              />
              <FilterSelect
                label={t("Gateway")}
                w={130}
                value={params.gateway_id === 0 ? "" : String(params.gateway_id)}
                onChange={(id) => setParams({ gateway_id: Number(id) })}
                data={names}
              />
              <DayFilter
                from={params.start_timestamp}
                to={params.end_timestamp}
                onChange={(start_timestamp, end_timestamp) => setParams({ start_timestamp, end_timestamp })}
              />
              {filtered ? <ClearFilters onClear={() => setParams(noFilters)} /> : null}
            </FilterSheet>
          </>
        }
        empty={
          filtered ? (
            <Empty
              title={t("No order matches")}
              action={
                <Button variant="default" onClick={() => setParams(noFilters)}>
                  {t("Clear filters")}
                </Button>
              }
            />
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

/** @param linksUsers whether names lead to the pages of the accounts */
function orderColumns(t: TFunction<"payments">, linksUsers: boolean): Column<OrderRow>[] {
  const shared = commonOrderColumns<OrderRow>(t);
  return [
    { ...shared.number, fixed: true },
    shared.time,
    {
      id: "status",
      title: t("Status"),
      card: "fact",
      sortable: true,
      cell: (order) => <OrderState order={order} />,
    },
    {
      id: "user_id",
      title: t("Username"),
      sortable: true,
      cell: (order) => {
        const name = (
          <Short text={order.username} title={`${order.username} · ID ${order.user_id}`} width={120} />
        );
        return linksUsers ? <QuietLink to={`/panel/user/${order.user_id}`}>{name}</QuietLink> : name;
      },
    },
    { ...shared.gateway, title: t("Payment gateway"), sortable: true, secondary: true },
    { ...shared.amount, secondary: true },
    { ...shared.toPay, sortable: true },
    {
      id: "discount",
      title: t("Discount"),
      align: "right",
      hidden: true,
      cell: (order) => formatMoney(order.discount, "USD"),
    },
    {
      id: "fee",
      title: t("Fee"),
      align: "right",
      hidden: true,
      cell: (order) => formatMoney(order.fee, "USD"),
    },
    { ...shared.credit, secondary: true },
    {
      id: "gateway_no",
      title: t("Gateway transaction ID"),
      hidden: true,
      cell: (order) =>
        order.gateway_no === "" ? (
          "–"
        ) : (
          <CopyCode text={order.gateway_no} label={t("Gateway transaction ID")} />
        ),
    },
    {
      id: "paid_at",
      title: t("Paid at"),
      hidden: true,
      cell: (order) => <RelativeTime inList seconds={order.paid_at} />,
    },
    { id: "id", title: "ID", align: "right", sortable: true, hidden: true, cell: (order) => order.id },
  ];
}

function OrderState({ order }: { order: OrderRow }) {
  const { t } = useTranslation("payments");
  const Sign = order.status === "refunded" ? IconInfoCircle : IconAlertTriangle;
  const trouble = order.status === "refunded" ? order.refund_reason : troubleText(t, order);
  if (trouble === "") return <OrderStatus status={order.status} />;
  return (
    <Group gap={6} wrap="nowrap">
      <OrderStatus status={order.status} />
      <Tooltip label={trouble} multiline maw={320}>
        <Sign
          size={15}
          color={order.status === "refunded" ? undefined : "var(--mantine-color-amber-text)"}
          role="img"
          aria-label={trouble}
          tabIndex={0}
        />
      </Tooltip>
    </Group>
  );
}
