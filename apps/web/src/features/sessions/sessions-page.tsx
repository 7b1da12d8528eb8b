/** The sessions of agents, the one with the newest call first. */
import type { AgentSessionRow } from "@gateway/shared/usage/session";
import { Button } from "@mantine/core";
import { IconTimeline } from "@tabler/icons-react";
import { type QueryClient, useInfiniteQuery } from "@tanstack/react-query";
import type { TFunction } from "i18next";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { Link, useNavigate } from "react-router-dom";
import { amountColumn } from "#components/amount.tsx";
import { useListParams } from "#lib/address/list-params.ts";
import { sessionParams } from "#lib/address/list-queries.ts";
import { sessionAddress } from "#lib/address/session-address.ts";
import { formatDuration, formatTime, type Formatters, useFormat } from "#lib/format/quota.ts";
import { useMayEnter } from "#lib/session.ts";
import { Empty } from "#ui/empty.tsx";
import { Page } from "#ui/page/page.tsx";
import { RefreshButton } from "#ui/refresh-button.tsx";
import { RelativeTime } from "#ui/relative-time.tsx";
import { Short } from "#ui/short.tsx";
import { DataTable } from "#ui/table/data-table.tsx";
import { SearchBox } from "#ui/table/filters.tsx";
import type { Column } from "#ui/table/table-model.ts";
import { sessionsQuery } from "./api.ts";
import { titleOf } from "./session-title.ts";
import classes from "./sessions.module.css";

export function prefetch(client: QueryClient): Promise<unknown> {
  return client.prefetchInfiniteQuery(sessionsQuery(""));
}

export default function SessionsPage() {
  const { t } = useTranslation("sessions");
  const format = useFormat();
  const navigate = useNavigate();
  const seesAll = useMayEnter("logs");
  const [filter, setFilter] = useListParams(sessionParams);
  const sessions = useInfiniteQuery(sessionsQuery(seesAll ? filter.username : ""));
  const rows = useMemo(() => sessions.data?.pages.flatMap((page) => page.data), [sessions.data]);
  const columns = useMemo(() => columnsOf(t, format, seesAll), [t, format, seesAll]);
  const searchedUntil = sessions.data?.pages.at(-1)?.searched_until;
  const searchOlder = () => void sessions.fetchNextPage();
  return (
    <Page
      title={t("Sessions")}
      description={t(
        "What coding agents did, from their first question on. Select a session to see its calls.",
      )}
      actions={<RefreshButton onRefresh={sessions.refetch} />}
    >
      <DataTable
        id={seesAll ? "sessions-admin" : "sessions"}
        views="sessions"
        label={t("Sessions")}
        columns={columns}
        rows={rows}
        rowKey={(row) => `${row.user_id} ${row.id}`}
        fetching={sessions.isPlaceholderData}
        error={sessions.error}
        onRetry={() => void sessions.refetch()}
        onOpen={(row) => void navigate(addressOf(row, seesAll))}
        paging={{
          kind: "more",
          hasMore: sessions.hasNextPage,
          loading: sessions.isFetchingNextPage,
          onMore: searchOlder,
          ...(searchedUntil === undefined
            ? {}
            : {
                moreLabel: t("Search older calls"),
                note: t("searched back to {{time}}", { time: formatTime(searchedUntil) }),
              }),
        }}
        toolbar={
          seesAll ? (
            <SearchBox
              value={filter.username}
              onChange={(username) => setFilter({ username })}
              placeholder={t("Username")}
            />
          ) : null
        }
        empty={
          searchedUntil === undefined ? (
            <Empty
              icon={IconTimeline}
              title={filter.username === "" ? t("No sessions yet") : t("No results")}
              hint={t("Coding agents such as Claude Code and Codex name their session in each call.")}
              action={
                <Button component={Link} to="/panel/connect" variant="default">
                  {t("Connect a client")}
                </Button>
              }
            />
          ) : (
            <Empty
              icon={IconTimeline}
              title={t("No sessions since {{time}}", { time: formatTime(searchedUntil) })}
              action={
                <Button variant="default" loading={sessions.isFetchingNextPage} onClick={searchOlder}>
                  {t("Search older calls")}
                </Button>
              }
            />
          )
        }
      />
    </Page>
  );
}

function addressOf(row: AgentSessionRow, seesAll: boolean): string {
  return sessionAddress(row.id, seesAll ? row.user_id : 0);
}

function columnsOf(
  t: TFunction<"sessions">,
  format: Formatters,
  seesAll: boolean,
): Column<AgentSessionRow>[] {
  const columns: (Column<AgentSessionRow> | false)[] = [
    {
      id: "title",
      title: t("Session"),
      fixed: true,
      cell: (row) => (
        <Link to={addressOf(row, seesAll)} className={classes.link}>
          <Short text={titleOf(t, row)} width={320} strong />
        </Link>
      ),
    },
    seesAll && {
      id: "username",
      title: t("User"),
      cell: (row) => <Short text={row.username} width={130} />,
    },
    {
      id: "model_name",
      title: t("Model"),
      secondary: true,
      cell: (row) => (
        <span className={classes.agent}>
          <Short text={row.model_name || t("Unknown")} width={150} />
          {row.models > 1 ? <span className={classes.more}>+{row.models - 1}</span> : null}
        </span>
      ),
    },
    {
      id: "token_name",
      title: t("Token"),
      hidden: true,
      cell: (row) => <Short text={row.token_name} width={130} />,
    },
    {
      id: "last_at",
      title: t("Last call"),
      card: "fact",
      cell: (row) => <RelativeTime inList seconds={row.last_at} />,
    },
    {
      id: "duration",
      title: t("Duration"),
      align: "right",
      secondary: true,
      cell: (row) => formatDuration((row.last_at - row.first_at) * 1000),
    },
    { id: "agents", title: t("Agents"), align: "right", cell: (row) => format.whole(row.agents) },
    {
      id: "calls",
      title: t("Calls"),
      align: "right",
      cell: (row) => (
        <span title={row.complete ? undefined : t("Only the newest 5,000 calls are counted.")}>
          {format.whole(row.calls)}
          {row.complete ? "" : "+"}
        </span>
      ),
    },
    {
      id: "failed",
      title: t("Failed"),
      align: "right",
      secondary: true,
      cell: (row) => format.whole(row.failed),
    },
    {
      id: "tokens",
      title: t("Tokens used"),
      align: "right",
      secondary: true,
      cell: (row) => (
        <span title={format.whole(row.input + row.output)}>{format.short(row.input + row.output)}</span>
      ),
    },
    {
      ...amountColumn<AgentSessionRow>({ id: "quota", title: t("Cost"), pinned: true }, (row) => row.quota),
      card: "fact",
    },
  ];
  return columns.filter((column) => column !== false);
}
