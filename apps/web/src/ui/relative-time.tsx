import { Text, Tooltip } from "@mantine/core";
import { useEffect, useState } from "react";
import { formatRelative, formatTime } from "#lib/format/quota.ts";
import { withSpace } from "#lib/word-spacing.ts";

const tickMs = 30_000;

type RelativeTimeProps = {
  /** Unix seconds; null shows a dash. */
  seconds: number | null;
  /** A tooltip per row would be a stop of the Tab key per row. There, the exact time is the `title`. */
  inList?: boolean;
  /** Words before the time. */
  lead?: string;
};

/** "3 minutes ago", with the exact time as its tooltip. */
export function RelativeTime({ seconds, inList = false, lead }: RelativeTimeProps) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), tickMs);
    return () => clearInterval(timer);
  }, []);
  if (seconds === null || seconds <= 0)
    return (
      <Text span c="dimmed" fz="inherit">
        –
      </Text>
    );
  const exact = formatTime(seconds);
  // Between two ticks of our clock something may happen: that is "now", not the future.
  const relative = formatRelative(
    seconds,
    seconds * 1000 - now < tickMs ? Math.max(now, seconds * 1000) : now,
  );
  const time = (
    <time
      dateTime={new Date(seconds * 1000).toISOString()}
      title={inList ? exact : undefined}
      tabIndex={inList ? undefined : 0}
    >
      {relative}
    </time>
  );
  return (
    <>
      {lead === undefined ? null : withSpace(lead, relative)}
      {inList ? time : <Tooltip label={exact}>{time}</Tooltip>}
    </>
  );
}
