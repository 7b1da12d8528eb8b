/** The filters of the list of orders, kept in the address. */
import type { OrderQuery } from "@gateway/shared/billing/order";
import { orderStatuses as statuses } from "@gateway/shared/billing/order-status";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { orderStatuses } from "#components/order-status.tsx";
import { FilterSheet } from "#ui/table/filter-sheet.tsx";
import { ClearFilters, FilterSelect, SearchBox } from "#ui/table/filters.tsx";
import { gatewayNamesQuery } from "./api.ts";
import { DayFilter } from "./day-filter.tsx";

export const noFilters = {
  trade_no: "",
  gateway_no: "",
  status: "",
  gateway_id: 0,
  user_id: 0,
  username: "",
  start_timestamp: 0,
  end_timestamp: 0,
} as const;

export function hasOrderFilter(params: OrderQuery): boolean {
  return Object.entries(noFilters).some(([name, value]) => params[name as keyof typeof noFilters] !== value);
}

type OrderFiltersProps = { params: OrderQuery; onChange: (patch: Partial<OrderQuery>) => void };

export function OrderFilters({ params, onChange }: OrderFiltersProps) {
  const { t } = useTranslation("payments");
  const names = useQuery(gatewayNamesQuery).data ?? [];
  return (
    <>
      <SearchBox
        value={params.trade_no}
        onChange={(trade_no) => onChange({ trade_no })}
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
          onChange={(gateway_no) => onChange({ gateway_no })}
          placeholder={t("Gateway transaction ID")}
          width={195}
        />
        <SearchBox
          value={params.username || (params.user_id === 0 ? "" : String(params.user_id))}
          onChange={(username) => onChange({ username, user_id: 0 })}
          placeholder={t("Username or ID")}
          width={145}
        />
        <FilterSelect
          label={t("Status")}
          w={130}
          value={params.status}
          onChange={(status) => onChange({ status: statuses.find((one) => one === status) ?? "" })}
          data={statuses.map((value) => ({ value, label: t(orderStatuses[value].title) }))}
        />
        <FilterSelect
          label={t("Gateway")}
          w={130}
          value={params.gateway_id === 0 ? "" : String(params.gateway_id)}
          onChange={(id) => onChange({ gateway_id: Number(id) })}
          data={names}
        />
        <DayFilter
          from={params.start_timestamp}
          to={params.end_timestamp}
          onChange={(start_timestamp, end_timestamp) => onChange({ start_timestamp, end_timestamp })}
        />
        {hasOrderFilter(params) ? <ClearFilters onClear={() => onChange(noFilters)} /> : null}
      </FilterSheet>
    </>
  );
}
