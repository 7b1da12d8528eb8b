/** Every model the user could call, with its prices by group. The same on the public site. */
import { Button, Card, Skeleton, Text } from "@mantine/core";
import { IconChevronDown } from "@tabler/icons-react";
import { type QueryClient, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { Navigate, useNavigate } from "react-router-dom";
import { DisabledModelsNote } from "#components/disabled-models/disabled-models-note.tsx";
import { useListParams, useQueryString } from "#lib/address/list-params.ts";
import { modelAddress, useInConsole } from "#lib/address/model-address.ts";
import { usableGroupsQuery } from "#lib/queries/groups.ts";
import { modelsHealthQuery, modelsQuery } from "#lib/queries/models.ts";
import { useSelf } from "#lib/session.ts";
import { Empty, LoadError } from "#ui/empty.tsx";
import { Page } from "#ui/page/page.tsx";
import { DataTable } from "#ui/table/data-table.tsx";
import { NoMatches } from "#ui/table/filters.tsx";
import { Pager } from "#ui/table/pager.tsx";
import { ComparisonBar } from "./comparison/comparison-bar.tsx";
import { useComparison } from "./comparison/use-comparison.ts";
import { ModelFilters } from "./model-filters.tsx";
import { OfferCard, type OfferCardProps } from "./offer-card.tsx";
import { useOfferColumns } from "./offer-columns.tsx";
import { filterOffers, type Offer, offersOf, sortOffers } from "./offers.ts";
import { noFilters, priceParams } from "./price-params.ts";
import classes from "./model-prices.module.css";

export function prefetch(client: QueryClient): Promise<void> {
  return client.prefetchQuery(modelsQuery);
}

export default function ModelPricesPage() {
  const inConsole = useInConsole();
  // Earlier addresses named the model in the query.
  const model = new URLSearchParams(useQueryString()).get("model");
  if (model) return <Navigate to={modelAddress(model, inConsole)} replace />;
  return <ModelList inConsole={inConsole} />;
}

function ModelList({ inConsole }: { inConsole: boolean }) {
  const { t } = useTranslation("model-prices");
  const self = useSelf();
  const navigate = useNavigate();
  const [params, setParams] = useListParams(priceParams);
  const models = useQuery(modelsQuery);
  const groups = useQuery(usableGroupsQuery);
  // Prices cannot be computed without the groups' ratios.
  const waiting = models.isPending || groups.isPending;
  const groupList = Object.values(groups.data ?? {});
  const groupNames = useMemo(
    () => new Map(Object.values(groups.data ?? {}).map(({ symbol, name }) => [symbol, name])),
    [groups.data],
  );
  // A shared address may name a group that this user cannot use.
  const group =
    [params.group, self?.group].find((symbol) => groupList.some((each) => each.symbol === symbol)) ??
    groupList[0]?.symbol ??
    "";
  const groupRatio = groups.data?.[group]?.ratio ?? 1;
  const offers = useMemo(() => offersOf(models.data ?? {}, groupRatio), [models.data, groupRatio]);
  const comparison = useComparison(params.compare, (compare) => setParams({ compare, page: params.page }));
  const filter = { ...params, group };
  const reached = sortOffers(filterOffers(offers, filter), params.sort);
  const others = sortOffers(
    filterOffers(offers, filter, "group").filter((offer) => !offer.groups.includes(group)),
    params.sort,
  );
  const open = params.others === "shown";
  const visibleOffers = open ? [...reached, ...others] : reached;
  const page = Math.min(params.page, Math.max(1, Math.ceil(visibleOffers.length / params.size)));
  const shown = visibleOffers.slice((page - 1) * params.size, page * params.size);
  const isLastPage = page * params.size >= visibleOffers.length;
  const columns = useOfferColumns({ ...params, group, groupRatio, groupNames, comparison });
  const openModel = (offer: Offer) => void navigate(modelAddress(offer.model, inConsole));
  const filtered = Object.keys(noFilters).some((name) => params[name as keyof typeof noFilters] !== "");
  const paging = {
    kind: "pages" as const,
    page,
    size: params.size,
    total: waiting ? undefined : visibleOffers.length,
    onChange: (patch: { page?: number; size?: number }) => {
      setParams(patch);
      window.scrollTo({ top: 0 });
    },
  };
  const empty = <NoModels onClear={filtered ? () => setParams(noFilters) : undefined} />;

  return (
    <Page
      title={inConsole ? t("Available models") : t("Price")}
      description={
        params.unit === "M"
          ? t("Prices per million tokens, with the ratio of the selected group.")
          : t("Prices per thousand tokens, with the ratio of the selected group.")
      }
    >
      {inConsole ? <DisabledModelsNote /> : null}
      <ModelFilters
        offers={waiting ? undefined : offers}
        groups={groupList}
        params={params}
        group={group}
        open={open}
        onChange={setParams}
        savesViews={inConsole}
      />
      {params.view === "list" ? (
        <DataTable
          id="model-prices"
          label={t("Available models")}
          columns={columns}
          rows={waiting ? undefined : shown}
          rowKey={(offer) => offer.model}
          error={models.error}
          onRetry={() => void models.refetch()}
          onOpen={openModel}
          toolbar={
            <Text c="dimmed" fz="sm" style={{ alignSelf: "center" }}>
              {t("{{count}} models", { count: visibleOffers.length })}
            </Text>
          }
          paging={paging}
          empty={empty}
        />
      ) : models.error && !models.data ? (
        <LoadError error={models.error} onRetry={() => void models.refetch()} />
      ) : !waiting && visibleOffers.length === 0 ? (
        <Card>{empty}</Card>
      ) : (
        <>
          <OfferGrid
            offers={waiting ? undefined : shown}
            unit={params.unit}
            group={group}
            groupRatio={groupRatio}
            groupNames={groupNames}
            comparison={comparison}
          />
          {waiting ? null : (
            <div className={classes.pages}>
              <Pager paging={paging} shown={shown.length} />
            </div>
          )}
        </>
      )}
      <ComparisonBar
        comparison={comparison}
        offers={offers}
        unit={params.unit}
        group={group}
        groupRatio={groupRatio}
      />
      {!waiting && others.length > 0 && (open || isLastPage) ? (
        <OtherGroups
          open={open}
          count={others.length}
          onChange={(shown) => setParams({ others: shown ? "shown" : "", page })}
        />
      ) : null}
    </Page>
  );
}

type OfferGridProps = Pick<OfferCardProps, "unit" | "group" | "groupRatio" | "groupNames" | "comparison"> & {
  /** Undefined while loading. */
  offers: Offer[] | undefined;
};

function OfferGrid({ offers, ...view }: OfferGridProps) {
  const { t } = useTranslation("model-prices");
  const inConsole = useInConsole();
  const health = useQuery({ ...modelsHealthQuery, refetchInterval: 60_000 }).data;
  const waiting = offers === undefined;
  return (
    <ul
      key={waiting ? "waiting" : "cards"}
      className={classes.grid}
      aria-label={t("Available models")}
      aria-busy={waiting}
    >
      {offers?.map((offer) => (
        <OfferCard
          key={offer.model}
          offer={offer}
          health={health?.models[offer.model]}
          to={modelAddress(offer.model, inConsole)}
          {...view}
        />
      )) ??
        placeholders.map((index) => (
          <li key={index}>
            <Skeleton height={158} radius="lg" />
          </li>
        ))}
    </ul>
  );
}

/** @param onClear clears the filters that no model matches; undefined without filters */
function NoModels({ onClear }: { onClear: (() => void) | undefined }) {
  const { t } = useTranslation("model-prices");
  if (onClear === undefined)
    return (
      <Empty title={t("No models yet")} hint={t("Models appear here when a channel serves your group.")} />
    );
  return <NoMatches title={t("No model matches")} onClear={onClear} />;
}

type OtherGroupsProps = { open: boolean; count: number; onChange: (open: boolean) => void };

/** Shows or hides the models that the selected group does not have. */
function OtherGroups({ open, count, onChange }: OtherGroupsProps) {
  const { t } = useTranslation("model-prices");
  return (
    <Button
      variant="default"
      style={{ alignSelf: "center" }}
      aria-expanded={open}
      rightSection={<IconChevronDown size={16} style={open ? { rotate: "180deg" } : undefined} />}
      onClick={() => onChange(!open)}
    >
      {open ? t("Hide models of other groups") : t("Show {{count}} models of other groups", { count })}
    </Button>
  );
}

const placeholders = Array.from({ length: 8 }, (_, index) => index);
