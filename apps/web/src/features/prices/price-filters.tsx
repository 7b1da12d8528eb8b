/** The filters of the price list, kept in the address. */
import { Button, SegmentedControl } from "@mantine/core";
import { IconTags } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { oneOf, paging, type ParamsOf, textParam, whole } from "#lib/address/params.ts";
import { Empty } from "#ui/empty.tsx";
import { FilterSheet } from "#ui/table/filter-sheet.tsx";
import { FilterSelect, SearchBox } from "#ui/table/filters.tsx";
import { ownerName, type Owners } from "./price-columns.tsx";

export const pricesParams = {
  ...paging,
  tab: oneOf(["single", "multiple"]),
  keyword: textParam(),
  owner: whole(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, 0),
  type: oneOf(["", "tokens", "times"]),
  locked: oneOf(["", "yes", "no"]),
  unit: oneOf(["M", "K"]),
};
type PriceFilterValues = ParamsOf<typeof pricesParams>;

export const noFilters = { keyword: "", owner: 0, type: "", locked: "" } as const;

/** Returns the number of active filters besides the search. */
function filterCount(params: PriceFilterValues): number {
  return [params.owner !== 0, params.type !== "", params.locked !== ""].filter(Boolean).length;
}

export function hasPriceFilter(params: PriceFilterValues): boolean {
  return params.keyword !== "" || filterCount(params) > 0;
}

type PriceFiltersProps = {
  params: PriceFilterValues;
  onChange: (patch: Partial<PriceFilterValues>) => void;
  owners: Owners;
  /** Owners that have a price. */
  used: number[];
};

export function PriceFilters({ params, onChange, owners, used }: PriceFiltersProps) {
  const { t } = useTranslation("prices");
  return (
    <>
      <SearchBox
        value={params.keyword}
        onChange={(keyword) => onChange({ keyword })}
        placeholder={t("Model or owner")}
      />
      <FilterSheet active={filterCount(params)}>
        <FilterSelect
          label={t("Owner")}
          searchable
          value={params.owner === 0 ? "" : String(params.owner)}
          onChange={(owner) => onChange({ owner: Number(owner) })}
          data={used.map((id) => ({ value: String(id), label: ownerName(owners, id, t) }))}
        />
        <FilterSelect
          label={t("Billed")}
          value={params.type}
          onChange={(type) => onChange({ type: type === "times" || type === "tokens" ? type : "" })}
          data={[
            { value: "tokens", label: t("by tokens") },
            { value: "times", label: t("per call") },
          ]}
        />
        <FilterSelect
          label={t("Lock")}
          value={params.locked}
          onChange={(locked) => onChange({ locked: locked === "yes" || locked === "no" ? locked : "" })}
          data={[
            { value: "yes", label: t("Locked") },
            { value: "no", label: t("Not locked") },
          ]}
        />
        <SegmentedControl
          size="xs"
          aria-label={t("Unit")}
          data={[
            { value: "M", label: t("per 1M tokens") },
            { value: "K", label: t("per 1K tokens") },
          ]}
          value={params.unit}
          onChange={(unit) => onChange({ unit })}
        />
      </FilterSheet>
    </>
  );
}

/** @param onUpdate undefined for someone who may not change prices */
export function NoPrices({ onUpdate }: { onUpdate: (() => void) | undefined }) {
  const { t } = useTranslation("prices");
  if (onUpdate === undefined) return <Empty icon={IconTags} title={t("No prices yet")} />;
  return (
    <Empty
      icon={IconTags}
      title={t("No prices yet")}
      hint={t("Import the built-in list, or enter the first price.")}
      action={<Button onClick={onUpdate}>{t("Update prices")}</Button>}
    />
  );
}
