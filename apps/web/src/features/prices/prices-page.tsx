/** Prices of models, individually or grouped by price; edited here or imported from a list. */
import type { PriceRow } from "@gateway/shared/billing/price";
import { Button, Tabs } from "@mantine/core";
import { IconBan, IconDownload, IconPlus } from "@tabler/icons-react";
import { type QueryClient, useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { DisabledModelsNote } from "#components/disabled-models/disabled-models-note.tsx";
import { useDrawerParam } from "#lib/address/drawer-param.ts";
import { useListParams } from "#lib/address/list-params.ts";
import { useMayChange } from "#lib/changes.ts";
import { joinList } from "#lib/format/join-list.ts";
import { ownersQuery } from "#lib/queries/owners.ts";
import { pricesQuery } from "#lib/queries/prices.ts";
import { useMayEnter } from "#lib/session.ts";
import { confirmDeletion } from "#ui/confirm.tsx";
import { lazyPart } from "#ui/lazy-part.tsx";
import { RowMissing } from "#ui/page/opened-row-states.tsx";
import { Page } from "#ui/page/page.tsx";
import { DataTable } from "#ui/table/data-table.tsx";
import { DroppedFilters } from "#ui/table/dropped-filters.tsx";
import { NoMatches } from "#ui/table/filters.tsx";
import { EditButtons, RowButton } from "#ui/table/row-buttons.tsx";
import { useDeletePrices } from "./api.ts";
import { LastUpdate } from "./last-update.tsx";
import { MissingPrices } from "./missing-prices.tsx";
import { groupColumns, ownerName, priceColumns } from "./price-columns.tsx";
import { hasPriceFilter, noFilters, NoPrices, PriceFilters, pricesParams } from "./price-filters.tsx";
import { filterPrices, groupPrices, type PriceGroup, sortPrices } from "./price-list.ts";
import { usePriceFormTarget } from "./use-price-form-target.ts";

const PriceDrawer = lazyPart(() => import("./price-drawer.tsx").then((module) => module.PriceDrawer));
const DisableModelDialog = lazyPart(() =>
  import("#components/disabled-models/disable-model-dialog.tsx").then((module) => module.DisableModelDialog),
);
const UpdateDialog = lazyPart(() => import("./update-dialog.tsx").then((module) => module.UpdateDialog));

export function prefetch(client: QueryClient): Promise<void> {
  return client.prefetchQuery(pricesQuery);
}

function pageOf({ page, size }: { page: number; size: number }, total: number) {
  return { kind: "pages" as const, page: Math.min(page, Math.max(1, Math.ceil(total / size))), size, total };
}

export default function PricesPage() {
  const { t } = useTranslation("prices");
  const mayChange = useMayChange();
  const [params, setParams] = useListParams(pricesParams);
  const prices = useQuery(pricesQuery);
  const ownerRows = useQuery(ownersQuery).data;
  const remove = useDeletePrices();
  const [edited, setEdited, closeEdited] = usePriceFormTarget(prices.data);
  const updating = useDrawerParam("update");
  const disabling = useDrawerParam("disable");
  const mayDisable = useMayEnter("channels", "edit");
  const [selected, setSelected] = useState<string[]>([]);
  const owners = useMemo(() => new Map((ownerRows ?? []).map((owner) => [owner.id, owner])), [ownerRows]);

  const all = useMemo(() => prices.data ?? [], [prices.data]);
  const found = useMemo(
    () =>
      sortPrices(
        filterPrices(all, params, (id) => ownerName(owners, id, t)),
        params.order,
      ),
    [all, params, owners, t],
  );
  const groups = useMemo(() => groupPrices(found), [found]);
  const single = useMemo(() => priceColumns(t, owners, params.unit), [t, owners, params.unit]);
  const multiple = useMemo(() => groupColumns(t, owners, params.unit), [t, owners, params.unit]);
  const usedOwners = [...new Set(all.map((row) => row.channel_type))].filter((id) => owners.has(id));

  const destroy = async (models: string[]) => {
    const question = {
      title: t("Delete {{count}} prices?", { count: models.length }),
      body: t("Calls to these models are refused until they have a price again: {{models}}", {
        models: joinList(models.slice(0, 20)),
      }),
    };
    if (!(await confirmDeletion(question, () => remove.mutateAsync(models)))) return;
    setSelected((keys) => keys.filter((key) => !models.includes(key)));
  };

  const actions = (models: string[], price: PriceRow) => (
    <EditButtons onEdit={() => setEdited({ price, models })} onDelete={() => void destroy(models)} />
  );

  const slice = <T,>(rows: T[]) => rows.slice((params.page - 1) * params.size, params.page * params.size);
  const common = {
    views: "prices",
    fetching: prices.isFetching,
    error: prices.error,
    onRetry: () => void prices.refetch(),
    toolbar: <PriceFilters params={params} onChange={setParams} owners={owners} used={usedOwners} />,
    empty: hasPriceFilter(params) ? (
      <NoMatches title={t("No price matches")} onClear={() => setParams(noFilters)} />
    ) : (
      <NoPrices onUpdate={mayChange ? () => updating.open("list") : undefined} />
    ),
  };
  const paging = (total: number) => ({ ...pageOf(params, total), onChange: setParams });

  return (
    <Page
      title={t("Prices")}
      description={t("The price of each model before the group's ratio. Changes apply from the next call.")}
      actions={
        mayChange ? (
          <PageActions onUpdate={() => updating.open("list")} onNew={() => setEdited({ models: [] })} />
        ) : null
      }
    >
      <DroppedFilters params={pricesParams} />
      {prices.data ? <LastUpdate /> : null}
      <DisabledModelsNote />
      {prices.data ? <MissingPrices rows={all} onPrice={(models) => setEdited({ models })} /> : null}
      <Tabs
        value={params.tab}
        onChange={(tab) => setParams({ tab: tab === "multiple" ? "multiple" : "single", page: 1 })}
        keepMounted={false}
      >
        <Tabs.List mb="md">
          <Tabs.Tab value="single">{t("By model")}</Tabs.Tab>
          <Tabs.Tab value="multiple">{t("By price")}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="single">
          <DataTable<PriceRow>
            {...common}
            id="prices"
            label={t("Prices")}
            columns={single}
            rows={prices.data ? slice(found) : undefined}
            rowKey={(row) => row.model}
            order={params.order}
            onOrder={(order) => setParams({ order })}
            onOpen={(row) => setEdited({ price: row, models: [row.model] })}
            rowActions={(row) => (
              <>
                {actions([row.model], row)}
                {mayDisable && !row.model.includes("*") ? (
                  <RowButton
                    label={t("Disable everywhere")}
                    icon={IconBan}
                    onClick={() => disabling.open(row.model)}
                  />
                ) : null}
              </>
            )}
            {...(mayChange
              ? {
                  selection: {
                    keys: selected,
                    onChange: setSelected,
                    all: {
                      total: found.length,
                      load: () => Promise.resolve(found.map(({ model }) => model)),
                    },
                  },
                }
              : {})}
            bulkActions={(keys) => (
              <BulkActions
                onPrice={() => {
                  const first = all.find((row) => row.model === keys[0]);
                  if (first) setEdited({ price: first, models: keys });
                }}
                onDelete={() => void destroy(keys)}
              />
            )}
            paging={paging(found.length)}
          />
        </Tabs.Panel>
        <Tabs.Panel value="multiple">
          <DataTable<PriceGroup>
            {...common}
            id="price-groups"
            label={t("Prices")}
            columns={multiple}
            rows={prices.data ? slice(groups) : undefined}
            rowKey={(group) => group.key}
            onOpen={({ price, models }) => setEdited({ price, models })}
            rowActions={({ price, models }) => actions(models, price)}
            paging={paging(groups.length)}
          />
        </Tabs.Panel>
      </Tabs>
      {disabling.key !== "" && mayDisable ? (
        <DisableModelDialog model={disabling.key} onClose={disabling.close} />
      ) : null}
      {edited === "missing" ? <RowMissing onClose={closeEdited} /> : null}
      {edited !== null && edited !== "missing" ? (
        <PriceDrawer key={edited.models.join()} edited={edited} onClose={closeEdited} />
      ) : null}
      {updating.key !== "" && mayChange ? <UpdateDialog owners={owners} onClose={updating.close} /> : null}
    </Page>
  );
}

type PricePageActionsProps = { onUpdate: () => void; onNew: () => void };

function PageActions({ onUpdate, onNew }: PricePageActionsProps) {
  const { t } = useTranslation("prices");
  return (
    <>
      <Button variant="default" leftSection={<IconDownload size={16} />} onClick={onUpdate}>
        {t("Update prices")}
      </Button>
      <Button leftSection={<IconPlus size={16} />} onClick={onNew}>
        {t("New price")}
      </Button>
    </>
  );
}

type BulkActionsProps = { onPrice: () => void; onDelete: () => void };

function BulkActions({ onPrice, onDelete }: BulkActionsProps) {
  const { t } = useTranslation("prices");
  return (
    <>
      <Button variant="default" onClick={onPrice}>
        {t("Set one price for all")}
      </Button>
      <Button variant="default" c="red" onClick={onDelete}>
        {t("Delete")}
      </Button>
    </>
  );
}
