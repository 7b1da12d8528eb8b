import type { ChannelRow } from "@gateway/shared/channels/channel";
import { Box, Code, Popover, Stack, Text, UnstyledButton } from "@mantine/core";
import { IconSnowflake } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { pauseReason } from "#features/channels/status.ts";
import { formatRelative, formatTime } from "#lib/format/quota.ts";
import classes from "#features/channels/channels.module.css";

/** Models that are paused after failures: which, until when, and why. */
export function FrozenBadge({ frozen }: { frozen: ChannelRow["frozen"] }) {
  const { t } = useTranslation("channels");
  return (
    <Popover position="bottom-start" withinPortal>
      <Popover.Target>
        <UnstyledButton className={classes.frozen}>
          <IconSnowflake size={13} aria-hidden />
          {frozen.some(({ model, key }) => model === "*" && key === "")
            ? t("Paused")
            : t("{{number}} paused", { number: frozen.length })}
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown maw={360}>
        <Text fw={600} fz="sm" mb={8}>
          {t("Paused after failures")}
        </Text>
        <Stack gap={10}>
          {frozen.map(({ model, key, until, reason, accounts }) => (
            <Box key={`${model} ${key}`}>
              <Text fz="sm" ff={model === "*" ? undefined : "monospace"}>
                {model === "*" ? t("All models") : model}
              </Text>
              {key === "" ? null : (
                <Text fz="xs">
                  {t("This key only")} <Code fz="xs">{key}</Code>
                </Text>
              )}
              <Text c="dimmed" fz="xs">
                {reason !== "probing"
                  ? t("until {{time}} ({{relative}})", {
                      time: formatTime(until),
                      relative: formatRelative(until),
                    })
                  : t("one trial call at a time")}
              </Text>
              <Text fz="xs" mt={2}>
                {t(pauseReason(reason))}
              </Text>
              <Text c="dimmed" fz="xs">
                {accounts === 0
                  ? t("For all accounts")
                  : t("Only for calls of {{count}} accounts", { count: accounts })}
              </Text>
            </Box>
          ))}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
