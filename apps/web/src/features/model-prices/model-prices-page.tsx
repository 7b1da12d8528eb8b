import { PageQuery } from "@gateway/shared/paging";
/** Every model the visitor could call, and what it costs in each group. */
import { Badge, Button, SegmentedControl, Switch } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { z } from "zod";
import { useListParams } from "#lib/list-params.ts";
import { useSelf } from "#lib/session.ts";
import { DataTable } from "#ui/data-table.tsx";
import { Empty } from "#ui/empty.tsx";
import { FilterSelect, SearchBox } from "#ui/filters.tsx";
import { Page } from "#ui/page.tsx";
import { groupsQuery, modelsQuery } from "./api.ts";
import { useOfferColumns } from "./offer-columns.tsx";
import { OfferDrawer } from "./offer-drawer.tsx";
import { filterOffers, type Offer, offersOf } from "./offers.ts";

const PriceQuery = PageQuery.extend({
  size: PageQuery.shape.page.default(20).catch(20),
  keyword: z.string().default(""),
  owner: z.string().default(""),
  group: z.string().default(""),
  unit: z.enum(["M", "K"]).catch("M").default("M"),
  reachable: z.stringbool().catch(false).default(false),
});

export default function ModelPricesPage() {
  const { t } = useTranslation();
  const self = useSelf();
  const [params, setParams] = useListParams(PriceQuery);
  const [open, setOpen] = useState<Offer | null>(null);
  const models = useQuery(modelsQuery);
  const groups = useQuery(groupsQuery);

  const offers = useMemo(() => offersOf(models.data ?? {}), [models.data]);
  const groupList = Object.values(groups.data ?? {});
  const group = params.group || self?.group || groupList[0]?.symbol || "";
  const groupRatio = groups.data?.[group]?.ratio ?? 1;
  const found = filterOffers(offers, { ...params, group });
  const shown = found.slice((params.page - 1) * params.size, params.page * params.size);
  const owners = [...new Set(offers.map((offer) => offer.owner).filter((owner) => owner !== ""))];
  const columns = useOfferColumns({ unit: params.unit, group, groupRatio });
  const filtered = params.keyword !== "" || params.owner !== "" || params.reachable;

  return (
    <Page
      title={t("Available models")}
      description={
        params.unit === "M"
          ? t("Prices per million tokens, with the ratio of the chosen group.")
          : t("Prices per thousand tokens, with the ratio of the chosen group.")
      }
    >
      <DataTable
        id="model-prices"
        label={t("Available models")}
        columns={columns}
        rows={models.data ? shown : undefined}
        rowKey={(offer) => offer.model}
        error={models.error}
        onRetry={() => void models.refetch()}
        onOpen={setOpen}
        paging={{
          kind: "pages",
          page: params.page,
          size: params.size,
          total: found.length,
          onChange: setParams,
        }}
        toolbar={
          <>
            <SearchBox
              value={params.keyword}
              onChange={(keyword) => setParams({ keyword })}
              placeholder={t("Find a model")}
            />
            <FilterSelect
              label={t("Vendor")}
              value={params.owner}
              onChange={(owner) => setParams({ owner })}
              data={owners.map((owner) => ({ value: owner, label: owner }))}
            />
            <SegmentedControl
              size="xs"
              aria-label={t("Unit")}
              data={[
                { value: "M", label: t("per million") },
                { value: "K", label: t("per thousand") },
              ]}
              value={params.unit}
              onChange={(unit) => setParams({ unit })}
            />
            <Switch
              size="sm"
              label={t("Only what the group reaches")}
              checked={params.reachable}
              onChange={(event) => setParams({ reachable: event.currentTarget.checked })}
            />
          </>
        }
        empty={
          <Empty
            title={filtered ? t("No model matches") : t("No models yet")}
            hint={filtered ? undefined : t("They come with the first channel of your group.")}
            action={
              filtered ? (
                <Button
                  variant="default"
                  onClick={() => setParams({ keyword: "", owner: "", reachable: false })}
                >
                  {t("Clear filters")}
                </Button>
              ) : null
            }
          />
        }
        tools={
          groupList.length > 1 ? (
            <GroupChips
              groups={groupList.map(({ symbol, name, ratio }) => ({ symbol, name, ratio }))}
              value={group}
              onChange={(next) => setParams({ group: next })}
            />
          ) : null
        }
      />
      <OfferDrawer offer={open} groups={groups.data ?? {}} unit={params.unit} onClose={() => setOpen(null)} />
    </Page>
  );
}

type GroupChipsProps = {
  groups: { symbol: string; name: string; ratio: number }[];
  value: string;
  onChange: (symbol: string) => void;
};

/** Whose prices are shown. */
function GroupChips({ groups, value, onChange }: GroupChipsProps) {
  const { t } = useTranslation();
  return groups.map((group) => (
    <Badge
      key={group.symbol}
      component="button"
      type="button"
      size="lg"
      color={group.symbol === value ? "iris" : "gray"}
      aria-pressed={group.symbol === value}
      style={{ cursor: "pointer" }}
      onClick={() => onChange(group.symbol)}
    >
      {t("{{name}} ×{{ratio}}", { name: group.name, ratio: group.ratio })}
    </Badge>
  ));
}
