/** User groups: prices, rate limits and reachable channels. */
import type { BudgetUses } from "@gateway/shared/accounts/budget";
import { formatSum } from "@gateway/shared/billing/money";
import { DEFAULT_GROUP } from "@gateway/shared/channels/default-group";
import type { UserGroupDetail } from "@gateway/shared/channels/group";
import { Badge, Box, Button, Switch, Text, Tooltip } from "@mantine/core";
import { IconGauge, IconPercentage, IconPlus } from "@tabler/icons-react";
import { type QueryClient, useQuery } from "@tanstack/react-query";
import type { TFunction } from "i18next";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { budgetColumn } from "#components/budgets/budget-bars.tsx";
import { NEW, useDrawerParam } from "#lib/address/drawer-param.ts";
import { useListParams } from "#lib/address/list-params.ts";
import { groupParams } from "#lib/address/list-queries.ts";
import { initialOf } from "#lib/address/params.ts";
import { useMayChange } from "#lib/changes.ts";
import { useBudgetUses } from "#lib/queries/budgets.ts";
import { confirmDeletion } from "#ui/confirm.tsx";
import { Empty } from "#ui/empty.tsx";
import { lazyPart } from "#ui/lazy-part.tsx";
import { OpenedRow } from "#ui/page/opened-row.tsx";
import { Page } from "#ui/page/page.tsx";
import { Short } from "#ui/short.tsx";
import { StatusDot } from "#ui/status-dot.tsx";
import { DataTable } from "#ui/table/data-table.tsx";
import { DroppedFilters } from "#ui/table/dropped-filters.tsx";
import { FilterSheet } from "#ui/table/filter-sheet.tsx";
import { FilterSelect, SearchBox } from "#ui/table/filters.tsx";
import { pagedList } from "#ui/table/paged-list.ts";
import { EditButtons, RowButton } from "#ui/table/row-buttons.tsx";
import type { Column } from "#ui/table/table-model.ts";
import { fetchGroup, groupsQuery, useDeleteGroup } from "./api.ts";
import { useGroupSwitch } from "./use-group-switch.ts";

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
  const filtered = params.keyword !== "" || params.enable !== "";

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
          <Empty
            title={t("No group matches")}
            action={
              filtered ? (
                <Button variant="default" onClick={() => setParams({ keyword: "", enable: "" })}>
                  {t("Clear filters")}
                </Button>
              ) : null
            }
          />
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

/** @param budgets per group with a budget, the use of the member who has spent the most */
function groupColumns(t: TFunction<"groups">, budgets: BudgetUses): Column<UserGroupDetail>[] {
  return [
    {
      id: "name",
      title: t("Name"),
      fixed: true,
      sortable: true,
      width: 180,
      cell: (group) => (
        <Box>
          <Short strong text={group.name} width={240} />
          <Text c="dimmed" fz="xs" ff="monospace">
            {group.symbol}
          </Text>
        </Box>
      ),
    },
    { id: "enable", title: t("Enabled"), sortable: true, cell: (group) => <EnableSwitch group={group} /> },
    {
      id: "ratio",
      title: t("Ratio"),
      align: "right",
      sortable: true,
      card: "fact",
      cell: (group) => (group.ratio === 0 ? t("Free") : `×${group.ratio}`),
    },
    {
      id: "api_rate",
      title: t("Requests per minute"),
      align: "right",
      sortable: true,
      card: "fact",
      cell: (group) => formatSum(group.api_rate, 0),
    },
    {
      id: "public",
      secondary: true,
      title: t("Public"),
      sortable: true,
      cell: (group) => (
        <Badge color={group.public ? "iris" : "gray"}>{group.public ? t("Public") : t("Members only")}</Badge>
      ),
    },
    {
      id: "min",
      secondary: true,
      title: t("Promotion"),
      sortable: true,
      cell: (group) => <Promotion group={group} />,
    },
    { ...budgetColumn(t("Budget per member"), (group) => budgets[group.id]), secondary: true },
    { id: "user_count", title: t("Accounts"), align: "right", cell: (group) => group.user_count },
    { id: "channel_count", title: t("Channels"), align: "right", cell: (group) => group.channel_count },
    { id: "id", title: "ID", align: "right", sortable: true, hidden: true, cell: (group) => group.id },
  ];
}

function Promotion({ group }: { group: UserGroupDetail }) {
  const { t } = useTranslation("groups");
  if (!group.promotion)
    return (
      <Text span c="dimmed" fz="inherit">
        –
      </Text>
    );
  return group.max === 0
    ? t("from ${{min}}", { min: group.min })
    : t("${{min}} to ${{max}}", { min: group.min, max: group.max });
}

function EnableSwitch({ group }: { group: UserGroupDetail }) {
  const { t } = useTranslation("groups");
  const mayChange = useMayChange();
  const toggle = useGroupSwitch(group);
  if (group.symbol === DEFAULT_GROUP)
    return (
      <Tooltip label={t("The default group cannot be disabled")}>
        <span tabIndex={0}>
          <StatusDot tone="good">{t("Always")}</StatusDot>
        </span>
      </Tooltip>
    );
  return (
    <Switch
      size="xs"
      aria-label={t("Enable {{name}}", { name: group.name })}
      checked={group.enable}
      disabled={!mayChange || toggle.isPending}
      onChange={(event) => toggle.mutate(event.currentTarget.checked)}
    />
  );
}
