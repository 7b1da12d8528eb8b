import type { ChannelTestResult } from "@gateway/shared/channels/channel";
import { Group, Text } from "@mantine/core";
import { IconCircleCheck, IconCircleX } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { formatDuration } from "#lib/format/quota.ts";
import classes from "#features/channels/channels.module.css";

/** The result of a test of the unsaved form, in one line. */
export function TestLine({ result }: { result: ChannelTestResult }) {
  const { t } = useTranslation("channels");
  const time = formatDuration(result.duration);
  return (
    <Group gap={8} wrap="nowrap" align="flex-start" role="status">
      <Text c={result.ok ? "green" : "red"} className={classes.outcomeIcon}>
        {result.ok ? <IconCircleCheck size={17} aria-hidden /> : <IconCircleX size={17} aria-hidden />}
      </Text>
      <Text fz="sm" className={classes.wrap}>
        {result.ok
          ? t("{{model}} responded in {{time}}", { model: result.model, time })
          : t("{{model}} did not respond: {{message}}", { model: result.model, message: result.message })}
      </Text>
    </Group>
  );
}
