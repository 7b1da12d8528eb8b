/** Filters and order of the list of models. Each option shows the number of its models. */
import type { UserGroupMap } from "@gateway/shared/channels/group";
import { ActionIcon, SegmentedControl, Select, Skeleton, Tooltip } from "@mantine/core";
import { IconLayoutGrid, IconList } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { OwnerIcon } from "#components/icons/owner-icon.tsx";
import { useFormat } from "#lib/format/quota.ts";
import { ownersQuery } from "#lib/queries/owners.ts";
import { FilterSelect, SearchBox } from "#ui/table/filters.tsx";
import { useIsPhone } from "#ui/use-is-phone.ts";
import { ChoiceChips } from "./choice-chips.tsx";
import { modelKindName, nameOfSorting } from "./labels.ts";
import { countFacet, type Facet, type Offer, sortings } from "./offers.ts";
import type { PriceView } from "./price-params.ts";

export type OfferFiltersProps = {
  /** Undefined while loading. */
  offers: Offer[] | undefined;
  groups: UserGroupMap[string][];
  params: PriceView;
  group: string;
  /** Includes models of other groups. */
  open: boolean;
  onChange: (patch: Partial<PriceView>) => void;
};

export function OfferSearch({ params, onChange }: Pick<OfferFiltersProps, "params" | "onChange">) {
  const { t } = useTranslation("model-prices");
  return (
    <SearchBox
      value={params.keyword}
      onChange={(keyword) => onChange({ keyword })}
      placeholder={t("Find a model")}
      width={280}
    />
  );
}

/** Returns the options of a filter that have models, with their number, and the selected one. */
function useFacetCounts({ offers, params, group, open }: OfferFiltersProps) {
  return (facet: Facet) =>
    countFacet(offers ?? [], { ...params, group: open ? "" : group }, facet).filter(
      (each) => each.count > 0 || params[facet] === each.value,
    );
}

const withCount = (label: string, of: number) => `${label} (${of})`;

export function OfferSelects(props: OfferFiltersProps) {
  const { offers, params, onChange } = props;
  const { t } = useTranslation("model-prices");
  const phone = useIsPhone();
  const format = useFormat();
  const count = useFacetCounts(props);
  const waiting = offers === undefined;
  const tags = count("tag");
  return (
    <>
      <FilterSelect
        disabled={waiting}
        label={t("Type")}
        value={params.kind}
        onChange={(kind) => onChange({ kind })}
        data={count("kind").map((each) => ({
          value: each.value,
          label: withCount(t(modelKindName(each.value)), each.count),
        }))}
      />
      {waiting || tags.length > 0 ? (
        <FilterSelect
          disabled={waiting}
          label={t("Tag")}
          value={params.tag}
          onChange={(tag) => onChange({ tag })}
          data={tags.map((each) => ({ value: each.value, label: withCount(each.value, each.count) }))}
        />
      ) : null}
      <FilterSelect
        disabled={waiting}
        label={t("Context")}
        value={params.context}
        onChange={(context) => onChange({ context: context as PriceView["context"] })}
        data={count("context").map((each) => ({
          value: each.value,
          label: withCount(
            t("From {{tokens}} tokens", { tokens: format.short(Number(each.value)) }),
            each.count,
          ),
        }))}
      />
      <FilterSelect
        disabled={waiting}
        label={t("Input price")}
        value={params.price}
        onChange={(price) => onChange({ price: price as PriceView["price"] })}
        data={count("price").map((each) => ({
          value: each.value,
          label: withCount(
            each.value === "0" ? t("Free") : t("Up to ${{usd}} / 1M", { usd: each.value }),
            each.count,
          ),
        }))}
      />
      <Select
        aria-label={t("Sort by")}
        {...(phone ? {} : { w: 160 })}
        allowDeselect={false}
        checkIconPosition="right"
        data={sortings.map((value) => ({ value, label: t(nameOfSorting(value)) }))}
        value={params.sort}
        onChange={(sort) => onChange({ sort: sortings.find((each) => each === sort) ?? "usage" })}
      />
    </>
  );
}

/** The providers and the groups, one line each. */
export function OfferChips(props: OfferFiltersProps) {
  const { offers, groups, params, group, onChange } = props;
  const { t } = useTranslation("model-prices");
  const ownerRows = useQuery(ownersQuery).data;
  const waiting = offers === undefined;
  const owners = useFacetCounts(props)("owner");
  const reached = new Map(
    countFacet(offers ?? [], { ...params, group }, "group").map((each) => [each.value, each.count]),
  );
  const iconOf = (name: string) => ownerRows?.find((owner) => owner.name === name)?.icon ?? "";
  return (
    <>
      {waiting ? <Skeleton height={32} maw={520} /> : null}
      {owners.length > 1 ? (
        <ChoiceChips
          label={t("Provider")}
          value={params.owner}
          onChange={(owner) => onChange({ owner })}
          choices={[
            {
              value: "",
              label: t("All providers"),
              note: String(owners.reduce((sum, each) => sum + each.count, 0)),
            },
            ...owners.map((each) => ({
              value: each.value,
              label: each.value,
              note: String(each.count),
              icon: <OwnerIcon icon={iconOf(each.value)} name={each.value} size={16} />,
            })),
          ]}
        />
      ) : null}
      {!waiting && groups.length > 1 ? (
        <ChoiceChips
          label={t("Group")}
          value={group}
          onChange={(next) => onChange({ group: next })}
          choices={groups.map(({ symbol, name, ratio }) => ({
            value: symbol,
            label: name,
            note: `${ratio === 0 ? t("Free") : `×${ratio}`} · ${reached.get(symbol) ?? 0}`,
          }))}
        />
      ) : null}
    </>
  );
}

type ViewControlProps = Pick<OfferFiltersProps, "params" | "onChange">;

export function UnitControl({ params, onChange }: ViewControlProps) {
  const { t } = useTranslation("model-prices");
  return (
    <SegmentedControl
      size="xs"
      aria-label={t("Unit")}
      data={[
        { value: "M", label: t("per million") },
        { value: "K", label: t("per thousand") },
      ]}
      value={params.unit}
      onChange={(unit) => onChange({ unit: unit === "K" ? "K" : "M" })}
    />
  );
}

/** Switches between cards and a list. */
export function ViewButton({ params, onChange }: ViewControlProps) {
  const { t } = useTranslation("model-prices");
  const next = params.view === "cards" ? "list" : "cards";
  const label = next === "list" ? t("Show as a list") : t("Show as cards");
  return (
    <Tooltip label={label}>
      <ActionIcon size={34} aria-label={label} onClick={() => onChange({ view: next })}>
        {next === "list" ? <IconList size={18} /> : <IconLayoutGrid size={18} />}
      </ActionIcon>
    </Tooltip>
  );
}
