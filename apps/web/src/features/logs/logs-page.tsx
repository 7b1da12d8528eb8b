/** Every call and every change of a balance: what, when, how fast, at what price, and why. */
import { LogType } from "@gateway/shared/usage/log";
import { Button, Card, Tabs } from "@mantine/core";
import { useLocalStorage } from "@mantine/hooks";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { useListParams } from "#lib/list-params.ts";
import { useFormat } from "#lib/quota.ts";
import { useMayEnter, useSelf } from "#lib/session.ts";
import { Empty } from "#ui/empty.tsx";
import { Page } from "#ui/page.tsx";
import { DataTable } from "#ui/table/data-table.tsx";
import { logsQuery, MOST_SORTED, totalsQuery, type Whose } from "./api.ts";
import { idOfCall, useCallPanel } from "./call-address.ts";
import { CallPanel } from "./call-panel.tsx";
import { FirstCall } from "./first-call.tsx";
import { logColumns } from "./log-columns.tsx";
import { countNarrowing, LogFilter, noNarrowing } from "./log-filter.ts";
import { LogFilters } from "./log-filters.tsx";
import { typeTabs } from "./log-labels.ts";
import { LogTools } from "./log-tools.tsx";
import { Totals } from "./totals.tsx";
import classes from "./logs.module.css";

const liveEveryMs = 5_000;

export default function LogsPage() {
  const { t } = useTranslation();
  const format = useFormat();
  const self = useSelf();
  const [filter, setFilter] = useListParams(LogFilter);
  const whose: Whose = useMayEnter("logs") && filter.view === "" ? "everybody" : "own";
  const [live, setLive] = useLocalStorage({ key: "log-live", defaultValue: false });
  const panel = useCallPanel();

  const logs = useInfiniteQuery({
    ...logsQuery(whose, filter),
    // Every loaded page is fetched again, so the more there are, the rarer.
    refetchInterval: (query) => (live ? liveEveryMs * (query.state.data?.pages.length ?? 1) : false),
  });
  const totals = useQuery({ ...totalsQuery(whose, filter), refetchInterval: live ? liveEveryMs : false });
  const rows = useMemo(() => logs.data?.pages.flatMap((page) => page.data), [logs.data]);
  const columns = useMemo(() => logColumns(t, format, whose === "everybody"), [t, format, whose]);
  const aboutCalls = filter.log_type === LogType.all || filter.log_type === LogType.consume;
  const firstCallWaits = self?.request_count === 0 && aboutCalls && countNarrowing(filter) === 0;
  // Time has an index; any other order is that of the newest rows.
  const isPartlySorted =
    !/^(-?created_at)?$/.test(filter.order) && (logs.data?.pages[0]?.total_count ?? 0) > MOST_SORTED;
  const refresh = () => void Promise.all([logs.refetch(), totals.refetch()]);

  return (
    <Page
      title={t("Logs")}
      description={t("Every call with its tokens, time and cost. Open one to see why.")}
      actions={
        <LogTools
          whose={whose}
          filter={filter}
          live={live}
          onLive={setLive}
          refreshing={logs.isRefetching}
          onRefresh={refresh}
        />
      }
    >
      <div className={classes.head}>
        <Tabs
          value={String(filter.log_type)}
          onChange={(type) => setFilter({ log_type: Number(type) })}
          className={classes.tabs}
        >
          <Tabs.List className={classes.tabList}>
            {typeTabs.map(({ type, text }) => (
              <Tabs.Tab key={type} value={String(type)}>
                {t(text)}
              </Tabs.Tab>
            ))}
          </Tabs.List>
        </Tabs>
        <Totals totals={totals.data} old={totals.isPlaceholderData} failed={totals.isError} />
      </div>
      <DataTable
        id={whose === "everybody" ? "logs-admin" : "logs"}
        label={t("Logs")}
        columns={columns}
        rows={rows}
        rowKey={(row) => row.id}
        fetching={logs.isPlaceholderData}
        error={logs.error}
        onRetry={refresh}
        order={filter.order}
        onOrder={(order) => setFilter({ order })}
        onOpen={(row) => panel.open(idOfCall(row))}
        paging={{
          kind: "more",
          hasMore: logs.hasNextPage,
          loading: logs.isFetchingNextPage,
          onMore: () => void logs.fetchNextPage(),
        }}
        toolbar={<LogFilters filter={filter} onChange={setFilter} whose={whose} />}
        note={isPartlySorted ? t("The newest 10,000 rows are sorted.") : undefined}
        empty={firstCallWaits ? <FirstCall /> : <Nothing filter={filter} onChange={setFilter} />}
      />
      {firstCallWaits && rows && rows.length > 0 ? (
        <Card padding={0}>
          <FirstCall />
        </Card>
      ) : null}
      <CallPanel id={panel.id} row={rows?.find((row) => idOfCall(row) === panel.id)} onClose={panel.close} />
    </Page>
  );
}

type NothingProps = { filter: LogFilter; onChange: (patch: Partial<LogFilter>) => void };

function Nothing({ filter, onChange }: NothingProps) {
  const { t } = useTranslation();
  const narrowed = countNarrowing(filter) > 0 || filter.log_type !== 0;
  if (narrowed)
    return (
      <Empty
        title={t("Nothing matches")}
        hint={t("Filters match whole names. Try fewer of them, or a longer time.")}
        action={
          <Button variant="default" onClick={() => onChange({ ...noNarrowing, log_type: 0 })}>
            {t("Clear filters")}
          </Button>
        }
      />
    );
  return (
    <Empty
      title={t("Nothing happened in this time")}
      action={
        <Button variant="default" onClick={() => onChange({ range: "all" })}>
          {t("Show all of it")}
        </Button>
      }
    />
  );
}
