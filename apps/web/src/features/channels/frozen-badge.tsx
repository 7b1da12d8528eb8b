import type { ChannelRow } from "@gateway/shared/channel";
import { Box, Popover, Stack, Text, UnstyledButton } from "@mantine/core";
import { IconSnowflake } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { formatRelative, formatTime } from "#lib/quota.ts";
import { pauseReason } from "./status.ts";
import classes from "./channels.module.css";

/** Models that rest after failures: which, until when, and why. */
export function FrozenBadge({ frozen }: { frozen: ChannelRow["frozen"] }) {
  const { t } = useTranslation();
  return (
    <Popover position="bottom-start" withinPortal>
      <Popover.Target>
        <UnstyledButton className={classes.frozen}>
          <IconSnowflake size={13} aria-hidden />
          {frozen.some(({ model }) => model === "*")
            ? t("Paused")
            : t("{{number}} paused", { number: frozen.length })}
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown maw={360}>
        <Text fw={600} fz="sm" mb={8}>
          {t("Paused after failures")}
        </Text>
        <Stack gap={10}>
          {frozen.map(({ model, until, reason }) => (
            <Box key={model}>
              <Text fz="sm" ff={model === "*" ? undefined : "monospace"}>
                {model === "*" ? t("All models") : model}
              </Text>
              <Text c="dimmed" fz="xs">
                {t("until {{time}} ({{relative}})", {
                  time: formatTime(until),
                  relative: formatRelative(until),
                })}
              </Text>
              <Text fz="xs" mt={2}>
                {t(pauseReason(reason))}
              </Text>
            </Box>
          ))}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
