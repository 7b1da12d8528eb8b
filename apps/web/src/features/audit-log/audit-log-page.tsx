/** The audit log: who changed what in the console, with the previous values. Read-only. */
import type { AuditRow } from "@gateway/shared/usage/audit";
import { IconHistory } from "@tabler/icons-react";
import { type QueryClient, useInfiniteQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { useDrawerParam } from "#lib/address/drawer-param.ts";
import { useListParams } from "#lib/address/list-params.ts";
import { initialOf } from "#lib/address/params.ts";
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
import { FilterSelect, NoMatches, SearchBox } from "#ui/table/filters.tsx";
import type { Column } from "#ui/table/table-model.ts";
import { auditParams, auditQuery, fetchEntry, type AuditRange } from "./api.ts";
import type { SettingNames } from "./field-labels.ts";
import { actorText, targetLabels } from "./labels.ts";
import { entrySentence, type SentenceInput } from "./sentence.ts";
import classes from "./audit-log.module.css";

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
  const format = useFormat();
  const columns = useMemo(() => auditColumns({ t, format, settings }), [t, format, settings]);
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
        tools={<RefreshButton onRefresh={audit.refetch} />}
        empty={
          narrowed ? (
            <NoMatches title={t("No results")} onClear={() => setFilter(noFilter)} />
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

function auditColumns(input: SentenceInput): Column<AuditRow>[] {
  const { t } = input;
  return [
    {
      id: "action",
      title: t("Change"),
      fixed: true,
      card: "title",
      sortable: true,
      cell: (row) => <span className={classes.sentence}>{entrySentence(input, row)}</span>,
    },
    {
      id: "username",
      title: t("Who"),
      secondary: true,
      card: "none",
      sortable: true,
      cell: (row) => <Short text={actorText(t, row)} width={140} />,
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
      card: "fact",
      sortable: true,
      cell: (row) => <RelativeTime inList seconds={row.created_time} />,
    },
  ];
}
