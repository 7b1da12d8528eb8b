import { Text } from "@mantine/core";
import { useEffect, useState } from "react";
import { formatRelative, formatTime } from "#lib/quota.ts";

const tickMs = 30_000;

/**
 * "3 minutes ago", with the exact time as its title.
 * @param seconds unix seconds; null shows a dash
 */
export function RelativeTime({ seconds }: { seconds: number | null }) {
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
  return (
    <time dateTime={new Date(seconds * 1000).toISOString()} title={formatTime(seconds)}>
      {/* Between two ticks of our clock something may happen: that is "now", not the future. */}
      {formatRelative(seconds, seconds * 1000 - now < tickMs ? Math.max(now, seconds * 1000) : now)}
    </time>
  );
}
