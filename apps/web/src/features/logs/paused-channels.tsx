/** Channels that were paused when a call began: why, until when, and for whom. */
import type { PausedChannel } from "@gateway/shared/usage/log";
import { Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { formatTime } from "#lib/quota.ts";
import { attemptResultText } from "./log-labels.ts";

export function PausedChannels({ paused }: { paused: PausedChannel[] }) {
  const { t } = useTranslation();
  return (
    <Stack gap={6} mt="md">
      <Text fw={500} fz="sm">
        {t("Paused when the call began")}
      </Text>
      <Stack component="ul" gap={6} m={0} p={0} style={{ listStyle: "none" }}>
        {paused.map((each) => (
          <li key={each.channel_id}>
            <Text span fz="sm">
              {each.channel_name || t("Deleted channel")}
            </Text>{" "}
            <Text span c="dimmed" fz="xs">
              #{each.channel_id}
            </Text>
            <Text c="dimmed" fz="xs">
              {[
                t(attemptResultText(each.reason)),
                t("until {{time}}", { time: formatTime(each.paused_until) }),
                each.provider_asked ? t("the provider requested a pause") : "",
                each.own_calls_only ? t("for this account only") : t("for every account"),
              ]
                .filter(Boolean)
                .join(" · ")}
            </Text>
          </li>
        ))}
      </Stack>
    </Stack>
  );
}
