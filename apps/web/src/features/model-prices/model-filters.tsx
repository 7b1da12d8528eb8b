/** All filters of the list of models, and how it is shown. On a phone most of them are in a sheet. */
import { FilterSheet } from "#ui/table/filter-sheet.tsx";
import { ClearFilters } from "#ui/table/filters.tsx";
import { ViewsMenu } from "#ui/table/views/views-menu.tsx";
import { useIsPhone } from "#ui/use-is-phone.ts";
import { CapabilityChips } from "./capability-chips.tsx";
import {
  OfferChips,
  type OfferFiltersProps,
  OfferSearch,
  OfferSelects,
  UnitControl,
  ViewButton,
} from "./offer-filters.tsx";
import { noFilters } from "./price-params.ts";
import classes from "./model-prices.module.css";

type ModelFiltersProps = OfferFiltersProps & {
  /** Offers saved views, to users who are signed in. */
  savesViews: boolean;
};

export function ModelFilters({ savesViews, ...filters }: ModelFiltersProps) {
  const { offers, params, group, open, onChange } = filters;
  const phone = useIsPhone();
  const capabilities = (
    <CapabilityChips
      offers={offers}
      filter={{ ...params, group: open ? "" : group }}
      sort={params.sort}
      onChange={onChange}
    />
  );
  const views = savesViews ? <ViewsMenu list="models" /> : null;
  if (phone) {
    const { keyword: _search, ...inSheet } = noFilters;
    const active = Object.keys(inSheet).filter((name) => params[name as keyof typeof inSheet] !== "").length;
    return (
      <div className={classes.phoneFilters}>
        <OfferSearch params={params} onChange={onChange} />
        <FilterSheet active={active}>
          <OfferSelects {...filters} />
          <OfferChips {...filters} />
          {capabilities}
          <UnitControl params={params} onChange={onChange} />
          {active > 0 ? <ClearFilters onClear={() => onChange(inSheet)} /> : null}
        </FilterSheet>
        {views}
        <ViewButton params={params} onChange={onChange} />
      </div>
    );
  }
  return (
    <>
      <div className={classes.filters}>
        <div className={classes.bar}>
          <OfferSearch params={params} onChange={onChange} />
          <OfferSelects {...filters} />
        </div>
        <OfferChips {...filters} />
      </div>
      <div className={classes.bar}>
        {capabilities}
        <div className={classes.end}>
          <UnitControl params={params} onChange={onChange} />
          {views}
          <ViewButton params={params} onChange={onChange} />
        </div>
      </div>
    </>
  );
}
