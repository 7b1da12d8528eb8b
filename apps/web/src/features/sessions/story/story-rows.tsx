/** The rows of a story. Only those on the screen are rendered: a session has thousands of calls. */
import type { SessionCall } from "@gateway/shared/usage/session";
import { Text } from "@mantine/core";
import { IconArrowsExchange } from "@tabler/icons-react";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type CSSProperties, useRef } from "react";
import { useTranslation } from "react-i18next";
import { Link, useNavigate } from "react-router-dom";
import { Amount } from "#components/amount.tsx";
import { ModelIcon } from "#components/icons/provider-icon.tsx";
import { pathOfCall } from "#lib/address/call-address.ts";
import { formatDuration, formatTime, useFormat } from "#lib/format/quota.ts";
import { failureLabel } from "#lib/labels/failure-labels.ts";
import { Short } from "#ui/short.tsx";
import { AmountColumns } from "#ui/table/amount-columns.tsx";
import { rememberRow } from "#ui/table/current-row.ts";
import { useIsPhone } from "#ui/use-is-phone.ts";
import { ToolChips } from "./tool-chips.tsx";
import type { Tracks } from "./tracks.ts";
import classes from "./story.module.css";

const ROW_HEIGHT = 40;
const PHONE_ROW_HEIGHT = 60;
/** Rows beyond the edge, so that j and k find the next one. */
const OVERSCAN = 12;

type StoryRowsProps = {
  calls: readonly SessionCall[];
  tracks: Tracks;
  nameOf: (agent: string) => string;
};

export function StoryRows({ calls, tracks, nameOf }: StoryRowsProps) {
  const { t } = useTranslation("sessions");
  const phone = useIsPhone();
  const frame = useRef<HTMLDivElement>(null);
  // The compiler leaves this component as it is, which is what a virtual list needs.
  // oxlint-disable-next-line react/incompatible-library
  const rows = useVirtualizer({
    count: calls.length,
    getScrollElement: () => frame.current,
    estimateSize: () => (phone ? PHONE_ROW_HEIGHT : ROW_HEIGHT),
    overscan: OVERSCAN,
  });
  const style = { "--tracks": tracks.count } as CSSProperties;
  return (
    <AmountColumns amounts={{}} charges={{ cost: calls.map(({ quota }) => quota) }}>
      <div
        ref={frame}
        className={classes.frame}
        style={style}
        tabIndex={0}
        role="region"
        aria-label={t("Calls")}
        onFocus={(event) => rememberRow(event.target)}
      >
        <div role="table" aria-label={t("Calls")} aria-rowcount={calls.length + 1}>
          <div role="row" aria-rowindex={1} className={classes.titles}>
            <span role="columnheader">{t("Time")}</span>
            <span role="columnheader">{t("Agent")}</span>
            <span role="columnheader">{t("Model")}</span>
            <span role="columnheader">{t("Tools")}</span>
            <span role="columnheader" data-number>
              {t("Input")}
            </span>
            <span role="columnheader" data-number>
              {t("Duration")}
            </span>
            <span role="columnheader" data-number>
              {t("Cost")}
            </span>
          </div>
          <div role="rowgroup" className={classes.rows} style={{ height: rows.getTotalSize() }}>
            {rows.getVirtualItems().map(({ index, start, size }) => {
              const call = calls[index];
              return call ? (
                <StoryRow
                  key={call.request_id}
                  call={call}
                  place={index}
                  tracks={tracks}
                  agent={nameOf(call.agent)}
                  style={{ transform: `translateY(${start}px)`, height: size }}
                />
              ) : null;
            })}
          </div>
        </div>
      </div>
    </AmountColumns>
  );
}

type StoryRowProps = {
  call: SessionCall;
  place: number;
  tracks: Tracks;
  agent: string;
  style: CSSProperties;
};

function StoryRow({ call, place, tracks, agent, style }: StoryRowProps) {
  const { t } = useTranslation("sessions");
  const format = useFormat();
  const navigate = useNavigate();
  const track = tracks.of(call.agent);
  const to = pathOfCall(call.request_id);
  const failure = failureLabel(call.error_code);
  const time = formatTime(call.ended_at / 1000);
  return (
    <div
      role="row"
      aria-rowindex={place + 2}
      className={classes.row}
      style={style}
      data-row={call.request_id}
      data-open
      tabIndex={-1}
      onKeyDown={(event) => {
        if (event.key === "Enter" && event.target === event.currentTarget) void navigate(to);
      }}
    >
      <span role="cell" className={classes.time}>
        <Link to={to} title={time}>
          {time.slice(11)}
        </Link>
      </span>
      <span role="cell" className={classes.tracks} title={agent}>
        <span
          className={classes.dot}
          data-failed={call.failed || undefined}
          style={{ "--track": track.place, "--color": track.color } as CSSProperties}
        />
        <span className={classes.agent}>{agent}</span>
      </span>
      <span role="cell" className={classes.model}>
        <ModelIcon model={call.model_name} size={16} />
        <Short text={call.model_name || t("Unknown")} width={190} />
      </span>
      <span role="cell" className={classes.tools}>
        {call.failed ? (
          <Text span fz="xs" c="red">
            {failure === undefined ? call.error_code || t("Failed") : t(failure)}
          </Text>
        ) : null}
        {call.moved ? (
          <span className={classes.moved} title={call.channel_name}>
            <IconArrowsExchange size={14} aria-hidden /> {call.channel_name || t("Other channel")}
          </span>
        ) : null}
        {call.stored ? <ToolChips requestId={call.request_id} /> : null}
      </span>
      <span role="cell" className={classes.number}>
        {format.short(call.input)}
        {call.cached > 0 ? (
          <Text span fz="xs" c="dimmed">
            {" · "}
            {t("{{share}} cached", { share: format.percent(call.cached / call.input) })}
          </Text>
        ) : null}
      </span>
      <span role="cell" className={classes.number}>
        {formatDuration(call.duration)}
      </span>
      <span role="cell" className={classes.number}>
        {call.failed && call.quota === 0 ? "–" : <Amount column="cost" points={call.quota} />}
      </span>
    </div>
  );
}
