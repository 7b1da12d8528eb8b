/** Every model the visitor could call, and what it costs in each group; the same on the public site. */
import { PageQuery } from "@gateway/shared/paging";
import { ActionIcon, Button, Card, SegmentedControl, Skeleton, Switch, Text, Tooltip } from "@mantine/core";
import { IconLayoutGrid, IconList } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { z } from "zod";
import { OwnerIcon } from "#components/owner-icon.tsx";
import { useListParams } from "#lib/list-params.ts";
import { nameOfModality } from "#lib/modalities.ts";
import { useOpened } from "#lib/opened.ts";
import { useSelf } from "#lib/session.ts";
import { Empty, Failed } from "#ui/empty.tsx";
import { Missing } from "#ui/opened-row.tsx";
import { Page } from "#ui/page.tsx";
import { DataTable } from "#ui/table/data-table.tsx";
import { FilterSelect, SearchBox } from "#ui/table/filters.tsx";
import { Pager } from "#ui/table/pager.tsx";
import { groupsQuery, modelsQuery, ownersQuery } from "./api.ts";
import { ChoiceChips } from "./choice-chips.tsx";
import { OfferCard } from "./offer-card.tsx";
import { useOfferColumns } from "./offer-columns.tsx";
import { OfferDrawer } from "./offer-drawer.tsx";
import { filterOffers, modalitiesOf, offersOf, ownersOf, tagsOf } from "./offers.ts";
import classes from "./model-prices.module.css";

const PriceParams = PageQuery.extend({
  size: z.coerce.number().int().min(1).max(100).catch(20).default(20),
  view: z.enum(["cards", "list"]).catch("cards").default("cards"),
  keyword: z.string().default(""),
  owner: z.string().default(""),
  tag: z.string().default(""),
  modality: z.string().default(""),
  group: z.string().default(""),
  unit: z.enum(["M", "K"]).catch("M").default("M"),
  /** "yes" hides what the group does not reach. */
  reachable: z.enum(["", "yes"]).catch("").default(""),
});

export default function ModelPricesPage() {
  const { t } = useTranslation();
  const self = useSelf();
  const [params, setParams] = useListParams(PriceParams);
  const models = useQuery(modelsQuery);
  const groups = useQuery(groupsQuery);
  const ownerRows = useQuery(ownersQuery).data;

  const offers = useMemo(() => offersOf(models.data ?? {}), [models.data]);
  const owners = useMemo(() => ownersOf(offers), [offers]);
  const tags = useMemo(() => tagsOf(offers), [offers]);
  const modalities = useMemo(() => modalitiesOf(offers), [offers]);
  // Without the groups' ratios a price would be a guess.
  const waiting = models.isPending || groups.isPending;
  const groupList = Object.values(groups.data ?? {});
  // An address that was shared may name a group its reader cannot use.
  const group =
    [params.group, self?.group].find((symbol) => groupList.some((each) => each.symbol === symbol)) ??
    groupList[0]?.symbol ??
    "";
  const groupRatio = groups.data?.[group]?.ratio ?? 1;
  const found = filterOffers(offers, { ...params, reachable: params.reachable === "yes", group });
  const page = Math.min(params.page, Math.max(1, Math.ceil(found.length / params.size)));
  const shown = found.slice((page - 1) * params.size, page * params.size);
  const columns = useOfferColumns({ unit: params.unit, group, groupRatio });
  const filtered = [params.keyword, params.owner, params.tag, params.modality, params.reachable].some(
    (value) => value !== "",
  );
  const iconOf = (name: string) => ownerRows?.find((owner) => owner.name === name)?.icon ?? "";
  const details = useOpened("model");

  const empty = (
    <Empty
      title={filtered ? t("No model matches") : t("No models yet")}
      hint={filtered ? undefined : t("They come with the first channel of your group.")}
      action={
        filtered ? (
          <Button
            variant="default"
            onClick={() => setParams({ keyword: "", owner: "", tag: "", modality: "", reachable: "" })}
          >
            {t("Clear filters")}
          </Button>
        ) : null
      }
    />
  );
  const paging = {
    kind: "pages" as const,
    page,
    size: params.size,
    total: waiting ? undefined : found.length,
    onChange: (patch: { page?: number; size?: number }) => {
      setParams(patch);
      window.scrollTo({ top: 0, behavior: "smooth" });
    },
  };

  return (
    <Page
      title={t("Available models")}
      description={
        params.unit === "M"
          ? t("Prices per million tokens, with the ratio of the chosen group.")
          : t("Prices per thousand tokens, with the ratio of the chosen group.")
      }
    >
      <div className={classes.filters}>
        <div className={classes.bar}>
          <SearchBox
            value={params.keyword}
            onChange={(keyword) => setParams({ keyword })}
            placeholder={t("Find a model")}
            width={280}
          />
          <FilterSelect
            disabled={modalities.length < 2}
            label={t("Modality")}
            value={params.modality}
            onChange={(modality) => setParams({ modality })}
            data={modalities.map((value) => ({ value, label: t(nameOfModality(value)) }))}
          />
          {waiting || tags.length > 0 ? (
            <FilterSelect
              disabled={waiting}
              label={t("Tag")}
              value={params.tag}
              onChange={(tag) => setParams({ tag })}
              data={tags.map((value) => ({ value, label: value }))}
            />
          ) : null}
          <Switch
            size="sm"
            label={t("Only what the group reaches")}
            checked={params.reachable === "yes"}
            onChange={(event) => setParams({ reachable: event.currentTarget.checked ? "yes" : "" })}
          />
          <div className={classes.end}>
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
            <ViewButton view={params.view} onChange={(view) => setParams({ view, page })} />
          </div>
        </div>
        {waiting ? <Skeleton height={32} maw={520} /> : null}
        {!waiting && owners.length > 1 ? (
          <ChoiceChips
            label={t("Provider")}
            value={params.owner}
            onChange={(owner) => setParams({ owner })}
            choices={[
              { value: "", label: t("All providers"), note: String(offers.length) },
              ...owners.map(({ name, count }) => ({
                value: name,
                label: name,
                note: String(count),
                icon: <OwnerIcon icon={iconOf(name)} name={name} size={16} />,
              })),
            ]}
          />
        ) : null}
        {!waiting && groupList.length > 1 ? (
          <ChoiceChips
            label={t("Group")}
            value={group}
            onChange={(next) => setParams({ group: next })}
            choices={groupList.map(({ symbol, name, ratio }) => ({
              value: symbol,
              label: name,
              note: ratio === 0 ? t("Free") : `×${ratio}`,
            }))}
          />
        ) : null}
      </div>
      {params.view === "list" ? (
        <DataTable
          id="model-prices"
          label={t("Available models")}
          columns={columns}
          rows={waiting ? undefined : shown}
          rowKey={(offer) => offer.model}
          error={models.error}
          onRetry={() => void models.refetch()}
          onOpen={(offer) => details.open(offer.model)}
          toolbar={
            <Text c="dimmed" fz="sm" style={{ alignSelf: "center" }}>
              {t("{{count}} models", { count: found.length })}
            </Text>
          }
          paging={paging}
          empty={empty}
        />
      ) : models.error && !models.data ? (
        <Failed error={models.error} onRetry={() => void models.refetch()} />
      ) : !waiting && found.length === 0 ? (
        <Card>{empty}</Card>
      ) : (
        <>
          <ul
            key={waiting ? "waiting" : "cards"}
            className={classes.grid}
            aria-label={t("Available models")}
            aria-busy={waiting}
          >
            {!waiting
              ? shown.map((offer) => (
                  <OfferCard
                    key={offer.model}
                    offer={offer}
                    unit={params.unit}
                    group={group}
                    groupRatio={groupRatio}
                    onOpen={() => details.open(offer.model)}
                  />
                ))
              : placeholders.map((index) => (
                  <li key={index}>
                    <Skeleton height={158} radius="lg" />
                  </li>
                ))}
          </ul>
          {waiting ? null : <Pager paging={paging} shown={shown.length} />}
        </>
      )}
      <OfferDrawer
        offer={offers.find((offer) => offer.model === details.key)}
        groups={groups.data ?? {}}
        group={group}
        unit={params.unit}
        onClose={details.close}
      />
      {!waiting && models.data && details.key !== "" && !offers.some(({ model }) => model === details.key) ? (
        <Missing onClose={details.close} />
      ) : null}
    </Page>
  );
}

const placeholders = Array.from({ length: 8 }, (_, index) => index);

type View = "cards" | "list";

function ViewButton({ view, onChange }: { view: View; onChange: (view: View) => void }) {
  const { t } = useTranslation();
  const next = view === "cards" ? "list" : "cards";
  const label = next === "list" ? t("Show as a list") : t("Show as cards");
  return (
    <Tooltip label={label}>
      <ActionIcon size={34} aria-label={label} onClick={() => onChange(next)}>
        {next === "list" ? <IconList size={18} /> : <IconLayoutGrid size={18} />}
      </ActionIcon>
    </Tooltip>
  );
}
