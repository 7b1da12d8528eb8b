import type { LogRow } from "@gateway/shared/usage/log";
import { LogType } from "@gateway/shared/usage/log-type";
import { IconBolt, IconWaveSine } from "@tabler/icons-react";
import type { TFunction } from "i18next";
import { Link } from "react-router-dom";
import { ModelIcon } from "#components/icons/provider-icon.tsx";
import { RouteMark } from "#components/route/route-mark.tsx";
import { ChargedGroup } from "#features/logs/detail/charged-group.tsx";
import { isFailedCall, shortReason } from "#features/logs/failure.ts";
import { contentText, isCall, outcomeWord, retriesOf, typeText } from "#features/logs/log-labels.ts";
import { sessionAddress } from "#lib/address/session-address.ts";
import { formatDuration, type Formatters } from "#lib/format/quota.ts";
import { requestedModel } from "#lib/requested-model.ts";
import { Short } from "#ui/short.tsx";
import type { Column } from "#ui/table/table-model.ts";
import { CostCell } from "./cost-cell.tsx";
import { DurationCell } from "./duration-cell.tsx";
import { InputCell } from "./input-cell.tsx";
import { TimeCell } from "./time-cell.tsx";
import classes from "#features/logs/logs.module.css";

// Plain elements instead of `Text`: hundreds of rows are rendered.
const dash = <span className={classes.quiet}>–</span>;

/** @param forAdmins adds the user and the channel of a call */
export function logColumns(t: TFunction<"logs">, format: Formatters, forAdmins: boolean): Column<LogRow>[] {
  const columns: (Column<LogRow> | false)[] = [
    {
      id: "outcome",
      title: t("Outcome"),
      fixed: true,
      untitled: true,
      cell: (row) => <OutcomeDot row={row} t={t} />,
    },
    {
      id: "created_at",
      sortable: true,
      title: t("Time"),
      fixed: true,
      cell: (row) => <TimeCell seconds={row.created_at} />,
    },
    {
      id: "model_name",
      sortable: true,
      title: t("Model"),
      width: 150,
      cell: (row) => <ModelCell row={row} t={t} />,
    },
    forAdmins && {
      id: "channel_id",
      sortable: true,
      title: t("Channel"),
      // A narrow list has no space for it; the call's details show it.
      secondary: true,
      cell: (row) => <ChannelCell row={row} t={t} />,
    },
    forAdmins && {
      id: "username",
      sortable: true,
      title: t("Username"),
      cell: (row) => <PersonCell row={row} />,
    },
    {
      id: "group",
      title: t("Group"),
      hidden: true,
      cell: (row) => (row.group ? <ChargedGroup row={row} /> : dash),
    },
    {
      id: "token_name",
      sortable: true,
      title: t("Token"),
      // Administrators see it below the user's name.
      hidden: forAdmins,
      cell: (row) => (row.token_name ? <Short text={row.token_name} width={260} /> : dash),
    },
    {
      id: "type",
      title: t("Type"),
      sortable: true,
      hidden: true,
      cell: (row) => t(typeText(row.type)),
    },
    {
      id: "request_time",
      sortable: true,
      title: t("Duration"),
      align: "right",
      cell: (row) => (isCall(row) ? <DurationCell row={row} /> : dash),
    },
    {
      id: "prompt_tokens",
      sortable: true,
      title: t("Input"),
      align: "right",
      cell: (row) => (row.type === LogType.consume ? <InputCell row={row} /> : dash),
    },
    {
      id: "completion_tokens",
      sortable: true,
      title: t("Output"),
      align: "right",
      cell: (row) => (row.type === LogType.consume ? format.whole(row.completion_tokens) : dash),
    },
    {
      id: "session",
      title: t("Session"),
      hidden: true,
      cell: (row) =>
        row.session === null ? (
          dash
        ) : (
          <Link to={sessionAddress(row.session.id, forAdmins ? row.user_id : 0)} className={classes.link}>
            <Short text={row.session.id} width={130} />
          </Link>
        ),
    },
    {
      id: "source_ip",
      sortable: true,
      title: t("Source IP"),
      hidden: true,
      cell: (row) => (row.source_ip ? <span className={classes.address}>{row.source_ip}</span> : dash),
    },
    {
      id: "quota",
      sortable: true,
      title: t("Cost"),
      align: "right",
      pinned: true,
      // Top-ups have two decimals, whatever the calls beside them cost.
      amounts: (row) => (row.type === LogType.consume ? [row.quota] : []),
      charges: true,
      cell: (row) => <CostCell row={row} column="quota" />,
    },
  ];
  return columns.filter((column) => column !== false);
}

/** A row on a phone: model and cost above; time, user, duration and reason below. */
export function CompactRow({ row, t, forAdmins }: { row: LogRow; t: TFunction<"logs">; forAdmins: boolean }) {
  const who = [forAdmins ? row.username : "", row.token_name].filter(Boolean).join(" · ");
  const failed = isFailedCall(row);
  return (
    <div className={classes.compact}>
      <OutcomeDot row={row} t={t} />
      <ModelName row={row} t={t} />
      <span className={classes.compactCost}>
        {/* An amount that is no charge has fewer decimals. Here it ends at the edge instead of below the others. */}
        <CostCell row={row} {...(row.type === LogType.consume ? { column: "quota" } : {})} />
      </span>
      <span className={classes.compactFacts}>
        <TimeCell seconds={row.created_at} />
        {failed ? (
          <FailureReason row={row} t={t} />
        ) : (
          <span className={`${classes.name} ${classes.cut}`}>{who}</span>
        )}
        <Retries row={row} t={t} />
        {isCall(row) ? <span className={classes.compactEnd}>{formatDuration(row.request_time)}</span> : null}
      </span>
    </div>
  );
}

/** A dot with its label for screen readers and as a tooltip. */
function OutcomeDot({ row, t }: { row: LogRow; t: TFunction<"logs"> }) {
  const { tone, text } = outcomeWord(row);
  const word = t(text);
  return <span className={classes.dot} data-tone={tone} role="img" aria-label={word} title={word} />;
}

/** The user with the token below. */
function PersonCell({ row }: { row: LogRow }) {
  return (
    <div className={`${classes.stack} ${classes.person}`}>
      <Short text={row.username} width={130} />
      {row.token_name ? (
        <span className={classes.under}>
          <Short text={row.token_name} width={130} />
        </span>
      ) : null}
    </div>
  );
}

function ChannelCell({ row, t }: { row: LogRow; t: TFunction<"logs"> }) {
  const name = row.channel_name || t("Deleted channel");
  if (row.channel_id === 0) return retriesOf(row) > 0 ? <Retries row={row} t={t} /> : dash;
  return (
    <span className={classes.channel} title={`#${row.channel_id} ${row.channel_name}`}>
      <span className={`${classes.name} ${classes.cut}`}>{name}</span>
      <Retries row={row} t={t} />
    </span>
  );
}

/** The channels that were tried, if there were several. */
function Retries({ row, t }: { row: LogRow; t: TFunction<"logs"> }) {
  const count = retriesOf(row);
  if (count === 0) return null;
  const answered = !isFailedCall(row);
  return (
    <RouteMark
      failed={answered ? count : count + 1}
      answered={answered}
      label={t("Retried {{count}} times", { count })}
    />
  );
}

function FailureReason({ row, t }: { row: LogRow; t: TFunction<"logs"> }) {
  const reason = shortReason(t, row.error_code) || t("Failed");
  return (
    <span className={classes.reason} title={contentText(t, row)}>
      {reason}
      {row.status > 0 ? <span className={classes.status}> {row.status}</span> : null}
    </span>
  );
}

function ModelCell({ row, t }: { row: LogRow; t: TFunction<"logs"> }) {
  if (!isFailedCall(row)) return <ModelName row={row} t={t} />;
  return (
    <div className={classes.stack} data-left>
      <ModelName row={row} t={t} />
      <FailureReason row={row} t={t} />
    </div>
  );
}

function ModelName({ row, t }: { row: LogRow; t: TFunction<"logs"> }) {
  const model = isCall(row) ? requestedModel(row) : "";
  if (model === "")
    return (
      <span className={classes.content} title={contentText(t, row)}>
        {isCall(row) ? dash : contentText(t, row) || "–"}
      </span>
    );
  const mapped = row.upstream_model !== "" && row.upstream_model !== row.model_name;
  return (
    <span className={classes.model}>
      <ModelIcon model={model} size={16} />
      <span
        className={`${classes.name} ${classes.cut}`}
        data-mapped={mapped || undefined}
        title={mapped ? t("Forwarded as {{model}}", { model: row.upstream_model }) : model}
      >
        {model}
      </span>
      {row.cache_hit ? (
        <span
          role="img"
          aria-label={t("From the cache")}
          title={t("Served from the cache. No channel was called.")}
        >
          <IconBolt size={15} stroke={1.8} />
        </span>
      ) : null}
      {row.is_stream ? (
        <span role="img" aria-label={t("Stream")} title={t("Stream")}>
          <IconWaveSine size={15} stroke={1.8} />
        </span>
      ) : null}
    </span>
  );
}
