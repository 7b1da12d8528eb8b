import { useTranslation } from "react-i18next";
import { FilterSheet } from "#ui/table/filter-sheet.tsx";
import { SearchBox } from "#ui/table/filters.tsx";

type BillingTagFilterProps = { value: string; onChange: (tag: string) => void };

/** The filter by billing tag: in a sheet on a phone. */
export function BillingTagFilter({ value, onChange }: BillingTagFilterProps) {
  const { t } = useTranslation("tokens");
  return (
    <FilterSheet active={value === "" ? 0 : 1}>
      <SearchBox value={value} onChange={onChange} placeholder={t("Billing tag")} width={150} />
    </FilterSheet>
  );
}
