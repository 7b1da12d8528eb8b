/** All filters of the list of models, and how it is shown. */
import { CapabilityChips } from "./capability-chips.tsx";
import { OfferFilters, type OfferFiltersProps, ViewControls } from "./offer-filters.tsx";
import classes from "./model-prices.module.css";

export function ModelFilters(props: OfferFiltersProps) {
  const { offers, params, group, open, onChange } = props;
  return (
    <>
      <OfferFilters {...props} />
      <div className={classes.bar}>
        <CapabilityChips
          offers={offers}
          filter={{ ...params, group: open ? "" : group }}
          sort={params.sort}
          onChange={onChange}
        />
        <ViewControls params={params} onChange={onChange} />
      </div>
    </>
  );
}
