/** A row per channel: its last 24 hours, response times and revenue. */
import { ChannelStatus } from "@gateway/shared/channels/channel-status";
import type { ChannelHealth, ChannelsHealth } from "@gateway/shared/usage/overview";
import { Button, Text } from "@mantine/core";
import { IconRoute } from "@tabler/icons-react";
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { Amount } from "#components/amount.tsx";
import { ChannelHoursBar } from "#components/usage/channel-hours.tsx";
import { logAddress } from "#lib/address/log-address.ts";
import { healthOf, liveStateOf } from "#lib/channel-hours.ts";
import { formatDuration, useFormat } from "#lib/format/quota.ts";
import { Empty } from "#ui/empty.tsx";
import { Figures } from "#ui/figures/figures.tsx";
import { Section } from "#ui/page/page.tsx";
import { QuietLink } from "#ui/quiet-link.tsx";
import { StatusDot, type Tone } from "#ui/status-dot.tsx";
import { useIsPhone } from "#ui/use-is-phone.ts";
import classes from "./overview.module.css";

export function ChannelsCard({ channels, since }: { channels: ChannelsHealth; since: number }) {
  const { t } = useTranslation("overview");
  const phone = useIsPhone();
  const { total, enabled, disabled, auto_disabled: off } = channels;
  const { rows, more, idle } = chooseChannels(channels);
  return (
    <Section
      title={t("Channels")}
      hint={[
        t("{{count}} enabled", { count: enabled }),
        ...(off > 0 ? [t("{{count}} disabled automatically", { count: off })] : []),
        ...(disabled > 0 ? [t("{{count}} disabled", { count: disabled })] : []),
      ].join(" · ")}
      aside={
        <Button component={Link} to="/panel/channel" variant="default" size="xs">
          {t("Open channels")}
        </Button>
      }
    >
      {rows.length === 0 ? (
        <Empty compact icon={IconRoute} title={t("No channels yet")} />
      ) : phone ? (
        <ul className={classes.lines}>
          {rows.map((row) => (
            <PhoneRow key={row.id} row={row} since={since} />
          ))}
        </ul>
      ) : (
        <Table rows={rows} since={since} />
      )}
      {total > rows.length ? (
        <Text fz="xs" c="dimmed" mt="sm">
          <Link to="/panel/channel" className={classes.rest}>
            {[
              ...(more > 0 ? [t("{{count}} more with calls", { count: more })] : []),
              ...(idle > 0 ? [t("{{count}} idle", { count: idle })] : []),
            ].join(" · ")}
          </Link>
        </Text>
      ) : null}
    </Section>
  );
}

/** Channels without problems that are shown. */
const mostBusy = 8;

/** Returns failing channels, then the busiest others, and how many are left out with and without calls. */
function chooseChannels({ rows, total }: ChannelsHealth): {
  rows: ChannelHealth[];
  more: number;
  idle: number;
} {
  const failing = rows.filter(hasProblem);
  const called = rows.filter((row) => !hasProblem(row) && healthOf(row).calls > 0);
  const busiest = called
    .toSorted((one, other) => healthOf(other).calls - healthOf(one).calls)
    .slice(0, mostBusy);
  const chosen = [...failing, ...busiest];
  const shown = chosen.length > 0 ? chosen : rows.slice(0, mostBusy);
  const more = called.length - busiest.length;
  return { rows: shown, more, idle: total - shown.length - more };
}

function hasProblem(row: ChannelHealth): boolean {
  if (row.status === ChannelStatus.autoDisabled) return true;
  return row.status === ChannelStatus.enabled && liveStateOf(row) === "failing";
}

function Table({ rows, since }: { rows: ChannelHealth[]; since: number }) {
  const { t } = useTranslation("overview");
  const format = useFormat();
  const ms = (value: number | null) => (value === null ? "–" : formatDuration(value));
  return (
    <Figures label={t("Channels")} amounts={{ charged: rows.map((row) => row.charged) }}>
      <thead>
        <tr>
          <th scope="col">{t("Channel")}</th>
          <th scope="col" data-align="left">
            {t("Status")}
          </th>
          <th scope="col" data-align="left">
            {t("24 hours")}
          </th>
          <th scope="col">{t("Success")}</th>
          <th scope="col">{t("Requests")}</th>
          <th scope="col" className={classes.wide}>
            {t("Latency p50")}
          </th>
          <th scope="col" className={classes.wide}>
            {t("Latency p95")}
          </th>
          <th scope="col">{t("Charged")}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => {
          const { calls, success } = healthOf(row);
          return (
            <tr key={row.id} data-quiet={calls === 0 || undefined}>
              <th scope="row">
                <QuietLink to={`/panel/channel/${row.id}`}>{row.name || `#${row.id}`}</QuietLink>
              </th>
              <td data-align="left">
                <State row={row} />
              </td>
              <td data-align="left">
                <ChannelHoursBar channel={row} since={since} />
              </td>
              <td>{format.percent(success)}</td>
              <td>
                {calls === 0 ? (
                  "0"
                ) : (
                  <QuietLink to={logAddress(since, { channel_id: row.id })}>{format.whole(calls)}</QuietLink>
                )}
              </td>
              <td className={classes.wide}>{ms(row.p50)}</td>
              <td className={classes.wide}>{ms(row.p95)}</td>
              <td>
                <Amount column="charged" points={row.charged} />
              </td>
            </tr>
          );
        })}
      </tbody>
    </Figures>
  );
}

/** Two lines: name and status, health and the two main figures. */
function PhoneRow({ row, since }: { row: ChannelHealth; since: number }) {
  const { t } = useTranslation("overview");
  const format = useFormat();
  const { calls, success } = healthOf(row);
  return (
    <li>
      <div className={classes.line}>
        <QuietLink to={`/panel/channel/${row.id}`}>{row.name || `#${row.id}`}</QuietLink>
        <State row={row} />
      </div>
      <div className={classes.line}>
        <ChannelHoursBar channel={row} since={since} />
        <Text fz="xs" c="dimmed" className="tabular">
          {success === null
            ? t("No calls")
            : `${format.percent(success)} · ${t("{{count}} calls", { count: calls })}`}
        </Text>
      </div>
    </li>
  );
}

function stateOf(t: TFunction<"overview">, row: ChannelHealth): { tone: Tone; text: string } {
  if (row.status === ChannelStatus.autoDisabled) return { tone: "bad", text: t("Disabled automatically") };
  if (row.status !== ChannelStatus.enabled) return { tone: "idle", text: t("Disabled") };
  switch (liveStateOf(row)) {
    case "no-calls":
      return { tone: "idle", text: t("No calls") };
    case "failing":
      return { tone: "bad", text: t("Failing") };
    case "some-errors":
      return { tone: "warn", text: t("Some errors") };
    case "healthy":
      return { tone: "good", text: t("Healthy") };
  }
}

function State({ row }: { row: ChannelHealth }) {
  const { t } = useTranslation("overview");
  const { tone, text } = stateOf(t, row);
  return (
    <Text span fz="sm">
      <StatusDot tone={tone}>{text}</StatusDot>
    </Text>
  );
}
