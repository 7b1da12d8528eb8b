/** Indicates whether the displayed data is live. */
import { Button, Group, VisuallyHidden } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Connection } from "#lib/live/live-events.ts";
import { StatusDot } from "./status-dot.tsx";

export function LiveState({ state, onRetry }: { state: Connection; onRetry: () => void }) {
  const { t } = useTranslation();
  return (
    <Group gap="xs" fz="sm" c={state === "lost" ? undefined : "dimmed"} wrap="nowrap">
      <span role="status">
        {state === "live" ? (
          <StatusDot tone="good">{t("Live")}</StatusDot>
        ) : state === "lost" ? (
          <StatusDot tone="warn">{t("Connection lost. Reconnecting…")}</StatusDot>
        ) : (
          <Connecting />
        )}
      </span>
      {state === "lost" ? (
        <Button size="compact-sm" variant="default" onClick={onRetry}>
          {t("Reconnect")}
        </Button>
      ) : null}
    </Group>
  );
}

/** A dot as wide as the live state, so that nothing moves when that is known. */
function Connecting() {
  const { t } = useTranslation();
  return (
    <>
      <VisuallyHidden>{t("Connecting…")}</VisuallyHidden>
      <span aria-hidden>
        <StatusDot tone="idle">
          <span style={{ visibility: "hidden" }}>{t("Live")}</span>
        </StatusDot>
      </span>
    </>
  );
}
