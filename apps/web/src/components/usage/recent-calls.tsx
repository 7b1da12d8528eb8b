/** The newest log entries of a channel, an account or a token, with a link to the log. */
import type { LogPage, LogRow } from "@gateway/shared/usage/log";
import { LogType } from "@gateway/shared/usage/log-type";
import { Button, Group, Skeleton, Text } from "@mantine/core";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { Amount } from "#components/amount.tsx";
import { pathOfCall } from "#lib/address/call-address.ts";
import { formatDuration } from "#lib/format/quota.ts";
import { asPage, http } from "#lib/http.ts";
import { failureLabel } from "#lib/labels/failure-labels.ts";
import { storedReason } from "#lib/labels/reasons.ts";
import { allLogs } from "#lib/queries/logs.ts";
import { requestedModel } from "#lib/requested-model.ts";
import { Empty, QueryFallback } from "#ui/empty.tsx";
import { Section } from "#ui/page/page.tsx";
import { QuietLink } from "#ui/quiet-link.tsx";
import { RelativeTime } from "#ui/relative-time.tsx";
import { StatusDot } from "#ui/status-dot.tsx";
import { AmountColumns } from "#ui/table/amount-columns.tsx";
import classes from "./recent-calls.module.css";

type CallFilter = Record<string, string | number>;

const shown = 20;

const callsQuery = (own: boolean, filter: CallFilter) =>
  queryOptions({
    queryKey: [...allLogs, "recent", own, filter],
    queryFn: () => http.get(own ? "/log/self" : "/log", asPage<LogPage>(), { ...filter, size: shown }),
    staleTime: 5_000,
    meta: { quiet: true },
  });

type RecentCallsProps = {
  title: string;
  filter: CallFilter;
  /** The user's own calls. Everyone's require the right to see logs. */
  own?: boolean;
  /** Shown without entries. Default: "No calls". */
  empty?: string;
};

export function RecentCalls({ title, filter, own = false, empty }: RecentCallsProps) {
  const { t } = useTranslation();
  const calls = useQuery(callsQuery(own, filter));
  const search = new URLSearchParams(Object.entries(filter).map(([name, value]) => [name, String(value)]));
  // Without a type, the log also has top-ups and changes of the balance.
  const rows = calls.data?.data.filter((row) => "log_type" in filter || isCall(row));
  return (
    <Section
      title={title}
      aside={
        <Button component={Link} to={`/panel/log?${search.toString()}`} variant="default" size="xs">
          {t("Open the log")}
        </Button>
      }
    >
      {rows === undefined ? (
        <QueryFallback query={calls}>
          <Skeleton height={200} aria-busy />
        </QueryFallback>
      ) : rows.length === 0 ? (
        <Empty compact title={empty ?? t("No calls")} />
      ) : (
        <AmountColumns charges={{ cost: rows.map((row) => row.quota) }}>
          <ul className={classes.calls} aria-label={title}>
            {rows.map((row) => (
              <Call key={row.id} row={row} named={!own && !("username" in filter)} />
            ))}
          </ul>
        </AmountColumns>
      )}
    </Section>
  );
}

function isCall({ type }: LogRow): boolean {
  return type === LogType.failed || type === LogType.consume;
}

/** @param named whether the user of the entry is shown */
function Call({ row, named }: { row: LogRow; named: boolean }) {
  const { t } = useTranslation();
  const failed = row.type === LogType.failed;
  const label = failureLabel(row.error_code);
  const reason = label === undefined ? row.error_code || t("Failed") : t(label);
  const isCharge = isCall(row);
  return (
    <li>
      <div className={classes.line}>
        <Group gap={8} wrap="nowrap" miw={0}>
          <StatusDot tone={failed ? "bad" : "good"}>
            {isCharge ? (
              <QuietLink to={pathOfCall(row.request_id)}>{requestedModel(row) || t("Unknown")}</QuietLink>
            ) : (
              storedReason(t, row.content, row.content_facts) || t("No reason recorded")
            )}
          </StatusDot>
        </Group>
        <Text span fz="sm" c={!isCharge && row.quota > 0 ? "green" : undefined}>
          {!isCharge && row.quota > 0 ? "+" : ""}
          {failed && row.quota === 0 ? "–" : <Amount column="cost" points={row.quota} />}
        </Text>
      </div>
      <div className={classes.line}>
        <Text span fz="xs" c="dimmed" truncate>
          {[failed ? reason : "", named ? row.username : "", row.token_name].filter(Boolean).join(" · ")}
        </Text>
        <Text span fz="xs" c="dimmed" className="tabular" style={{ flex: "none" }}>
          {isCharge ? `${formatDuration(row.request_time)} · ` : ""}
          <RelativeTime inList seconds={row.created_at} />
        </Text>
      </div>
    </li>
  );
}
