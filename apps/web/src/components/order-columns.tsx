/** Columns shared by the user's and the administrators' lists of orders. */
import type { OwnOrder } from "@gateway/shared/billing/order";
import { Group } from "@mantine/core";
import type { TFunction } from "i18next";
import { formatMoney } from "#lib/format/money.ts";
import { CopyCode } from "#ui/copy.tsx";
import { RelativeTime } from "#ui/relative-time.tsx";
import { Short } from "#ui/short.tsx";
import type { Column } from "#ui/table/table-model.ts";
import { amountColumn } from "./amount.tsx";
import { PaymentIcon } from "./icons/payment-icon.tsx";

type CommonColumn = "number" | "time" | "gateway" | "amount" | "toPay" | "credit";

export function commonOrderColumns<Row extends OwnOrder>(t: TFunction): Record<CommonColumn, Column<Row>> {
  return {
    number: {
      id: "trade_no",
      title: t("Order number"),
      width: 250,
      cell: (order) => <CopyCode text={order.trade_no} label={t("Order number")} />,
    },
    time: {
      id: "created_at",
      title: t("Time"),
      sortable: true,
      cell: (order) => <RelativeTime inList seconds={order.created_at} />,
    },
    gateway: {
      id: "gateway_id",
      title: t("Payment method"),
      cell: (order) => (
        <Group gap={6} wrap="nowrap">
          <PaymentIcon icon={order.gateway_icon} size={16} />
          <Short text={order.gateway_name} width={150} />
        </Group>
      ),
    },
    amount: {
      id: "amount",
      title: t("Top-up"),
      align: "right",
      card: "fact",
      cell: (order) => formatMoney(order.amount, "USD"),
    },
    toPay: {
      id: "order_amount",
      title: t("To pay"),
      align: "right",
      card: "fact",
      cell: (order) => formatMoney(order.order_amount, order.order_currency),
    },
    credit: amountColumn({ id: "quota", title: t("Credit") }, (order) => order.quota),
  };
}
