/** Exports the filtered orders as a file. */
import type { OrderQuery, OrderRow } from "@gateway/shared/billing/order";
import { useQueryClient } from "@tanstack/react-query";
import { formatTime } from "#lib/format/quota.ts";
import { ListExport } from "#ui/table/list-export.tsx";
import { ordersQuery } from "./api.ts";

const time = (seconds: number | null) => (seconds ? formatTime(seconds) : "");

const fields: [string, (row: OrderRow) => string | number][] = [
  ["id", (row) => row.id],
  ["order_number", (row) => row.trade_no],
  ["gateway_number", (row) => row.gateway_no],
  ["gateway", (row) => row.gateway_name],
  ["user_id", (row) => row.user_id],
  ["username", (row) => row.username],
  ["status", (row) => row.status],
  ["top_up_usd", (row) => row.amount],
  ["to_pay", (row) => row.order_amount],
  ["currency", (row) => row.order_currency],
  ["fee_usd", (row) => row.fee],
  ["discount_usd", (row) => row.discount],
  ["credit_points", (row) => row.quota],
  ["created", (row) => time(row.created_at)],
  ["paid", (row) => time(row.paid_at)],
  ["refunded", (row) => time(row.refunded_at)],
  ["refund_reason", (row) => row.refund_reason],
  ["trouble", (row) => row.trouble],
];

export function OrderExport({ query }: { query: OrderQuery }) {
  const client = useQueryClient();
  return (
    <ListExport
      name="orders"
      fields={fields}
      fetchPage={(slice) => client.fetchQuery(ordersQuery({ ...query, ...slice }))}
    />
  );
}
