import { Text, Tooltip } from "@mantine/core";
import { useEffect, useState } from "react";
import { formatRelative, formatTime } from "#lib/quota.ts";

/** "3 minutes ago", the exact time on hover. @param seconds since 1970; null shows a dash */
export function RelativeTime({ seconds }: { seconds: number | null }) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 30_000);
    return () => clearInterval(timer);
  }, []);
  if (seconds === null || seconds <= 0)
    return (
      <Text span c="dimmed" fz="inherit">
        –
      </Text>
    );
  return (
    <Tooltip label={formatTime(seconds)}>
      <time dateTime={new Date(seconds * 1000).toISOString()}>{formatRelative(seconds, now)}</time>
    </Tooltip>
  );
}
