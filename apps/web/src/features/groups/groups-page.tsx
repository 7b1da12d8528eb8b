/** User groups: prices, rate limits and reachable channels. */
import { DEFAULT_GROUP } from "@gateway/shared/channels/default-group";
import type { UserGroupDetail } from "@gateway/shared/channels/group";
import { Box, Button } from "@mantine/core";
import { IconGauge, IconPercentage, IconPlus } from "@tabler/icons-react";
import { type QueryClient, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { NEW, useDrawerParam } from "#lib/address/drawer-param.ts";
import { useListParams } from "#lib/address/list-params.ts";
import { groupParams } from "#lib/address/list-queries.ts";
import { initialOf } from "#lib/address/params.ts";
import { useMayChange } from "#lib/changes.ts";
import { useBudgetUses } from "#lib/queries/budgets.ts";
import { confirmDeletion } from "#ui/confirm.tsx";
import { lazyPart } from "#ui/lazy-part.tsx";
import { OpenedRow } from "#ui/page/opened-row.tsx";
import { Page } from "#ui/page/page.tsx";
import { DataTable } from "#ui/table/data-table.tsx";
import { DroppedFilters } from "#ui/table/dropped-filters.tsx";
import { FilterSheet } from "#ui/table/filter-sheet.tsx";
import { FilterSelect, NoMatches, SearchBox } from "#ui/table/filters.tsx";
import { pagedList } from "#ui/table/paged-list.ts";
import { EditButtons, RowButton } from "#ui/table/row-buttons.tsx";
import { fetchGroup, groupsQuery, useDeleteGroup } from "./api.ts";
import { groupColumns } from "./group-columns.tsx";

const BudgetDialog = lazyPart(() =>
  import("#components/budgets/budget-dialog.tsx").then((module) => module.BudgetDialog),
);

const GroupDrawer = lazyPart(() => import("./group-drawer.tsx").then((module) => module.GroupDrawer));
const PriceChangeDialog = lazyPart(() =>
  import("./price-change-dialog.tsx").then((module) => module.PriceChangeDialog),
);

/** Opens the dialog without a group. */
const ANY_GROUP = "group";

export function prefetch(client: QueryClient): Promise<void> {
  return client.prefetchQuery(groupsQuery({ ...initialOf(groupParams), order: "id" }));
}

export default function GroupsPage() {
  const { t } = useTranslation("groups");
  const mayChange = useMayChange();
  const [params, setParams] = useListParams(groupParams);
  const groups = useQuery(groupsQuery({ ...params, order: params.order || "id" }));
  const remove = useDeleteGroup();
  const edited = useDrawerParam();
  const budgeted = useDrawerParam("budget");
  const priced = useDrawerParam("prices");
  const budgets = useBudgetUses("group", groups.data?.data);
  const columns = useMemo(() => groupColumns(t, budgets), [t, budgets]);

  const destroy = async (group: UserGroupDetail) => {
    await confirmDeletion(
      {
        title: t("Delete the group {{name}}?", { name: group.name }),
        body: t("Logs keep the name of the group. This cannot be undone."),
      },
      () => remove.mutateAsync(group.id),
    );
  };

  return (
    <Page
      title={t("User groups")}
      description={t(
        "Each account and token belongs to a group, which determines its channels, prices and rate limit.",
      )}
      actions={
        mayChange ? (
          <>
            <Button
              variant="default"
              leftSection={<IconPercentage size={16} />}
              onClick={() => priced.open(ANY_GROUP)}
            >
              {t("Change prices")}
            </Button>
            <Button leftSection={<IconPlus size={16} />} onClick={() => edited.open(NEW)}>
              {t("New group")}
            </Button>
          </>
        ) : null
      }
    >
      <DroppedFilters params={groupParams} />
      <DataTable
        id="user-groups"
        views="user-groups"
        label={t("User groups")}
        columns={columns}
        {...pagedList(groups, params, setParams)}
        rowKey={(group) => String(group.id)}
        onOpen={(group) => edited.open(group.id)}
        rowActions={(group) => (
          <>
            {mayChange ? (
              <>
                <RowButton
                  label={t("Change prices")}
                  icon={IconPercentage}
                  onClick={() => priced.open(group.id)}
                />
                <RowButton
                  label={t("Set the budget")}
                  icon={IconGauge}
                  onClick={() => budgeted.open(group.id)}
                />
              </>
            ) : null}
            <EditButtons
              onEdit={() => edited.open(group.id)}
              {...(group.symbol === DEFAULT_GROUP ? {} : { onDelete: () => void destroy(group) })}
            />
            {/* Keeps the buttons of all rows in columns. */}
            {group.symbol === DEFAULT_GROUP ? <Box w={28} /> : null}
          </>
        )}
        toolbar={
          <>
            <SearchBox
              value={params.keyword}
              onChange={(keyword) => setParams({ keyword })}
              placeholder={t("Name or identifier")}
            />
            <FilterSheet active={params.enable === "" ? 0 : 1}>
              <FilterSelect
                label={t("Status")}
                value={params.enable}
                onChange={(enable) =>
                  setParams({ enable: enable === "true" || enable === "false" ? enable : "" })
                }
                data={[
                  { value: "true", label: t("Enabled") },
                  { value: "false", label: t("Disabled") },
                ]}
              />
            </FilterSheet>
          </>
        }
        empty={
          // The default group cannot be deleted: without filters the list is never empty.
          <NoMatches title={t("No group matches")} onClear={() => setParams({ keyword: "", enable: "" })} />
        }
      />
      <OpenedRow
        opened={edited}
        rows={groups.data?.data}
        keyOf={(group) => String(group.id)}
        load={fetchGroup}
        create={mayChange ? <GroupDrawer group={undefined} onClose={edited.close} /> : undefined}
      >
        {(group) => <GroupDrawer key={group.id} group={group} onClose={edited.close} />}
      </OpenedRow>
      {priced.key !== "" && mayChange ? (
        <PriceChangeDialog key={priced.key} group={priced.key} onClose={priced.close} />
      ) : null}
      <OpenedRow
        opened={budgeted}
        rows={groups.data?.data}
        keyOf={(group) => String(group.id)}
        load={fetchGroup}
      >
        {(group) => (
          <BudgetDialog
            key={group.id}
            target="group"
            id={group.id}
            name={group.name}
            onClose={budgeted.close}
          />
        )}
      </OpenedRow>
    </Page>
  );
}
