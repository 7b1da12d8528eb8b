import type { Dashboard } from "@gateway/shared/usage/dashboard";
import { ActionIcon, Group, Progress, Skeleton, Text, Tooltip } from "@mantine/core";
import { IconRefresh } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { useFormat } from "#lib/format/quota.ts";
import { StatFrame } from "./stat-frame.tsx";
import classes from "./dashboard.module.css";

type RateCardProps = { rate: Dashboard["rate"] | undefined; refreshing: boolean; onRefresh: () => void };

/** Requests of the last minute compared with the group's limit. */
export function RateCard({ rate, refreshing, onRefresh }: RateCardProps) {
  const { t } = useTranslation("dashboard");
  const format = useFormat();
  const share = rate && rate.max_rpm > 0 ? Math.min(1, rate.rpm / rate.max_rpm) : 0;
  const color = share > 0.9 ? "red.5" : share > 0.7 ? "amber.4" : "iris.5";
  return (
    <StatFrame
      title={
        <Group justify="space-between" wrap="nowrap" align="flex-start">
          <Text fz="sm" c="dimmed">
            {t("Requests per minute")}
          </Text>
          <Tooltip label={t("Refresh")}>
            <ActionIcon size={22} aria-label={t("Refresh")} onClick={onRefresh} loading={refreshing}>
              <IconRefresh size={15} />
            </ActionIcon>
          </Tooltip>
        </Group>
      }
      figure={
        rate ? (
          <Text className={classes.value}>
            {format.whole(rate.rpm)}
            {rate.max_rpm > 0 ? (
              <Text span c="dimmed" fz="sm" fw={400}>
                {" "}
                / {format.whole(rate.max_rpm)}
              </Text>
            ) : null}
          </Text>
        ) : (
          <Skeleton height={26} width={90} />
        )
      }
      note={
        <>
          <Progress
            value={share * 100}
            size={5}
            radius="xl"
            color={color}
            mb={6}
            aria-label={t("Share of the limit")}
          />
          {rate ? (
            <Text fz="xs" c="dimmed">
              {t("{{tokens}} tokens per minute", { count: rate.tpm, tokens: format.short(rate.tpm) })}
            </Text>
          ) : (
            <Skeleton height={12} width={110} my={3} />
          )}
        </>
      }
    />
  );
}
