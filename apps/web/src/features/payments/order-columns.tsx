/** The columns of the list of orders. */
import type { OrderRow } from "@gateway/shared/billing/order";
import { Group, Tooltip } from "@mantine/core";
import { IconAlertTriangle, IconInfoCircle } from "@tabler/icons-react";
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import { commonOrderColumns } from "#components/order-columns.tsx";
import { OrderStatus } from "#components/order-status.tsx";
import { formatMoney } from "#lib/format/money.ts";
import { CopyCode } from "#ui/copy.tsx";
import { QuietLink } from "#ui/quiet-link.tsx";
import { RelativeTime } from "#ui/relative-time.tsx";
import { Short } from "#ui/short.tsx";
import type { Column } from "#ui/table/table-model.ts";
import { troubleText } from "./trouble-labels.ts";

/** @param linksUsers whether names lead to the pages of the accounts */
export function orderColumns(t: TFunction<"payments">, linksUsers: boolean): Column<OrderRow>[] {
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
