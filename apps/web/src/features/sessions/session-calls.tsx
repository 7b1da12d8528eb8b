/** The calls of a session, newest first. */
import type { LogRow } from "@gateway/shared/usage/log";
import { LogType } from "@gateway/shared/usage/log-type";
import type { AgentSession } from "@gateway/shared/usage/session";
import { Button, Group, Stack, Text, Title } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import type { TFunction } from "i18next";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { Link, useNavigate } from "react-router-dom";
import { Amount, amountColumn } from "#components/amount.tsx";
import { ModelIcon } from "#components/icons/provider-icon.tsx";
import { cachedShare } from "#lib/cached-share.ts";
import { formatDuration, type Formatters, formatTime, useFormat } from "#lib/format/quota.ts";
import { failureLabel } from "#lib/labels/failure-labels.ts";
import { requestedModel } from "#lib/requested-model.ts";
import { Empty } from "#ui/empty.tsx";
import { QuietLink } from "#ui/quiet-link.tsx";
import { Short } from "#ui/short.tsx";
import { StatusDot } from "#ui/status-dot.tsx";
import { DataTable } from "#ui/table/data-table.tsx";
import type { Column } from "#ui/table/table-model.ts";
import { sessionCallsQuery } from "./api.ts";
import classes from "./sessions.module.css";

type SessionCallsProps = {
  session: AgentSession;
  /** The viewer sees the calls of all users, and channels. */
  seesAll: boolean;
};

export function SessionCalls({ session, seesAll }: SessionCallsProps) {
  const { t } = useTranslation("sessions");
  const format = useFormat();
  const navigate = useNavigate();
  const calls = useInfiniteQuery(sessionCallsQuery(session.id, seesAll ? session.username : undefined));
  const rows = useMemo(() => calls.data?.pages.flatMap((page) => page.data), [calls.data]);
  const columns = useMemo(() => columnsOf(t, format, seesAll), [t, format, seesAll]);
  const search = new URLSearchParams({ session: session.id, range: "all" });
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Title order={2} fz="md">
          {t("Calls")}
        </Title>
        <Button component={Link} to={`/panel/log?${search}`} variant="default" size="xs">
          {t("Open the log")}
        </Button>
      </Group>
      <DataTable
        id="session-calls"
        label={t("Calls")}
        columns={columns}
        rows={rows}
        rowKey={(row) => row.id}
        error={calls.error}
        onRetry={() => void calls.refetch()}
        onOpen={(row) => void navigate(`/panel/log/${encodeURIComponent(row.request_id)}`)}
        compactRow={(row) => <CompactCall row={row} t={t} />}
        paging={{
          kind: "more",
          hasMore: calls.hasNextPage,
          loading: calls.isFetchingNextPage,
          onMore: () => void calls.fetchNextPage(),
        }}
        empty={<Empty compact title={t("No calls")} />}
      />
    </Stack>
  );
}

function outcomeOf(row: LogRow, t: TFunction<"sessions">): string {
  if (row.type !== LogType.failed) return t("Successful");
  const label = failureLabel(row.error_code);
  return label === undefined ? row.error_code || t("Failed") : t(label);
}

function inputText(row: LogRow, format: Formatters, t: TFunction<"sessions">): string {
  const share = cachedShare(row.bill, row.prompt_tokens);
  const tokens = format.whole(row.prompt_tokens);
  return share === 0 ? tokens : `${tokens} · ${t("{{share}} cached", { share: format.percent(share) })}`;
}

function columnsOf(t: TFunction<"sessions">, format: Formatters, seesAll: boolean): Column<LogRow>[] {
  const columns: (Column<LogRow> | false)[] = [
    {
      id: "created_at",
      title: t("Time"),
      fixed: true,
      cell: (row) => (
        <QuietLink to={`/panel/log/${encodeURIComponent(row.request_id)}`}>
          <span className="tabular">{formatTime(row.created_at)}</span>
        </QuietLink>
      ),
    },
    {
      id: "outcome",
      title: t("Outcome"),
      cell: (row) => (
        <StatusDot tone={row.type === LogType.failed ? "bad" : "good"}>{outcomeOf(row, t)}</StatusDot>
      ),
    },
    {
      id: "agent",
      title: t("Agent"),
      secondary: true,
      cell: (row) => <Short text={row.session?.agent ?? t("Main agent")} width={160} />,
    },
    {
      id: "model_name",
      title: t("Model"),
      cell: (row) => (
        <span className={classes.agent}>
          <ModelIcon model={requestedModel(row)} size={16} />
          <Short text={requestedModel(row) || t("Unknown")} width={180} />
        </span>
      ),
    },
    seesAll && {
      id: "channel_id",
      title: t("Channel"),
      // A narrow list has no space for it, as in the log.
      secondary: true,
      cell: (row) => <Short text={row.channel_name || "–"} width={140} />,
    },
    {
      id: "prompt_tokens",
      title: t("Input"),
      align: "right",
      cell: (row) => inputText(row, format, t),
    },
    {
      id: "completion_tokens",
      title: t("Output"),
      align: "right",
      cell: (row) => format.whole(row.completion_tokens),
    },
    {
      id: "request_time",
      title: t("Duration"),
      align: "right",
      cell: (row) => formatDuration(row.request_time),
    },
    {
      ...amountColumn<LogRow>(
        { id: "quota", title: t("Cost"), charges: true, pinned: true },
        (row) => row.quota,
      ),
      cell: (row) => <Cost row={row} />,
    },
  ];
  return columns.filter((column) => column !== false);
}

/** A failed call that cost nothing has no cost, as in the log. */
function Cost({ row }: { row: LogRow }) {
  if (row.type === LogType.failed && row.quota === 0) return <span>–</span>;
  return <Amount column="quota" points={row.quota} />;
}

/** A call on a phone: model and cost above; time, agent and duration below. */
function CompactCall({ row, t }: { row: LogRow; t: TFunction<"sessions"> }) {
  const failed = row.type === LogType.failed;
  return (
    <div className={classes.compact}>
      <StatusDot tone={failed ? "bad" : "good"}>{requestedModel(row) || t("Unknown")}</StatusDot>
      <span className={classes.figure}>
        <Cost row={row} />
      </span>
      <Text span fz="xs" c="dimmed" truncate>
        {[formatTime(row.created_at), row.session?.agent, failed ? outcomeOf(row, t) : ""]
          .filter(Boolean)
          .join(" · ")}
      </Text>
      <Text span fz="xs" c="dimmed" className={classes.figure ?? ""}>
        {formatDuration(row.request_time)}
      </Text>
    </div>
  );
}
