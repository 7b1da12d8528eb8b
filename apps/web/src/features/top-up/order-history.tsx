/** The user's orders. Renders nothing without orders when no payments are accepted. */
import type { OwnOrder } from "@gateway/shared/billing/order";
import { Button, Text } from "@mantine/core";
import { IconReceipt } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { TFunction } from "i18next";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { commonOrderColumns } from "#components/order-columns.tsx";
import { OrderStatus } from "#components/order-status.tsx";
import { useListParams } from "#lib/address/list-params.ts";
import { ownOrderParams } from "#lib/address/list-queries.ts";
import { Empty } from "#ui/empty.tsx";
import { DataTable } from "#ui/table/data-table.tsx";
import { pagedList } from "#ui/table/paged-list.ts";
import type { Column } from "#ui/table/table-model.ts";
import { choicesQuery, ownOrdersQuery } from "./api.ts";

export function OrderHistory({ onWait }: { onWait: (order: OwnOrder) => void }) {
  const { t } = useTranslation("top-up");
  const [params, setParams] = useListParams(ownOrderParams);
  const orders = useQuery(ownOrdersQuery(params));
  const choices = useQuery(choicesQuery).data;
  const columns = useMemo(() => orderColumns(t), [t]);
  const none = orders.data?.total_count === 0;
  if (none && choices?.length === 0) return null;
  // When no payments are accepted, a list that may be empty would only flash.
  if (!orders.data && !orders.error && !choices?.length) return null;
  return (
    <DataTable
      id="own-orders"
      label={t("Your orders")}
      columns={columns}
      {...pagedList(orders, params, setParams)}
      rowKey={(order) => String(order.id)}
      rowActions={(order) =>
        order.status === "pending" ? (
          <Button size="compact-sm" variant="default" onClick={() => onWait(order)}>
            {t("Continue payment")}
          </Button>
        ) : null
      }
      toolbar={
        // As far from the border as the cells below.
        <Text component="h2" fw={600} fz="md" lh="36px" m={0} pl={4}>
          {t("Your orders")}
        </Text>
      }
      empty={
        <Empty
          compact
          icon={IconReceipt}
          title={t("No orders yet")}
          hint={t("Your online payments are listed here.")}
        />
      }
    />
  );
}

function orderColumns(t: TFunction<"top-up">): Column<OwnOrder>[] {
  const shared = commonOrderColumns<OwnOrder>(t);
  return [
    { ...shared.time, fixed: true, width: 140 },
    {
      id: "status",
      title: t("Status"),
      card: "fact",
      sortable: true,
      cell: (order) => <OrderStatus status={order.status} />,
    },
    shared.gateway,
    { ...shared.amount, sortable: true },
    shared.toPay,
    shared.credit,
    { ...shared.number, secondary: true },
  ];
}
