import type { ChannelRow } from "@gateway/shared/channels/channel";
import { cannotProbe } from "@gateway/shared/channels/channel-status";
import { Loader, Text, UnstyledButton, VisuallyHidden } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useTestBook } from "#features/channels/runs/channel-tests.ts";
import { TestMenu } from "#features/channels/runs/test-menu.tsx";
import { speedOf } from "#features/channels/status.ts";
import { useMayChange } from "#lib/changes.ts";
import { formatDuration } from "#lib/format/quota.ts";
import { RelativeTime } from "#ui/relative-time.tsx";
import { Pulse, usePulse } from "./pulse.tsx";
import classes from "#features/channels/channels.module.css";
import runClasses from "#features/channels/runs/runs.module.css";

/** Response time of the last test; a click tests again. */
export function ResponseCell({ row }: { row: ChannelRow }) {
  const { t } = useTranslation("channels");
  const mayChange = useMayChange();
  const { byModel, last } = useTestBook(row.id);
  const test = last === null ? undefined : byModel[last];
  const failed =
    test?.state === "done" && !test.result.ok && test.result.fault !== cannotProbe ? test : undefined;
  const pulse = usePulse(row.id);
  // A test from before this screen was opened: its message is in the history.
  const failedBefore =
    test === undefined && row.test_time !== null && (row.response_time === 0 || pulse.at(-1)?.ok === false);
  const tested = row.test_time !== null && row.response_time > 0;
  const { word, color } = speedOf(tested ? row.response_time : 0);

  const lines = () => {
    if (test?.state === "running")
      return (
        <Text span c="dimmed" fz="sm" className={classes.outcome}>
          <Loader size={12} />
          {t("Testing…")}
        </Text>
      );
    if (failed)
      return (
        <>
          <Text c="red" fz="sm" fw={500}>
            {t("Failed")}
          </Text>
          <Text c="dimmed" fz="xs" truncate title={failed.result.message}>
            {failed.result.message}
          </Text>
        </>
      );
    if (failedBefore)
      return (
        <>
          <Text c="red" fz="sm" fw={500}>
            {t("Failed")}
          </Text>
          <Text c="dimmed" fz="xs" component="div">
            <RelativeTime inList seconds={row.test_time} />
          </Text>
        </>
      );
    return (
      <>
        <Text c={color} fz="sm" fw={tested ? 500 : 400} title={t(word)}>
          {tested ? formatDuration(row.response_time) : t(word)}
        </Text>
        {tested ? (
          <Text c="dimmed" fz="xs" component="div">
            <RelativeTime inList seconds={row.test_time} />
          </Text>
        ) : null}
      </>
    );
  };
  return (
    <div className={runClasses.sparkCell}>
      <TestMenu row={row}>
        <UnstyledButton className={classes.response}>
          <VisuallyHidden>
            {mayChange
              ? t("Test {{model}}", { model: row.name })
              : t("Tests of {{name}}", { name: row.name })}
          </VisuallyHidden>
          {lines()}
        </UnstyledButton>
      </TestMenu>
      <Pulse points={pulse} />
    </div>
  );
}
