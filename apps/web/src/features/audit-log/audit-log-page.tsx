/** The audit log: who changed what in the console, with the previous values. Read-only. */
import type { AuditRow } from "@gateway/shared/usage/audit";
import { Button, Group, Text } from "@mantine/core";
import { IconHistory } from "@tabler/icons-react";
import { type QueryClient, useInfiniteQuery } from "@tanstack/react-query";
import type { TFunction } from "i18next";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { useDrawerParam } from "#lib/address/drawer-param.ts";
import { useListParams } from "#lib/address/list-params.ts";
import { initialOf } from "#lib/address/params.ts";
import { joinList } from "#lib/format/join-list.ts";
import { useFormat } from "#lib/format/quota.ts";
import { Empty } from "#ui/empty.tsx";
import { lazyPart } from "#ui/lazy-part.tsx";
import { OpenedRow } from "#ui/page/opened-row.tsx";
import { Page } from "#ui/page/page.tsx";
import { RefreshButton } from "#ui/refresh-button.tsx";
import { RelativeTime } from "#ui/relative-time.tsx";
import { Short } from "#ui/short.tsx";
import { DataTable } from "#ui/table/data-table.tsx";
import { DroppedFilters } from "#ui/table/dropped-filters.tsx";
import { FilterSheet } from "#ui/table/filter-sheet.tsx";
import { FilterSelect, SearchBox } from "#ui/table/filters.tsx";
import type { Column } from "#ui/table/table-model.ts";
import { auditParams, auditQuery, fetchEntry, type AuditRange } from "./api.ts";
import { changesOf } from "./diff.ts";
import { fieldLabel, fieldValue, type SettingNames, targetName } from "./field-labels.ts";
import { actorText, entryLabels, targetLabels } from "./labels.ts";

const AuditDetails = lazyPart(() => import("./audit-details.tsx").then((module) => module.AuditDetails));

const noFilter = initialOf(auditParams);

export function prefetch(client: QueryClient): Promise<void> {
  return client.prefetchInfiniteQuery(auditQuery(initialOf(auditParams)));
}

/** @param settings names of the settings, which another feature has */
export default function AuditLogPage({ settings }: { settings: SettingNames }) {
  const { t } = useTranslation("audit-log");
  const [filter, setFilter] = useListParams(auditParams);
  const opened = useDrawerParam("entry");
  const audit = useInfiniteQuery(auditQuery(filter));
  const rows = useMemo(() => audit.data?.pages.flatMap((page) => page.data), [audit.data]);
  const columns = useMemo(() => auditColumns(t, settings), [t, settings]);
  const narrowed = JSON.stringify({ ...filter, order: "" }) !== JSON.stringify(noFilter);

  return (
    <Page
      title={t("Audit log")}
      description={t("All changes by administrators. Open a row to see the old and new values.")}
    >
      <DroppedFilters params={auditParams} />
      <DataTable
        id="audit"
        views="audit"
        label={t("Audit log")}
        columns={columns}
        rows={rows}
        rowKey={(row) => row.id}
        fetching={audit.isPlaceholderData}
        error={audit.error}
        onRetry={() => void audit.refetch()}
        onOpen={(row) => opened.open(row.id)}
        order={filter.order}
        onOrder={(order) => setFilter({ order })}
        paging={{
          kind: "more",
          hasMore: audit.hasNextPage,
          loading: audit.isFetchingNextPage,
          onMore: () => void audit.fetchNextPage(),
        }}
        toolbar={
          <>
            <SearchBox
              value={filter.username}
              onChange={(username) => setFilter({ username })}
              placeholder={t("Username")}
              width={170}
            />
            <FilterSheet
              active={[filter.target_type, filter.target_id, filter.range !== "all"].filter(Boolean).length}
            >
              <FilterSelect
                label={t("Target")}
                value={filter.target_type}
                onChange={(target_type) => setFilter({ target_type })}
                data={Object.entries(targetLabels).map(([value, word]) => ({ value, label: t(word) }))}
              />
              <SearchBox
                value={filter.target_id}
                onChange={(target_id) => setFilter({ target_id })}
                placeholder={t("Target ID or name")}
                width={170}
              />
              <FilterSelect
                label={t("Time")}
                value={filter.range === "all" ? "" : filter.range}
                onChange={(range) => setFilter({ range: (range || "all") as AuditRange })}
                data={[
                  { value: "day", label: t("Last 24 hours") },
                  { value: "week", label: t("Last 7 days") },
                  { value: "month", label: t("Last 30 days") },
                ]}
              />
            </FilterSheet>
          </>
        }
        tools={<RefreshButton loading={audit.isRefetching} onClick={() => void audit.refetch()} />}
        empty={
          narrowed ? (
            <Empty
              title={t("No results")}
              action={
                <Button variant="default" onClick={() => setFilter(noFilter)}>
                  {t("Clear filters")}
                </Button>
              }
            />
          ) : (
            <Empty
              icon={IconHistory}
              title={t("No changes yet")}
              hint={t("Every change by an administrator is recorded here.")}
            />
          )
        }
      />
      <OpenedRow opened={opened} rows={rows} keyOf={(row) => row.id} load={fetchEntry}>
        {(row) => <AuditDetails row={row} settings={settings} onClose={opened.close} />}
      </OpenedRow>
    </Page>
  );
}

function auditColumns(t: TFunction<"audit-log">, settings: SettingNames): Column<AuditRow>[] {
  return [
    {
      id: "action",
      title: t("Action"),
      fixed: true,
      card: "title",
      sortable: true,
      cell: (row) => {
        const [target, action] = entryLabels(t, row);
        return (
          <span>
            <Text span fw={600} fz="inherit">
              {target}
            </Text>
            {action}
          </span>
        );
      },
    },
    {
      id: "target_id",
      title: t("Target"),
      card: "fact",
      sortable: true,
      width: 160,
      cell: (row) => <Target row={row} settings={settings} />,
    },
    {
      id: "changes",
      title: t("Fields"),
      secondary: true,
      card: "line",
      width: 220,
      cell: (row) => <Fields row={row} />,
    },
    {
      id: "username",
      title: t("Who"),
      card: "fact",
      sortable: true,
      cell: (row) => actorText(t, row),
    },
    {
      id: "ip",
      title: t("Source IP"),
      secondary: true,
      card: "line",
      sortable: true,
      cell: (row) => row.ip || "–",
    },
    {
      id: "created_time",
      title: t("When"),
      card: "line",
      sortable: true,
      cell: (row) => <RelativeTime inList seconds={row.created_time} />,
    },
  ];
}

const mostFields = 3;

function Target({ row, settings }: { row: AuditRow; settings: SettingNames }) {
  const { t } = useTranslation("audit-log");
  const name = targetName(t, row, settings);
  if (row.target_type === "setting" && name !== row.target_name)
    return <Short text={name} width={200} title={`${name} (${row.target_id})`} />;
  return name === "" || name === row.target_id ? (
    <Text span ff="monospace" fz="sm">
      {row.target_id}
    </Text>
  ) : (
    <Group component="span" display="inline-flex" gap={6} align="baseline" wrap="nowrap">
      <Short text={name} width={150} />
      <Text span c="dimmed" fz="xs">
        #{row.target_id}
      </Text>
    </Group>
  );
}

/** The labels of the first changed fields; a single one with its values. */
function Fields({ row }: { row: AuditRow }) {
  const { t } = useTranslation("audit-log");
  const format = useFormat();
  const changed = changesOf(row.before, row.after).filter((change) => !change.same);
  const [only] = changed;
  const more = changed.length - mostFields;
  const firstChanges = changed.slice(0, mostFields);
  const label = (path: string) => fieldLabel(t, row.target_type, path);
  const text = (path: string, value: unknown) => fieldValue(format, row.target_type, path, value) || "–";
  return (
    <Text
      span
      c="dimmed"
      fz="inherit"
      truncate
      display="block"
      maw="calc(min(320px, 24vw) + var(--spare))"
      title={firstChanges.map((change) => change.path).join(", ")}
    >
      {only && changed.length === 1
        ? t("{{field}}: {{detail}}", {
            field: label(only.path),
            detail: `${text(only.path, only.before)} → ${text(only.path, only.after)}`,
          })
        : joinList(firstChanges.map((change) => label(change.path))) || "–"}
      {more > 0 ? ` +${more}` : ""}
    </Text>
  );
}
