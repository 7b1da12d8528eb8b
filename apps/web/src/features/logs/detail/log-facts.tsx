import type { LogRow } from "@gateway/shared/usage/log";
import { LogType } from "@gateway/shared/usage/log-type";
import { Anchor, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { CostCell } from "#features/logs/list/cost-cell.tsx";
import { isCall } from "#features/logs/log-labels.ts";
import { rateDuration, rateThroughput, tokensPerSecond } from "#features/logs/pace.ts";
import { sessionAddress } from "#lib/address/session-address.ts";
import { formatDuration, formatTime } from "#lib/format/quota.ts";
import { useMayEnter } from "#lib/session.ts";
import { CopyCode } from "#ui/copy.tsx";
import { Short } from "#ui/short.tsx";
import { ChargedGroup } from "./charged-group.tsx";
import classes from "#features/logs/logs.module.css";

type Fact = { label: string; value: ReactNode; shown?: boolean };

export function LogFacts({ row }: { row: LogRow }) {
  const { t } = useTranslation("logs");
  const call = isCall(row);
  const failed = row.type === LogType.failed;
  const speed = tokensPerSecond(row);
  const mapped = row.upstream_model !== "" && row.upstream_model !== row.model_name;
  const facts: Fact[] = [
    { label: t("Time"), value: formatTime(row.created_at) },
    {
      label: t("Request ID"),
      value: <CopyCode text={row.request_id} label={t("Request ID")} />,
      shown: row.request_id !== "",
    },
    { label: t("Balance change"), value: <CostCell row={row} />, shown: !call },
    { label: t("Username"), value: <UserLink row={row} /> },
    {
      label: t("Token"),
      value: <SameValueLink field="token_name" value={row.token_name} />,
      shown: row.token_name !== "",
    },
    {
      label: t("Derived key"),
      value: <DerivedKeyLink row={row} />,
      shown: row.derived_key !== null,
    },
    {
      label: t("Model"),
      value: <SameValueLink field="model_name" value={row.model_name} />,
      shown: row.model_name !== "",
    },
    {
      label: t("Session"),
      value: <SessionLink row={row} />,
      shown: row.session !== null,
    },
    { label: t("Agent"), value: row.session?.agent, shown: row.session?.agent !== undefined },
    { label: t("Billing tag"), value: row.billing_tag, shown: row.billing_tag !== "" },
    { label: t("Group"), value: <ChargedGroup row={row} />, shown: row.group !== "" },
    { label: t("Forwarded as"), value: row.upstream_model, shown: mapped },
    {
      label: t("Endpoint"),
      value: (
        <Text span ff="monospace" fz="sm">
          {row.endpoint}
        </Text>
      ),
      shown: row.endpoint !== "",
    },
    {
      label: t("Response"),
      value: [
        row.is_stream ? t("Streamed") : t("Not streamed"),
        ...(row.cache_hit ? [t("Served from the cache. No channel was called.")] : []),
      ].join(" · "),
      shown: call,
    },
    {
      label: t("Duration"),
      value: failed
        ? formatDuration(row.request_time)
        : `${formatDuration(row.request_time)} · ${t(rateDuration(row.request_time).text)}`,
      shown: call,
    },
    {
      label: t("Speed"),
      value:
        speed === null
          ? ""
          : `${t("{{speed}} tokens per second", { speed: speed.toFixed(1) })} · ${t(rateThroughput(speed).text)}`,
      shown: speed !== null,
    },
    {
      label: t("Source IP"),
      value: <SameValueLink field="source_ip" value={row.source_ip} mono />,
      shown: row.source_ip !== "",
    },
  ];
  return (
    <dl className={classes.facts}>
      {facts
        .filter((fact) => fact.shown !== false)
        .map(({ label, value }) => (
          <div key={label} style={{ display: "contents" }}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

/** A link to the account, for users who may view accounts. */
function UserLink({ row }: { row: LogRow }) {
  const seesUsers = useMayEnter("users");
  if (!seesUsers || row.user_id === 0) return row.username;
  return (
    <Anchor component={Link} to={`/panel/user?user=${row.user_id}`} fz="sm">
      {row.username}
    </Anchor>
  );
}

type SameValueLinkProps = { field: "token_name" | "model_name" | "source_ip"; value: string; mono?: boolean };

/** A link to the calls with the same value. */
function SameValueLink({ field, value, mono = false }: SameValueLinkProps) {
  const { t } = useTranslation("logs");
  return (
    <Anchor
      component={Link}
      to={`/panel/log?${new URLSearchParams({ [field]: value })}`}
      fz="sm"
      ff={mono ? "monospace" : undefined}
      title={t("Show its calls")}
    >
      {value}
    </Anchor>
  );
}

/** A link to the calls with the same derived key. */
function DerivedKeyLink({ row: { derived_key: key } }: { row: LogRow }) {
  const { t } = useTranslation("logs");
  if (key === null) return null;
  return (
    <Anchor
      component={Link}
      to={`/panel/log?${new URLSearchParams({ derived_key: key.id })}`}
      fz="sm"
      title={t("Show its calls")}
    >
      {key.label === "" ? key.id.slice(0, 8) : key.label}
    </Anchor>
  );
}

/** A link to the session, shortened: ids are up to 200 characters long. */
function SessionLink({ row }: { row: LogRow }) {
  const { t } = useTranslation("logs");
  const seesAll = useMayEnter("logs");
  if (row.session === null) return null;
  return (
    <Anchor
      component={Link}
      to={sessionAddress(row.session.id, seesAll ? row.user_id : 0)}
      fz="sm"
      title={t("Open the session")}
      style={{ overflowWrap: "anywhere" }}
    >
      <Short text={row.session.id} width={220} />
    </Anchor>
  );
}
