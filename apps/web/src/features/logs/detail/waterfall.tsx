/** The attempts of a call on one time axis: channel, start, duration and result. */
import { mayEnter } from "@gateway/shared/accounts/roles";
import type { AttemptNote, LogRow } from "@gateway/shared/usage/log";
import { Anchor, Text } from "@mantine/core";
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { attemptText } from "#features/logs/log-labels.ts";
import { formatDuration } from "#lib/format/quota.ts";
import { useSelf } from "#lib/session.ts";
import { CopyCode } from "#ui/copy.tsx";
import { StatusDot } from "#ui/status-dot.tsx";
import { type AttemptBar, layOutAttempts } from "./waterfall-bars.ts";
import classes from "./call.module.css";

type WaterfallProps = {
  row: LogRow;
  attempts: AttemptNote[];
  /** The ids of the channels are only numbers of this call. */
  anonymous?: boolean;
};

export function Waterfall({ row, attempts, anonymous = false }: WaterfallProps) {
  const { t } = useTranslation("logs");
  const { bars, total } = layOutAttempts(row, attempts);
  if (bars.length === 0)
    return (
      <Text c="dimmed">
        {row.cache_hit
          ? t("No channel was called. The response came from the token's cache.")
          : t("No channel was called. The call ended before a channel was selected.")}
      </Text>
    );
  return (
    <>
      <ol className={classes.attempts}>
        {bars.map((bar, index) => (
          // The order of attempts never changes.
          <Attempt
            key={`${index}:${bar.note.channel_id}`}
            bar={bar}
            number={index + 1}
            total={total}
            anonymous={anonymous}
          />
        ))}
      </ol>
      <div className={classes.axis} aria-hidden>
        <span>0</span>
        {total < 2 ? null : <span>{formatDuration(total / 2)}</span>}
        <span>{formatDuration(total)}</span>
      </div>
    </>
  );
}

type AttemptProps = { bar: AttemptBar; number: number; total: number; anonymous: boolean };

function Attempt({ bar, number, total, anonymous }: AttemptProps) {
  const { t } = useTranslation("logs");
  const { note } = bar;
  const ok = note.result === "ok";
  const share = (ms: number) => `${(total > 0 ? ms / total : 0) * 100}%`;
  return (
    <li>
      <div className={classes.attemptHead}>
        <span className={classes.number}>{number}</span>
        <span className={classes.attemptName}>
          {anonymous ? (
            <Text span fz="sm" fw={500}>
              {note.channel_name}
            </Text>
          ) : (
            <ChannelLink id={note.channel_id} name={note.channel_name} />
          )}
        </span>
        <Text span fz="sm">
          <StatusDot tone={ok ? "good" : "bad"}>{t(attemptText(note))}</StatusDot>
        </Text>
        <Text span fz="xs" c="dimmed" className="tabular" ml="auto">
          {[
            note.priority === undefined ? "" : t("priority {{priority}}", { priority: note.priority }),
            note.status > 0 ? `HTTP ${note.status}` : "",
            note.transport === "websocket" ? "WebSocket" : "",
          ]
            .filter(Boolean)
            .join(" · ")}
        </Text>
      </div>
      <div className={classes.track}>
        <div
          className={classes.bar}
          data-bad={!ok || undefined}
          style={{ marginLeft: share(bar.from), width: share(bar.waiting) }}
        />
        {bar.streaming > 0 ? (
          <div className={classes.bar} data-streaming style={{ width: share(bar.streaming) }} />
        ) : null}
        <span className={classes.barText}>{barText(t, bar)}</span>
      </div>
      {note.message ? (
        <Text fz="sm" c="dimmed" mt={2} style={{ overflowWrap: "anywhere" }}>
          {note.message}
        </Text>
      ) : null}
      {note.upstream_request_id === undefined ? null : (
        <div className={classes.requestId}>
          <Text span fz="xs" c="dimmed" style={{ flexShrink: 0 }}>
            {t("Provider request ID")}
          </Text>
          <CopyCode text={note.upstream_request_id} label={t("Provider request ID")} />
        </div>
      )}
    </li>
  );
}

function barText(t: TFunction<"logs">, { waiting, streaming }: AttemptBar): string {
  if (streaming === 0) return formatDuration(waiting);
  return t("{{waiting}} to the first byte, then {{streaming}}", {
    waiting: formatDuration(waiting),
    streaming: formatDuration(streaming),
  });
}

/** A link for users who may open channels. */
export function ChannelLink({ id, name }: { id: number; name: string }) {
  const { t } = useTranslation("logs");
  const self = useSelf();
  const text = name || t("Deleted channel");
  return (
    <>
      {self && mayEnter(self, "channels") && name ? (
        <Anchor component={Link} to={`/panel/channel?edit=${id}`} fz="sm" fw={500}>
          {text}
        </Anchor>
      ) : (
        <Text span fz="sm" fw={500}>
          {text}
        </Text>
      )}{" "}
      <Text span c="dimmed" fz="xs">
        #{id}
      </Text>
    </>
  );
}
