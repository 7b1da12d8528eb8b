/** The log: every call and every change of a balance, with time, speed, price and failure. */
import { mayEnter } from "@gateway/shared/accounts/roles";
import { LogType } from "@gateway/shared/usage/log-type";
import { Button, Card, Tabs } from "@mantine/core";
import { useLocalStorage } from "@mantine/hooks";
import { type QueryClient, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { facetsQuery, logsQuery, MOST_SORTED, totalsQuery, type LogScope } from "#features/logs/api.ts";
import { Flags } from "#features/logs/filters/flags.tsx";
import {
  countNarrowing,
  type LogFilter,
  logParams,
  noNarrowing,
  logWindow,
} from "#features/logs/filters/log-filter.ts";
import { LogFilters } from "#features/logs/filters/log-filters.tsx";
import { isCall } from "#features/logs/log-labels.ts";
import { typeTabs } from "#features/logs/log-labels.ts";
import { idOfCall } from "#lib/address/call-address.ts";
import { useDrawerParam } from "#lib/address/drawer-param.ts";
import { useListParams } from "#lib/address/list-params.ts";
import { initialOf } from "#lib/address/params.ts";
import { formatTime, useFormat } from "#lib/format/quota.ts";
import { selfQuery, useMayEnter, useSelf } from "#lib/session.ts";
import { Empty } from "#ui/empty.tsx";
import { lazyPart } from "#ui/lazy-part.tsx";
import { Page } from "#ui/page/page.tsx";
import { DataTable } from "#ui/table/data-table.tsx";
import { DroppedFilters } from "#ui/table/dropped-filters.tsx";
import { NoMatches } from "#ui/table/filters.tsx";
import { COLUMNS } from "#ui/table/views/linked-columns.ts";
import { FirstCall } from "./first-call.tsx";
import { Histogram } from "./histogram.tsx";
import { CompactRow, logColumns } from "./log-columns.tsx";
import { LogTools } from "./log-tools.tsx";
import { timeOfDay } from "./time-cell.tsx";
import { Totals } from "./totals.tsx";
import { useRowKeys } from "./use-row-keys.ts";
import facetClasses from "#features/logs/filters/facets.module.css";
import classes from "#features/logs/logs.module.css";

const CallPanel = lazyPart(
  () => import("#features/logs/detail/call-panel.tsx").then((module) => module.CallPanel),
  ({ id }) => id !== "",
);

const liveEveryMs = 5_000;

/** Prefetches the first page of the list. */
export async function prefetch(client: QueryClient): Promise<void> {
  const self = client.getQueryData(selfQuery.queryKey);
  if (!self) return;
  const filter = initialOf(logParams);
  const scope: LogScope = mayEnter(self, "logs") ? "everybody" : "own";
  await Promise.all([
    client.prefetchInfiniteQuery(logsQuery(scope, filter)),
    client.prefetchQuery(totalsQuery(scope, filter)),
    client.prefetchQuery(facetsQuery(scope, filter)),
  ]);
}

export default function LogsPage() {
  const { t } = useTranslation("logs");
  const format = useFormat();
  const self = useSelf();
  const [filter, setFilter] = useListParams(logParams);
  const scope: LogScope = useMayEnter("logs") && filter.view === "" ? "everybody" : "own";
  const [live, setLive] = useLocalStorage({ key: "log-live", defaultValue: false });
  const panel = useDrawerParam("call");

  const logs = useInfiniteQuery({
    ...logsQuery(scope, filter),
    // Every loaded page is refetched, so the interval grows with their number.
    refetchInterval: (query) => (live ? liveEveryMs * (query.state.data?.pages.length ?? 1) : false),
  });
  const totals = useQuery({ ...totalsQuery(scope, filter), refetchInterval: live ? liveEveryMs : false });
  const rows = useMemo(() => logs.data?.pages.flatMap((page) => page.data), [logs.data]);
  const aboutAnyCall = [LogType.all, LogType.consume, LogType.failed].some(
    (type) => type === filter.log_type,
  );
  const {
    data: facets,
    dataUpdatedAt: countedAt,
    isPending: countsPending,
  } = useQuery({
    ...facetsQuery(scope, filter),
    enabled: aboutAnyCall,
    refetchInterval: live ? 4 * liveEveryMs : false,
  });
  const searchedUntil = logs.data?.pages.at(-1)?.searched_until;
  const open = useRowKeys(rows, panel);
  const columns = useMemo(() => logColumns(t, format, scope === "everybody"), [t, format, scope]);
  const aboutCalls = filter.log_type === LogType.all || filter.log_type === LogType.consume;
  const firstCallWaits = self?.request_count === 0 && aboutCalls && countNarrowing(filter) === 0;
  // The time is indexed. Any other order sorts only the newest rows.
  const isPartlySorted =
    !/^(-?created_at)?$/.test(filter.order) && (logs.data?.pages[0]?.total_count ?? 0) > MOST_SORTED;
  const refresh = () => Promise.all([logs.refetch(), totals.refetch()]);

  return (
    <Page
      title={t("Logs")}
      description={t("All calls with tokens, duration and cost. Select a call to see its details.")}
      actions={<LogTools scope={scope} filter={filter} live={live} onLive={setLive} onRefresh={refresh} />}
    >
      <DroppedFilters params={logParams} others={["call", "page", COLUMNS]} />
      <div className={classes.head}>
        <TypeTabs type={filter.log_type} onChange={(log_type) => setFilter({ log_type })} />
        <Totals totals={totals.data} old={totals.isPlaceholderData} failed={totals.isError} />
      </div>
      {aboutAnyCall && facets && facets.counted > 0 ? (
        <div className={facetClasses.strip}>
          <Histogram
            histogram={facets.histogram}
            period={logWindow(filter, new Date(countedAt))}
            now={countedAt / 1000}
            onNarrow={(from, to) => setFilter({ range: "custom", from, to })}
          />
          <Flags facets={facets} filter={filter} onChange={setFilter} forAdmins={scope === "everybody"} />
        </div>
      ) : aboutAnyCall && countsPending && rows?.length !== 0 ? (
        // Keeps the place, so that the list does not move.
        <div className={facetClasses.strip} aria-busy />
      ) : null}
      <DataTable
        id={scope === "everybody" ? "logs-admin" : "logs"}
        views="log"
        label={t("Logs")}
        columns={columns}
        rows={rows}
        rowKey={(row) => row.id}
        fetching={logs.isPlaceholderData}
        error={logs.error}
        onRetry={() => void refresh()}
        order={filter.order}
        onOrder={(order) => setFilter({ order })}
        onOpen={(row) => panel.open(idOfCall(row))}
        openKey={open.row?.id ?? ""}
        compactRow={(row) => <CompactRow row={row} t={t} forAdmins={scope === "everybody"} />}
        paging={{
          kind: "more",
          hasMore: logs.hasNextPage,
          loading: logs.isFetchingNextPage,
          onMore: () => void logs.fetchNextPage(),
          ...(searchedUntil === undefined
            ? {}
            : {
                moreLabel: t("Search older calls"),
                note: t("searched back to {{time}}", { time: momentText(searchedUntil) }),
              }),
        }}
        toolbar={<LogFilters filter={filter} onChange={setFilter} scope={scope} facets={facets} />}
        note={isPartlySorted ? t("The newest 10,000 rows are sorted.") : undefined}
        empty={
          firstCallWaits ? (
            <FirstCall />
          ) : (
            <Nothing
              filter={filter}
              onChange={setFilter}
              searchedUntil={searchedUntil}
              searching={logs.isFetchingNextPage}
              onSearch={() => void logs.fetchNextPage()}
            />
          )
        }
      />
      {firstCallWaits && rows && rows.length > 0 && !rows.some(isCall) ? (
        <Card padding={0}>
          <FirstCall />
        </Card>
      ) : null}
      <CallPanel id={panel.key} onClose={panel.close} {...open} />
    </Page>
  );
}

type TypeTabsProps = { type: number; onChange: (type: number) => void };

function TypeTabs({ type: shown, onChange }: TypeTabsProps) {
  const { t } = useTranslation("logs");
  return (
    <Tabs value={String(shown)} onChange={(type) => onChange(Number(type))} className={classes.tabs}>
      <Tabs.List className={classes.tabList}>
        {typeTabs.map(({ type, text }) => (
          <Tabs.Tab key={type} value={String(type)}>
            {t(text)}
          </Tabs.Tab>
        ))}
      </Tabs.List>
    </Tabs>
  );
}

/** Formats a time, with the date unless it is today. */
function momentText(seconds: number): string {
  const text = formatTime(seconds);
  return text.slice(0, 10) === formatTime(Date.now() / 1000).slice(0, 10) ? timeOfDay(seconds) : text;
}

type NothingProps = {
  filter: LogFilter;
  onChange: (patch: Partial<LogFilter>) => void;
  /** Older calls have not been searched yet. */
  searchedUntil: number | undefined;
  searching: boolean;
  onSearch: () => void;
};

function Nothing({ filter, onChange, searchedUntil, searching, onSearch }: NothingProps) {
  const { t } = useTranslation("logs");
  const narrowed = countNarrowing(filter) > 0 || filter.log_type !== 0;
  if (searchedUntil !== undefined)
    return (
      <Empty
        title={t("No match since {{time}}", { time: momentText(searchedUntil) })}
        hint={t("This filter has no index. It searches 10,000 calls at a time.")}
        action={
          <Button variant="default" loading={searching} onClick={onSearch}>
            {t("Search older calls")}
          </Button>
        }
      />
    );
  if (narrowed)
    return (
      <NoMatches
        title={t("No results")}
        hint={t("Filters match complete names. Use fewer filters or a longer period.")}
        onClear={() => onChange({ ...noNarrowing, log_type: LogType.all })}
      />
    );
  return (
    <Empty
      title={t("No activity in this period")}
      action={
        <Button variant="default" onClick={() => onChange({ range: "all" })}>
          {t("Show all time")}
        </Button>
      }
    />
  );
}
